import type { Knex } from 'knex';
import { isUndecided, type SaidRefund, type SaidState } from '../../domain/family/said.js';
import { raw, rowsOf } from '../database/statements.js';

/** Of rows of `said_refunds`, with their payouts: all that `isUndecided` asks. */
export const SAID_STATE = `known, absent_since IS NOT NULL AS absent, coalesce(payment_intent_id, '') <> '' AS linked,
  coalesce(searched_at >= said_to, false) AS searched,
  EXISTS (SELECT FROM refund_assignments WHERE payout_id = payouts.id OFFSET 0) AS assigned,
  not_sent AS disproved`;

const REPORTED = 'said_refunds JOIN payouts ON payouts.id = payout_id';

/** That a payout gives money back, as reports alone say: it withholds. */
export type ReportedRefund = SaidRefund & { payout: string };

/** What nothing has decided yet (`isUndecided`), of these payouts or about these orders and payments; the newest first. */
export async function undecidedRefunds(
  db: Knex,
  { payouts = [], orders = [], payments = [] }: Partial<Record<'payouts' | 'orders' | 'payments', readonly string[]>>,
): Promise<ReportedRefund[]> {
  const rows = await rowsOf<SaidState & ReportedRefund>(db)`
    SELECT payout_id AS payout, said_of AS of, name, said_to::float8 AS until, said_by AS by, ${raw(SAID_STATE)}
    FROM ${raw(REPORTED)}
    WHERE payout_id = ANY (${payouts}::text[]) OR (name = ANY (${orders}::text[]) AND said_of = 'order')
      OR (name = ANY (${payments}::text[]) AND said_of = 'payment')
    ORDER BY said_to DESC, payout_id, name`;
  return rows.filter(isUndecided).map(({ payout, of, name, until, by }) => ({ payout, of, name, until, by }));
}
