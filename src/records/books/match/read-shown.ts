import type { Knex } from 'knex';
import type { ShownRecord } from '../../../domain/family/links.js';
import { raw, rowsOf } from '../../database/statements.js';
import { type ShownRow, STANDING, shownRecord } from '../../family/shown-records.js';
import { recordTables } from '../../record-columns.js';

export interface SeenRecord {
  record: ShownRecord;
  /** Ours; milliseconds. */
  firstSeenAt: number;
}

/** Records as they are shown, by id. */
export async function readShown(
  trx: Knex,
  kind: 'payment_intent' | 'invoice' | 'payout',
  ids: readonly string[],
): Promise<Map<string, SeenRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<Omit<ShownRow, 'kind'> & { first_seen_at: Date }>(trx)`
    SELECT ${raw(STANDING)}, shown, false AS says_paid, first_seen_at FROM ${raw(recordTables[kind])}
    WHERE id = ANY (${ids}::text[])`;
  return new Map(
    rows.map((row) => {
      const record = shownRecord(row);
      return [record.id, { record, firstSeenAt: row.first_seen_at.getTime() }];
    }),
  );
}
