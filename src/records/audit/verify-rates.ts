import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { rateOfPayment } from '../../domain/books/choose-rate.js';
import { heldKey } from '../../domain/books/entry.js';
import type { JsonObject } from '../../domain/json.js';
import { compareAmounts } from '../../domain/money.js';
import { TRANSIT_KEY } from '../books/openings.js';
import { raw, rowsOf } from '../database/statements.js';
import { findingOf, type ReportFinding } from './verify-head.js';

const NAMED = 100;

interface PostedRate {
  entry: string;
  recordId: string;
  assetCode: string;
  currency: string;
  rate: string;
}

const POSTED = raw(`entry_id::text AS entry, record_id AS "recordId", valued.asset_code AS "assetCode", currency,
  trim_scale(rate)::text AS rate`);

/**
 * Rates of entries of open months that stand: what is taken back, and what takes it back, come to nothing at any rate, and what finance gave
 * later takes the place of the one before.
 */
const STANDING = raw(`entry_rates AS valued JOIN entries ON entries.id = entry_id
  WHERE rate IS NOT NULL AND reverses IS NULL AND NOT EXISTS (
      SELECT FROM entry_rates AS given WHERE (given.entry_id, given.asset_code) = (valued.entry_id, valued.asset_code) AND given.id > valued.id) AND NOT EXISTS (SELECT FROM entries AS later WHERE later.reverses = entry_id)
    AND month NOT IN (SELECT month FROM periods WHERE status = 'closed')`);

/** To the millisecond: so exact are the moments of posting. */
const SHOWN =
  raw(`SELECT FROM asset_rates AS shown WHERE shown.asset_code = valued.asset_code AND shown.rate = valued.rate
  AND seen_at BETWEEN rate_at - interval '1 ms' AND rate_at + interval '1 ms'`);

/**
 * Since when and until when the balances of these assets showed which rate, by their sealed changes. What is said of a time that is
 * past already, and what the next change or the balance itself does not go on from, shows nothing.
 */
const PRICES = raw(`SELECT asset_code, price, begun, coalesce(ended, 'infinity') AS ended FROM (
    SELECT asset_code, price, begun, lead(begun) OVER history AS ended, max(begun) OVER history AS newest,
           CASE WHEN lead(seq) OVER history IS NULL THEN shown_rate(balances.shown) ELSE lead(before) OVER history END AS left_at
    FROM (
      SELECT entity_id AS asset_code, seq, service_time AS begun,
             CASE field WHEN '*' THEN shown_rate(to_value) ELSE shown_rate('"usdRate":' || to_value) END AS price,
             CASE field WHEN '*' THEN NULL ELSE shown_rate('"usdRate":' || from_value) END AS before
      FROM changes WHERE entity_kind = 'balance' AND field IN ('*', 'usdRate') AND entity_id IN (SELECT asset_code FROM used)
    ) AS said JOIN balances ON id = asset_code
    WINDOW history AS (PARTITION BY asset_code ORDER BY seq)
  ) AS steps WHERE begun = newest AND price = left_at`);

const GIVEN =
  raw(`SELECT FROM given_rates AS given WHERE given.asset_code = valued.asset_code AND given.currency = valued.currency
  AND given.date = entries.day AND given.rate = valued.rate`);

/** What is placed is worth what it was in transit: no less than the least of it, no more than the most. */
const CARRIED =
  raw(`SELECT FROM (SELECT asset_code, day, month, ${TRANSIT_KEY} AS span FROM transit_days WHERE transit_days.asset_code = valued.asset_code) AS moved
    JOIN entries AS paid ON (paid.day, paid.month) = (moved.day, moved.month) AND paid.record_kind <> 'placement'
    JOIN entry_rates AS own ON own.entry_id = paid.id AND (own.asset_code, own.currency) = (valued.asset_code, valued.currency)
  WHERE span = entries.key AND EXISTS (SELECT FROM entry_lines AS line
    WHERE line.entry_id = paid.id AND line.asset_code = valued.asset_code AND account = '${accounts.payoutsInTransit}')
  HAVING valued.rate BETWEEN min(own.rate) AND max(own.rate)`);

