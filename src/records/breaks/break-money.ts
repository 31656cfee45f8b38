import type { Knex } from 'knex';
import {
  linesOf,
  type MoneyOfBreak,
  type MoneyOfBreaks,
  moneyByAsset,
  type OpenBreaks,
} from '../../domain/breaks/money-once.js';
import { settlementBreakKinds } from '../../domain/breaks/payouts.js';
import type { Money } from '../../domain/family/money.js';
import { objectFromJsonText } from '../../domain/json.js';
import { missingMoney } from '../../domain/settlements/settlement.js';
import { exact, raw, rowsOf, type Sql, sql } from '../database/statements.js';

/** All that nobody has closed, by kind and severity, with the money that they are about as far as records say it. */
export async function unclosedBreaks(db: Knex, now: Date): Promise<OpenBreaks[]> {
  const found = await moneysOf(db, sql`breaks.status IN ('open', 'acknowledged')`, { now });
  return linesOf(found, await newestRates(db, found));
}

/** What these breaks are about in money, what is worth most first, what nothing says last. */
export async function moneyOfBreaks(db: Knex, ids: readonly string[]): Promise<MoneyOfBreaks[]> {
  const found = await moneysOf(db, sql`breaks.id = ANY (${ids}::bigint[])`);
  return moneyByAsset(found, await newestRates(db, found));
}

/** The same of each by itself; one of which no record says how much is left out. */
export async function moneyOfEach(db: Knex, ids: readonly string[]): Promise<Map<string, Money>> {
  const found = await moneysOf(db, sql`breaks.id = ANY (${ids}::bigint[])`, { each: true });
  return new Map(found.flatMap(({ breakId, money }) => (money === null || breakId === null ? [] : [[breakId, money]])));
}

/** Of a break the payments that it is about, an array: each is looked up by its key. */
export const PAYMENTS_OF_BREAK = sql`CASE entity_kind WHEN 'payment_intent' THEN ARRAY[entity_id]
  WHEN 'payin' THEN ARRAY(SELECT own.payment_intent_id FROM payins AS own WHERE own.id = entity_id)
  WHEN 'order' THEN (SELECT own.payment_intents FROM orders AS own WHERE own.reference = entity_id)
  WHEN 'invoice' THEN ARRAY(SELECT own.id FROM payment_intents AS own WHERE own.invoice_id = entity_id) END`;

interface Row extends Omit<Required<MoneyOfBreak>, 'money'> {
  /** Null: of several. */
  breakId: string | null;
  currency: string | null;
  amount: string | null;
  /** Of a settlement's break, the evidence: it says what is missing in money. */
  settlement: string | null;
}

/** Of an order, an invoice and a payin it is the money of a payment; of several the largest, which is the one to ask about. */
async function moneysOf(
  db: Knex,
  which: Sql,
  { each = false, now = new Date() } = {},
): Promise<(MoneyOfBreak & Pick<Row, 'breakId'>)[]> {
  const rows = await rowsOf<Row>(db)`
    SELECT kind, severity, break_id::text AS "breakId", coalesce('payment_intent ' || payment, entity_kind || ' ' || entity_id) AS subject, currency,
           ${raw(exact('max(amount)'))} AS amount, count(*)::integer AS breaks,
           (count(*) FILTER (WHERE is_in_hand))::integer AS "inHand",
           greatest(extract(epoch FROM ${now}::timestamptz - min(opened_at)), 0)::float8 AS "oldestSeconds", settlement
    FROM (
      SELECT breaks.kind, severity, ${raw(each ? 'breaks.id' : 'NULL::bigint')} AS break_id, breaks.opened_at, breaks.status = 'acknowledged' OR breaks.owner IS NOT NULL AS is_in_hand, asked.id AS payment, entity_kind, said.amount, said.currency,
             CASE WHEN said.amount IS NULL THEN '' ELSE entity_id END AS entity_id,
             CASE WHEN breaks.kind = ANY (${settlementBreakKinds}::text[]) THEN evidence::varchar END AS settlement
      FROM breaks
      LEFT JOIN orders ON entity_kind = 'order' AND orders.reference = entity_id
      LEFT JOIN payouts ON entity_kind = 'payout' AND payouts.id = entity_id
      LEFT JOIN invoices ON entity_kind = 'invoice' AND invoices.id = entity_id
      LEFT JOIN balance_proofs ON breaks.kind = 'balance_residual' AND balance_proofs.asset_code = entity_id
      LEFT JOIN LATERAL (
        SELECT id, amount_requested, currency_requested FROM payment_intents
        WHERE id = ANY (${PAYMENTS_OF_BREAK})
        ORDER BY amount_requested DESC NULLS LAST, id LIMIT 1
      ) AS asked ON true
      -- What is owed of it, what the store expects, or what the record itself says, before what is asked for.
      LEFT JOIN LATERAL (
        SELECT * FROM (VALUES
          (CASE WHEN breaks.kind = 'order_underpaid' AND orders.status = 'underpaid' THEN orders.difference_amount END, orders.difference_currency),
          (orders.expected_amount, orders.expected_currency), (payouts.amount, payouts.asset_code),
          (invoices.amount, invoices.currency), (asked.amount_requested, asked.currency_requested),
          (abs(balance_proofs.unexplained), balance_proofs.asset_code)
        ) AS each (amount, currency) WHERE amount IS NOT NULL AND currency IS NOT NULL LIMIT 1
      ) AS said ON true
      WHERE ${which}
    ) AS concerned
    GROUP BY kind, severity, break_id, payment, entity_kind, entity_id, currency, settlement`;
  return rows.map(({ amount, currency, settlement, ...row }) => {
    const money = amount === null || currency === null ? null : { amount, currency };
    return { ...row, money: (settlement === null ? null : missingMoney(objectFromJsonText(settlement))) ?? money };
  });
}

/** Of one unit in US dollars, as the service showed it last. */
async function newestRates(db: Knex, found: readonly MoneyOfBreak[]): Promise<Map<string, string>> {
  const assets = [...new Set(found.flatMap(({ money }) => money?.currency ?? []))];
  const rows = await rowsOf<{ asset: string; rate: string }>(db)`
    SELECT asset, ${raw(exact('rate'))} AS rate FROM unnest(${assets}::text[]) AS asset
    CROSS JOIN LATERAL (SELECT rate FROM asset_rates
      WHERE asset_code = asset AND rate IS NOT NULL ORDER BY seen_at DESC LIMIT 1) AS newest`;
  return new Map(rows.map(({ asset, rate }) => [asset, rate]));
}
