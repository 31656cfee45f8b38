import type { Knex } from 'knex';
import { exact, raw, rowsOf } from '../database/statements.js';

/** SQL of each break with the money that it is about, as far as records say it. `subject`: the record whose money that is. */
export const BREAKS_WITH_MONEY = raw(`(
  SELECT breaks.id, breaks.kind, breaks.severity, breaks.status, breaks.opened_at,
         CASE WHEN expected_amount IS NOT NULL THEN 'order ' || orders.reference
              WHEN asked.amount_requested IS NOT NULL THEN 'payment_intent ' || asked.id
              ELSE entity_kind || ' ' || entity_id END AS subject,
         coalesce(expected_amount, asked.amount_requested, payouts.amount, invoices.amount, abs(unexplained)) AS amount,
         CASE WHEN expected_amount IS NOT NULL THEN expected_currency
              WHEN asked.amount_requested IS NOT NULL THEN asked.currency_requested
              WHEN payouts.amount IS NOT NULL THEN payouts.asset_code
              WHEN invoices.amount IS NOT NULL THEN currency ELSE balance_proofs.asset_code END AS currency
  FROM breaks
  LEFT JOIN orders ON entity_kind = 'order' AND orders.reference = entity_id
  LEFT JOIN payins ON entity_kind = 'payin' AND payins.id = entity_id
  -- Of an order that nobody registered, the largest of its payments.
  LEFT JOIN LATERAL (
    SELECT id, amount_requested, currency_requested FROM payment_intents
    WHERE id = ANY (CASE entity_kind WHEN 'payment_intent' THEN ARRAY[entity_id]
      WHEN 'payin' THEN ARRAY[payins.payment_intent_id] WHEN 'order' THEN orders.payment_intents END)
    ORDER BY amount_requested DESC NULLS LAST LIMIT 1
  ) AS asked ON true
  LEFT JOIN payouts ON entity_kind = 'payout' AND payouts.id = entity_id
  LEFT JOIN invoices ON entity_kind = 'invoice' AND invoices.id = entity_id
  LEFT JOIN balance_proofs ON breaks.kind = 'balance_residual' AND balance_proofs.asset_code = entity_id
)`);

export interface MoneyOfBreaks {
  /** Null: of so many breaks no record says how much. */
  currency: string | null;
  breaks: number;
  /** Of each record once, however many breaks are about it. */
  amount: string | null;
  /** In US dollars, at the newest rate that the service showed; null: it showed none. */
  worth: string | null;
}

/** What these breaks are about in money, what is worth most first, what nothing says last. */
export async function moneyOfBreaks(db: Knex, ids: readonly string[]): Promise<MoneyOfBreaks[]> {
  return rowsOf<MoneyOfBreaks>(db)`
    SELECT currency, breaks, ${raw(exact('total'))} AS amount, round(total * rate, 2)::text AS worth
    FROM (
      SELECT currency, sum(breaks)::integer AS breaks, sum(amount) AS total FROM (
        SELECT subject, CASE WHEN amount IS NULL THEN NULL ELSE currency END AS currency, count(*) AS breaks, max(amount) AS amount
        FROM ${BREAKS_WITH_MONEY} AS concerned WHERE id = ANY (${ids}::bigint[]) GROUP BY 1, 2
      ) AS each GROUP BY currency
    ) AS sums
    LEFT JOIN LATERAL (
      SELECT CASE currency WHEN 'USD' THEN 1 ELSE (SELECT asset_rates.rate FROM asset_rates
        WHERE asset_code = currency AND asset_rates.rate IS NOT NULL ORDER BY seen_at DESC LIMIT 1) END AS rate
    ) AS known ON true
    ORDER BY currency IS NULL, total * rate DESC NULLS LAST, currency`;
}
