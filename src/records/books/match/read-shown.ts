import type { Knex } from 'knex';
import { objectFromJsonText } from '../../../domain/json-text.js';
import type { ShownRecord } from '../../../domain/orders/order-facts.js';
import { textArray } from '../../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../../database/database-text.js';
import { recordTables } from '../../saving/record-columns.js';

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
    rows: {
      id: string;
      shown: string;
      verified: boolean;
      verified_at: Date | null;
      absent_since: Date | null;
      first_seen_at: Date;
    }[];
  }>(
    `SELECT id, shown, verified, verified_at, absent_since, first_seen_at FROM ${recordTables[kind]}
     WHERE id = ANY (?::text[])`,
    [textArray(ids.map(toDatabaseText))],
  );
  return new Map(
    rows.map((row) => {
      const record: ShownRecord = {
        id: fromDatabaseText(row.id),
        fields: objectFromJsonText(row.shown),
        verified: row.verified,
        verifiedAt: row.verified_at?.getTime() ?? null,
        absent: row.absent_since !== null,
      };
      return [record.id, { record, firstSeenAt: row.first_seen_at.getTime() }];
    }),
  );
}
