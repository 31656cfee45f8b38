import type { Knex } from 'knex';
import type { PayoutInHand } from '../../domain/checks/payouts.js';
import { objectFromJsonText } from '../../domain/json-text.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';

interface Row {
  id: string;
  shown: string;
  listed: boolean;
  created_at: Date | null;
  updated_at: Date | null;
  first_seen_at: Date;
  observed_at: Date;
  observed_by_type: string;
  observed_by_ref: string;
}

const OPEN = "(status IS NULL OR status NOT IN ('confirmed', 'failed'))";
const FOLLOWED = `EXISTS (SELECT FROM breaks AS break WHERE break.entity_kind = 'payout' AND break.entity_id = payouts.id
  AND break.kind IN ('payout_stuck', 'payout_untracked') AND break.status IN ('open', 'acknowledged'))`;

/** Payouts that may still move, and those that a break says so of; by id, beyond `after`. Absent ones are left out. */
export async function payoutsInHand(db: Knex, after: string, limit: number): Promise<PayoutInHand[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `SELECT id, shown, coalesce(poll_hash, '') <> '' AS listed, created_at, updated_at, first_seen_at,
       observed_at, observed_by_type, observed_by_ref
     FROM payouts WHERE absent_since IS NULL AND (${OPEN} OR ${FOLLOWED}) AND id > ? ORDER BY id LIMIT ?`,
    [toDatabaseText(after), limit],
  );
  return rows.map((row) => ({
    id: fromDatabaseText(row.id),
    fields: objectFromJsonText(row.shown),
    listed: row.listed,
    createdAt: row.created_at?.getTime() ?? null,
    updatedAt: row.updated_at?.getTime() ?? null,
    firstSeenAt: row.first_seen_at.getTime(),
    observedAt: row.observed_at.getTime(),
    observedBy: { type: row.observed_by_type, ref: row.observed_by_ref },
  }));
}

/** Ids of open payouts, by id, beyond `after`. */
export async function openPayoutIds(db: Knex, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM payouts WHERE absent_since IS NULL AND ${OPEN} AND id > ? ORDER BY id LIMIT ?`,
    [toDatabaseText(after), limit],
  );
  return rows.map(({ id }) => fromDatabaseText(id));
}
