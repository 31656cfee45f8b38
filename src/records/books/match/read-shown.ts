import type { Knex } from 'knex';
import type { ShownRecord } from '../../../domain/family/links.js';
import { textArray } from '../../database/array-parameter.js';
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
  const { rows } = await trx.raw<{
    rows: (Omit<ShownRow, 'kind'> & { first_seen_at: Date })[];
  }>(
    `SELECT ${STANDING}, shown, false AS says_paid, first_seen_at FROM ${recordTables[kind]}
     WHERE id = ANY (?::text[])`,
    [textArray(ids)],
  );
  return new Map(
    rows.map((row) => {
      const record = shownRecord(row);
      return [record.id, { record, firstSeenAt: row.first_seen_at.getTime() }];
    }),
  );
}
