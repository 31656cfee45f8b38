import type { Knex } from 'knex';
import { isUndecided, type SaidRefund, type SaidState } from '../../domain/family/said.js';
import { textArray } from '../database/array-parameter.js';
import { idTexts } from './shown-records.js';

/** Of rows of `said_refunds`, with their payouts: all that `isUndecided` asks. */
export const SAID_STATE = `known, absent_since IS NOT NULL AS absent, coalesce(payment_intent_id, '') <> '' AS linked,
  coalesce(searched_at >= said_to, false) AS searched,
  EXISTS (SELECT FROM refund_assignments WHERE payout_id = payouts.id OFFSET 0) AS assigned,
  not_sent AS disproved`;

const REPORTED = 'said_refunds JOIN payouts ON payouts.id = payout_id';

/** That a payout gives money back, as reports alone say: it withholds. */
export type ReportedRefund = SaidRefund & { payout: string };

interface Row extends SaidState {
  payout_id: string;
  said_of: SaidRefund['of'];
  name: string;
  said_to: string;
  said_by: string;
}

/** What nothing has decided yet (`isUndecided`), of these payouts or about these orders and payments; the newest first. */
export async function undecidedRefunds(
  db: Knex,
  { payouts = [], orders = [], payments = [] }: Partial<Record<'payouts' | 'orders' | 'payments', readonly string[]>>,
): Promise<ReportedRefund[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `SELECT payout_id, said_of, name, said_to, said_by, ${SAID_STATE} FROM ${REPORTED}
     WHERE payout_id = ANY (?::text[]) OR (name = ANY (?::text[]) AND said_of = 'order')
       OR (name = ANY (?::text[]) AND said_of = 'payment')
     ORDER BY said_to DESC, payout_id, name`,
    [idTexts(payouts), textArray(orders), idTexts(payments)],
  );
  return rows.filter(isUndecided).map(({ payout_id, said_of: of, name, said_to, said_by: by }) => {
    return { payout: payout_id, of, name, until: Number(said_to), by };
  });
}
