import type { Knex } from 'knex';
import type { PayoutInHand } from '../../domain/breaks/payouts.js';
import { objectFromJsonText } from '../../domain/json.js';
import { columnOf, milliseconds, raw, rowsOf, sql } from '../database/statements.js';

type Row = Omit<PayoutInHand, 'fields' | 'observedBy'> & { shown: string; type: string; ref: string };

/** The predicate of the index payouts_in_hand, word for word. */
const OPEN = "absent_since IS NULL AND (status IS NULL OR status NOT IN ('confirmed', 'failed'))";
const COLUMNS = raw(`id, shown, coalesce(poll_hash, '') <> '' AS listed, ${milliseconds('created_at')} AS "createdAt",
  ${milliseconds('updated_at')} AS "updatedAt", ${milliseconds('first_seen_at')} AS "firstSeenAt", ${milliseconds('observed_at')} AS "observedAt",
  observed_by_type AS type, observed_by_ref AS ref`);
/** An array, so that the few that breaks name are looked up by their ids. */
const followed = (after: string) => sql`ARRAY(SELECT entity_id FROM breaks WHERE entity_kind = 'payout'
  AND kind IN ('payout_stuck', 'payout_untracked') AND status IN ('open', 'acknowledged') AND entity_id > ${after})`;

/**
 * Payouts that may still move, and those that a break says so of; by id, beyond `after`. Absent ones are left out, and those that
 * only reports name: nobody knows that there is one.
 */
export async function payoutsInHand(db: Knex, after: string, limit: number): Promise<PayoutInHand[]> {
  const rows = await rowsOf<Row>(db)`
    (SELECT ${COLUMNS} FROM payouts WHERE ${raw(OPEN)} AND known AND id > ${after} ORDER BY id LIMIT ${limit})
    UNION ALL
    (SELECT ${COLUMNS} FROM payouts WHERE id = ANY (${followed(after)})
       AND absent_since IS NULL AND status IN ('confirmed', 'failed') ORDER BY id LIMIT ${limit})
    ORDER BY id LIMIT ${limit}`;
  return rows.map(({ shown, type, ref, ...row }) => {
    return { ...row, fields: objectFromJsonText(shown), observedBy: { type, ref } };
  });
}

/** `known`: the list, our own call or the delivery history has shown them; `reported`: webhooks alone, of the last days. */
export type PayoutsBy = 'known' | 'reported';

const BY: Record<PayoutsBy, string> = {
  known: 'known',
  reported: "NOT known AND first_seen_at > now() - interval '3 days'",
};

/** Ids of open payouts, by id, beyond `after`. */
export async function openPayoutIds(
  db: Knex,
  after: string,
  { by, limit }: { by: PayoutsBy; limit: number },
): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT id FROM payouts WHERE ${raw(OPEN)} AND ${raw(BY[by])} AND id > ${after} ORDER BY id LIMIT ${limit}`;
}
