import { accounts } from '../../domain/books/chart.js';
import { proofsAsOf } from '../balances/balance-proofs.js';
import { exact, type Trx, utc } from '../database/statements.js';
import { accountTotals } from './account-totals.js';
import { fewLines, linesOfFew, linesOfMost, lookedUp, type MonthRow, worth } from './month-query.js';

/** What the service shows of the month. What only webhooks report is no record of it. */
const MADE = 'known AND created_at >= :from AND created_at < :to';

const made = (kind: string, table: string): string => `SELECT '${kind}' AS kind, id FROM ${table} WHERE ${MADE}`;

/**
 * Orders registered in the month, or with a payment, payin, invoice or refund that was made or booked in it, by the links that
 * orders are derived from; as they stand.
 */
export const monthOrders = `
  WITH made AS (
    ${made('payment_intent', 'payment_intents')} UNION ${made('payin', 'payins')}
    UNION ${made('invoice', 'invoices')} UNION ${made('payout', 'payouts')}
    UNION SELECT record_kind, record_id FROM entries
      WHERE month = :month AND record_kind IN ('payment_intent', 'payin', 'payout')
  ), intents AS (
    SELECT DISTINCT payment_intent_id AS id FROM made
    CROSS JOIN ${lookedUp('family_links', 'id', 'made.id AND family_links.kind = made.kind')}
  ), touched AS (
    SELECT reference FROM orders WHERE registered_at >= :from AND registered_at < :to
    UNION SELECT reference FROM intents CROSS JOIN ${lookedUp('payment_orders', 'payment_intent_id', 'intents.id')}
    UNION SELECT merchant_reference FROM made CROSS JOIN ${lookedUp('invoices', 'id', 'made.id')} WHERE kind = 'invoice'
    UNION SELECT merchant_reference FROM made CROSS JOIN ${lookedUp('payouts', 'id', 'made.id')} WHERE kind = 'payout'
  )
  SELECT orders.reference AS "order", status, ${utc('registered_at')} AS "registeredAt", ${exact('expected_amount')} AS "expectedAmount",
         expected_currency AS "expectedCurrency", array_to_string(payment_intents, ' ') AS payments,
         array_to_string(invoices, ' ') AS invoices, array_to_string(refunds, ' ') AS refunds,
         CASE WHEN release_safe THEN 'yes' ELSE 'no' END AS "releaseSafe", release_reason AS "releaseReason",
         ${utc('release_proven_at')} AS "provenAt"
  FROM touched CROSS JOIN ${lookedUp('orders', 'reference', 'touched.reference')}
  ORDER BY registered_at NULLS LAST, orders.reference COLLATE "C"`;

const EARNED = `CASE WHEN account IN ('income:payments', 'equity:deposits', 'equity:transfers') THEN -amount END`;

const paidTo = (account: string): string => `coalesce(sum(amount) FILTER (WHERE account = '${account}'), 0)`;

/**
 * Payments made or booked in the month, by asset: what came, what the service took and what the balance got. Payins that are of
 * no payment stand here under their own id, so that what is booked of payments and payins is here whole. All is sorted once,
 * behind its payment: lines, and what was made, of which a row without an asset is left where nothing is booked.
 */
