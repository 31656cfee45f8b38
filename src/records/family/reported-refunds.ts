import type { Knex } from 'knex';
import { DENIED_MS, isUndecided, passedOver, type SaidCount, type SaidRefund } from '../../domain/family/said.js';
import { raw, rowsOf } from '../database/statements.js';

/** Of rows of `said_refunds`, with their payouts: all that `isUndecided` asks. */
export const SAID_STATE = `known, absent_since IS NOT NULL AS absent, coalesce(payment_intent_id, '') <> '' AS linked,
  coalesce(searched_at >= said_to, false) AS searched,
  EXISTS (SELECT FROM refund_assignments WHERE payout_id = payouts.id OFFSET 0) AS assigned,
  not_sent AS disproved`;

/** The secret that the report came under, and whether it came lately. Under one that is retired nothing comes any more: it is passed over by nobody. */
export const SAID_BY = `(SELECT secret_label FROM inbox
  WHERE id = CASE WHEN said_by ~ '^[0-9]{1,18}$' THEN said_by::bigint END
    AND NOT EXISTS (SELECT FROM secrets WHERE label = secret_label AND retired_at IS NOT NULL)) AS label,
  said_to > extract(epoch FROM now()) * 1000 - ${DENIED_MS} AS lately`;

const REPORTED = 'said_refunds JOIN payouts ON payouts.id = payout_id';

/** That a payout gives money back, as reports alone say: it withholds. */
export type ReportedRefund = SaidRefund & { payout: string };

interface Wanted {
  payouts?: readonly string[];
  orders?: readonly string[];
  payments?: readonly string[];
}

type SaidRow = SaidCount & ReportedRefund;

/** Of these payouts or about these orders and payments; the newest first. */
function saidAbout(db: Knex, { payouts = [], orders = [], payments = [] }: Wanted): Promise<SaidRow[]> {
  return rowsOf<SaidRow>(db)`
    SELECT payout_id AS payout, said_of AS of, name, said_of || ' ' || name AS key, 1 AS n, said_to::float8 AS until, said_by AS by,
           ${raw(SAID_BY)}, ${raw(SAID_STATE)}
    FROM ${raw(REPORTED)}
    WHERE payout_id = ANY (${payouts}::text[]) OR (name = ANY (${orders}::text[]) AND said_of = 'order')
      OR (name = ANY (${payments}::text[]) AND said_of = 'payment')
    ORDER BY said_to DESC, payout_id, name`;
}

/** What nothing has decided yet (`isUndecided`). */
export async function undecidedRefunds(db: Knex, wanted: Wanted): Promise<ReportedRefund[]> {
  const rows = await saidAbout(db, wanted);
  return rows.filter(isUndecided).map(({ payout, of, name, until, by }) => ({ payout, of, name, until, by }));
}

/** The secrets under which reports of refunds hold this order no more, each with how many of the last hours were denied. */
export async function secretsPassedOver(db: Knex, wanted: Wanted): Promise<{ secret: string; denied: number }[]> {
  const found = new Map<string, number>();
  for (const [key, denied] of passedOver(await saidAbout(db, wanted))) {
    const secret = (JSON.parse(key) as string[])[1] ?? '';
    found.set(secret, (found.get(secret) ?? 0) + denied);
  }
  return [...found].map(([secret, denied]) => ({ secret, denied }));
}
