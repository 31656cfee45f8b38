import type { Knex } from 'knex';
import type { RecordKind } from '../../domain/records.js';
import { fromDatabaseText } from '../database/database-text.js';
import { recordTables } from '../saving/record-columns.js';

/** Records of a kind, few of them, that the service listed when it was last asked. */
export async function listedIds(db: Knex, kind: RecordKind): Promise<string[]> {
  const ids = await db(recordTables[kind])
    .whereNull('absent_since')
    .whereRaw("coalesce(poll_hash, '') <> ''")
    .orderBy('id')
    .pluck('id');
  return ids.map((id: string) => fromDatabaseText(id));
}