export const monthPayments = `
  WITH lines AS (
    SELECT CASE WHEN record_kind = 'payin' THEN coalesce((SELECT payment_intent_id FROM payins WHERE payins.id = record_id), record_id)
           ELSE record_id END AS id, date, account, asset_code, amount, ${EARNED} AS earned, rate
    FROM (${linesOfMost} AND NOT memo AND record_kind IN ('payment_intent', 'payin')) AS lines
    UNION ALL SELECT id, NULL, NULL, NULL, NULL, NULL, NULL FROM payment_intents WHERE ${MADE}
  ), payments AS (
    SELECT lines.id, merchant_reference, status, irregular_status, created_at, amount_requested, currency_requested, lines.asset_code,
           min(date)::text AS date, coalesce(sum(earned), 0) AS gross, ${paidTo('expenses:fees:service')} AS fee,
           ${paidTo('assets:operating')} AS net, ${paidTo('assets:held:disputes')} AS held, ${worth('earned')} AS value,
           lag(lines.id) OVER (ORDER BY created_at NULLS LAST, lines.id COLLATE "C", lines.asset_code COLLATE "C") AS before
    FROM lines LEFT JOIN ${lookedUp('payment_intents', 'id', 'lines.id')} ON true
    GROUP BY created_at, lines.id COLLATE "C", lines.asset_code COLLATE "C", lines.id, lines.asset_code, merchant_reference, status,
             irregular_status, amount_requested, currency_requested
  )
  SELECT id, merchant_reference AS "order", status, irregular_status AS "irregularStatus", ${utc('created_at')} AS "createdAt",
         ${exact('amount_requested')} AS "requestedAmount", currency_requested AS "requestedCurrency", date AS "bookedOn",
         asset_code AS asset, ${booked('gross')} AS gross, ${booked('fee')} AS fee, ${booked('net')} AS net, ${booked('held')} AS held,
         ${exact('value')} AS value
  FROM payments WHERE asset_code IS NOT NULL OR before IS DISTINCT FROM id
  ORDER BY created_at NULLS LAST, id COLLATE "C", asset_code COLLATE "C"`;

function booked(sum: string): string {
  return `CASE WHEN asset_code IS NOT NULL THEN ${exact(sum)} END`;
}

export const monthPayins = `
  WITH ids AS (
    SELECT id FROM payins WHERE ${MADE}
    UNION SELECT record_id FROM entries WHERE month = :month AND record_kind = 'payin'
  )
  SELECT payins.id, payment_intent_id AS payment, status, kyt_status AS "kytStatus", asset_code AS asset, ${utc('created_at')} AS "createdAt"
  FROM ids CROSS JOIN ${lookedUp('payins', 'id', 'ids.id')} ORDER BY created_at NULLS LAST, payins.id COLLATE "C"`;

/** What went to somebody, or into fiat: not fees, and not where it came from. */
const GIVEN = `CASE WHEN account IN ('equity:withdrawals', 'equity:transfers', 'equity:conversion', 'income:refunds') THEN amount END`;

const CALLED_REFUND = 'lower(payout_type) = ANY (CAST(:refundWords AS text[]))';

/** Payouts that are no refunds, made or booked in the month, by asset. */
export const monthPayouts = payouts('NOT');

/** Refunds made or booked in the month, by asset: by the contract's word for them, or booked as such. All of one stands here. */
export const monthRefunds = payouts('');

function payouts(isRefund: '' | 'NOT'): string {
  return `
  WITH lines AS MATERIALIZED (${linesOfFew} AND record_kind = 'payout' AND NOT memo),
  booked AS (
    SELECT record_id AS id, asset_code, min(date)::text AS date, bool_or(bool_or(account = 'income:refunds')) OVER (PARTITION BY record_id) AS refunds,
           coalesce(sum(${GIVEN}), 0) AS given,
           coalesce(sum(amount) FILTER (WHERE account LIKE 'expenses:fees:%'), 0) AS fee,
           coalesce(-sum(amount) FILTER (WHERE account LIKE 'assets:%'), 0) AS paid,
           ${worth(GIVEN)} AS value
    FROM lines GROUP BY record_id, asset_code
  ), ids AS (
    SELECT id FROM booked UNION SELECT id FROM payouts WHERE ${MADE}
  )
  SELECT ids.id, payout_type AS type, status, merchant_reference AS "order", payment_intent_id AS payment,
         ${utc('created_at')} AS "createdAt", date AS "bookedOn", coalesce(booked.asset_code, payouts.asset_code) AS asset,
         CASE WHEN booked.asset_code IS NULL OR booked.asset_code = payouts.asset_code THEN ${exact('payouts.amount')} END AS amount,
         ${exact('given')} AS booked, ${exact('fee')} AS fee, ${exact('paid')} AS paid, ${exact('value')} AS value, txid
  FROM ids LEFT JOIN ${lookedUp('payouts', 'id', 'ids.id')} ON true LEFT JOIN booked ON booked.id = ids.id
  WHERE ${isRefund} coalesce(${CALLED_REFUND} OR refunds, refunds, false)
  ORDER BY created_at NULLS LAST, ids.id COLLATE "C", coalesce(booked.asset_code, payouts.asset_code) COLLATE "C"`;
}