/** What is released of a dispute is worth what it was when it was held. */
const HELD = raw(`SELECT FROM entry_rates AS before WHERE (record_kind, key) = ('payment_intent', '${heldKey}')
  AND before.entry_id = corrects AND (before.asset_code, before.currency, before.rate) = (valued.asset_code, valued.currency, valued.rate)`);

/**
 * Names entries of open months with a rate that nobody gave, that the service did not show within the day before, and that is not
 * that of what was placed. Those that are valued by their own payment: `verifyPaymentRates`. `month`: entries of it alone; null: of all.
 */
export async function verifyRates(db: Knex, reportFinding: ReportFinding, month: string | null): Promise<void> {
  const rows = await rowsOf<PostedRate>(db)`
    SELECT ${POSTED} FROM ${STANDING} AND (${month}::text IS NULL OR month = ${month}::text) AND NOT EXISTS (${GIVEN}) AND NOT EXISTS (${HELD})
      AND CASE WHEN valued.asset_code = currency THEN rate <> 1
        WHEN record_kind = 'placement' THEN NOT EXISTS (${CARRIED})
        WHEN source = 'service' THEN currency <> 'USD' OR rate_at > at OR rate_at < at - interval '1 day' OR NOT EXISTS (${SHOWN})
        ELSE source = 'file' OR record_kind <> 'payment_intent' END
    ORDER BY entry_id, valued.asset_code LIMIT ${NAMED}`;
  for (const row of rows) reportFinding(rateFinding(row));
}

/** The same of entries that are valued at a rate that the service is said to have shown, and that no change of the balance of the asset shows. */
export async function verifyShownRates(db: Knex, reportFinding: ReportFinding, month: string | null): Promise<void> {
  const rows = await rowsOf<PostedRate>(db)`
    WITH used AS MATERIALIZED (
      SELECT ${POSTED}, entry_id, valued.asset_code, rate AS price, rate_at FROM ${STANDING} AND (${month}::text IS NULL OR month = ${month}::text)
        AND source = 'service' AND valued.asset_code <> currency AND record_kind <> 'placement' AND NOT EXISTS (${GIVEN}) AND NOT EXISTS (${HELD})
    ), shown AS MATERIALIZED (${PRICES})
    SELECT entry, "recordId", "assetCode", currency, rate FROM used WHERE NOT EXISTS (
      SELECT FROM shown WHERE (shown.asset_code, shown.price) = (used.asset_code, used.price)
        AND begun <= rate_at + interval '1 ms' AND ended > rate_at - interval '1 ms')
    ORDER BY entry_id, asset_code LIMIT ${NAMED}`;
  for (const row of rows) reportFinding(rateFinding(row));
}

/** As what decides the rate stood when the entry was posted: where that changed since, it is not known any more. */
const AS_POSTED =
  raw(`NOT EXISTS (SELECT FROM changes WHERE entity_kind = 'payment_intent' AND entity_id = record_id AND changed_at > posted_at
  AND field IN ('amountRequested', 'amountCryptoExpected', 'currencyRequested', 'requestedCurrencyType', 'assetCode', 'createdAt'))`);

/** The same of entries of these payments that are valued by what the payment itself says. */
export async function verifyPaymentRates(
  db: Knex,
  payments: ReadonlyMap<string, JsonObject | null>,
  reportFinding: ReportFinding,
): Promise<void> {
  const rows = await rowsOf<PostedRate>(db)`
    SELECT ${POSTED} FROM ${STANDING} AND record_kind = 'payment_intent' AND record_id = ANY (${[...payments.keys()]}::text[])
      AND source = 'payment' AND valued.asset_code <> currency AND ${AS_POSTED} AND NOT EXISTS (${HELD}) ORDER BY entry_id`;
  for (const row of rows) {
    const own = rateOfPayment(payments.get(row.recordId) ?? {}, row.assetCode, row.currency);
    if (own?.rate == null || compareAmounts(own.rate, row.rate) !== 0) reportFinding(rateFinding(row));
  }
}

function rateFinding({ entry, rate, currency, assetCode }: PostedRate) {
  const message = `entry ${entry} is valued at ${rate} ${currency} for one ${assetCode}, which nobody gave and nothing showed`;
  return findingOf('entry_differs', message, { log: 'entry_rates', from: entry, rows: 1 });
}
