import type { Knex } from 'knex';
import type { BreakRef, NewBreak } from './breaks.js';

/** Without those that a person resolved or wrote off: what was decided stays decided, though its cause lasts. */
export async function withoutDecided(db: Knex, breaks: NewBreak[]): Promise<NewBreak[]> {
  if (breaks.length === 0) return [];
  const { rows } = await db.raw<{ rows: { kind: string; entity_kind: string; entity_id: string }[] }>(
    `SELECT DISTINCT kind, entity_kind, entity_id FROM breaks
     WHERE status IN ('resolved', 'written_off') AND (kind, entity_kind, entity_id) IN (
       SELECT * FROM unnest(?::text[], ?::text[], ?::text[]))`,
    [breaks.map(({ kind }) => kind), breaks.map(({ entity }) => entity.kind), breaks.map(({ entity }) => entity.id)],
  );
  const decided = new Set(rows.map((row) => `${row.kind} ${row.entity_kind} ${row.entity_id}`));
  const keyOf = ({ kind, entity }: BreakRef) => `${kind} ${entity.kind} ${entity.id}`;
  return breaks.filter((wanted) => !decided.has(keyOf(wanted)));
}