/** Settlements that are booked in the month, what they were worth, and what finance said last of the bank. */
export const monthSettlements = `
  WITH lines AS MATERIALIZED (${linesOfFew} AND record_kind = 'payout' AND account = '${accounts.conversion}' AND NOT memo),
  booked AS (
    SELECT record_id AS id, asset_code, min(date)::text AS date, sum(amount) AS settled, ${worth('amount')} AS value
    FROM lines GROUP BY record_id, asset_code
  )
  SELECT booked.id, booked.date AS "bookedOn", asset_code AS asset, ${exact('settled')} AS amount, ${exact('value')} AS value,
         ${exact('said.amount')} AS "arrivedAmount", said.currency AS "arrivedCurrency", arrived_on::text AS "arrivedOn",
         bank_reference AS reference, difference, note, actor AS "markedBy", ${utc('at')} AS "markedAt"
  FROM booked LEFT JOIN LATERAL (
    SELECT * FROM settlement_arrivals WHERE payout_id = booked.id ORDER BY settlement_arrivals.id DESC LIMIT 1
  ) AS said ON true
  ORDER BY booked.date, booked.id COLLATE "C", asset_code COLLATE "C"`;

/** What moved in sub-wallets, made or booked in the month. */
export const monthTransactions = `
  WITH ids AS (
    SELECT id FROM transactions WHERE ${MADE}
    UNION SELECT record_id FROM entries WHERE month = :month AND record_kind = 'transaction'
  )
  SELECT transactions.id, account_id AS account, type, asset_code AS asset, ${exact('amount')} AS amount, ${exact('fee_amount')} AS fee,
         ${utc('created_at')} AS "createdAt"
  FROM ids CROSS JOIN ${lookedUp('transactions', 'id', 'ids.id')}
  ORDER BY created_at NULLS LAST, transactions.id COLLATE "C"`;

/** Each line of a fee that is posted in the month; a memo is known and moved nothing. */
export const monthFees = `
  SELECT date::text AS date, entry_id::text AS entry, record_kind AS kind, record_id AS record, account, asset_code AS asset,
         CASE WHEN NOT memo THEN ${exact('amount')} END AS amount, CASE WHEN memo THEN ${exact('amount')} END AS memo,
         CASE WHEN NOT memo THEN ${exact('amount * rate')} END AS value
  FROM (${fewLines} AND account ~ '^(expenses|income):fees:') AS lines ORDER BY entry_id, line`;

const unread = { balance: null, frozen: null, agreedAt: null, unexplained: null, unproven: null };

/** Of each asset: what the books of the month hold, and how the balance that the service shows is proven, as it stands. */
export async function monthBalances(trx: Trx, month: string): Promise<MonthRow[]> {
  const totals = (await accountTotals(trx, month)).filter(({ account }) => account === accounts.operating);
  const proofs = await proofsAsOf(trx, new Date());
  const booked = new Map(totals.map((total) => [total.assetCode, total]));
  return [...new Set([...proofs.keys(), ...booked.keys()])].sort().map((asset) => {
    const { opening = '0', activity = '0', closing = '0' } = booked.get(asset) ?? {};
    const { balance, frozen, agreedAt: readAt, unexplained, unproven } = proofs.get(asset) ?? unread;
    return { balance, frozen, readAt, unexplained, unproven, asset, opening, activity, closing };
  });
}

/** Breaks that nobody has closed, whatever month they are of. What was found is not here: it may be personal. */
export const monthBreaks = `
  SELECT id::text AS id, severity, kind, entity_kind AS "entityKind", entity_id AS entity, status, ${utc('opened_at')} AS "openedAt",
         CASE WHEN opened_at >= :to THEN 'yes' ELSE 'no' END AS "openedLater"
  FROM breaks WHERE status IN ('open', 'acknowledged')
  ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low'], severity), id`;
