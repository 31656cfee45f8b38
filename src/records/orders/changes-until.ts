import type { Knex } from 'knex';
import type { EntityRef } from '../../domain/records.js';
import { type Change, changesOf } from '../changes.js';
import { toDatabaseText } from '../database/database-text.js';

export interface KnownChange extends Change {
  /** False: the field is gone. */
  isSet: boolean;
}

/** The history of one record or order, oldest first: what was known at a time (to its millisecond), and what came later. */
export async function changesUntil(
  db: Knex,
  entity: EntityRef,
  asOf: Date,
): Promise<{ known: KnownChange[]; later: KnownChange[] }> {
  const changes = await changesOf(db, entity);
  const gone = await db('changes')
    .where({ entity_kind: entity.kind, entity_id: toDatabaseText(entity.id) })
    .whereNull('to_value')
    .pluck('seq');
  const unset = new Set(gone.map(String));
  const all = changes.map((change) => ({ ...change, isSet: !unset.has(change.seq) }));
  const isKnown = ({ changedAt }: Change): boolean => Date.parse(changedAt) <= asOf.getTime();
  return { known: all.filter(isKnown), later: all.filter((change) => !isKnown(change)) };
}
