import type { Knex } from 'knex';
import { grouped } from '../../domain/grouped.js';
import { sumAmounts } from '../../domain/money.js';
import { exact, inTransaction, raw, rowsOf, run, tableOf } from '../database/statements.js';

/** What may be done with the goods of what was paid: they may go out; not yet; it is no order's, or the order is over. */
export type PaidFor = 'released' | 'waiting' | 'other';
/** Each from 00:00 UTC to the time of day that it is now; and how many days ago it is. */
const comparedDays = { today: 0, yesterday: 1, lastWeek: 7 } as const;
type ComparedDay = keyof typeof comparedDays;

/** Money of one asset in one of these days: decimal strings, zero where there is none. */
export interface MoneySums extends Record<PaidFor, string> {
  /** For payments, as confirmed payins show it, before the service's fee. */
  received: string;
  /** In refunds that were made then, whenever their money came in. */
  returned: string;
}

/** What came in within one hour of today. */
export interface HourMoney {
  hour: number;
  payments: Record<PaidFor, number>;
  received: { currency: string; amount: string }[];
}

export interface DayMoney {
  at: Date;
  assets: (Record<ComparedDay, MoneySums> & { assetCode: string })[];
  hours: HourMoney[];
}

interface Row {
  day: ComparedDay;
  hour: number;
  assetCode: string;
  paidFor: PaidFor;
  payments: number;
  received: string | null;
  returned: string | null;
}

const DAY_MS = 86_400_000;

/** A payin that counts: confirmed, as the service itself shows it, and of a payment. `shown` is JSON without white space. */
const CAME = `status = 'confirmed' AND verified AND NOT doubted AND absent_since IS NULL AND payment_intent_id IS NOT NULL`;
const GROSS = `substring(shown FROM '"amountGross":"([0-9]+[.]{0,1}[0-9]*)"')::numeric`;

/**
 * Of payins and refunds by when the service made them. All is looked up by keys: what it costs grows with three days, not with
 * what there is. `refundWords`: what the service calls a payout that is a refund, in lower case.
 */
export async function loadDayMoney(db: Knex, at: Date, refundWords: readonly string[]): Promise<DayMoney> {
  const midnight = Math.floor(at.getTime() / DAY_MS) * DAY_MS;
  const days = Object.entries(comparedDays).map(([day, ago]) => ({
    day,
    begun: new Date(midnight - ago * DAY_MS).toISOString(),
    ended: new Date(at.getTime() - ago * DAY_MS).toISOString(),
  }));
  const rows = await inTransaction(db, false, async (trx) => {
    // Made for few rows of each key: compiling it would take longer.
    await run(trx)`SET LOCAL jit = off`;
    return rowsOf<Row>(trx)`
    SELECT day, hour, "assetCode", "paidFor", count(DISTINCT payment)::integer AS payments,
           ${raw(exact('sum(received)'))} AS received, ${raw(exact('sum(returned)'))} AS returned
    FROM ${tableOf('days', days, { day: 'text', begun: 'timestamptz', ended: 'timestamptz' })}
    CROSS JOIN LATERAL (
      SELECT created_at, asset_code AS "assetCode", payment_intent_id AS payment, received, NULL::numeric AS returned,
             CASE WHEN status IS NULL OR status = 'refunded' THEN 'other' WHEN release_safe THEN 'released' ELSE 'waiting' END AS "paidFor"
      FROM (
        SELECT created_at, asset_code, payment_intent_id, ${raw(GROSS)} AS received FROM payins
        WHERE created_at >= begun AND created_at < ended AND ${raw(CAME)} OFFSET 0
      ) AS came
      -- Most payments carry the reference themselves; the view, which costs more, also knows those of invoices.
      LEFT JOIN LATERAL (
        SELECT status, release_safe FROM orders WHERE status <> 'shared_reference' AND reference = coalesce(
          (SELECT merchant_reference FROM payment_intents WHERE id = payment_intent_id AND merchant_reference <> ''),
          (SELECT reference FROM payment_orders AS paid WHERE paid.payment_intent_id = came.payment_intent_id LIMIT 1)) OFFSET 0
      ) AS ordered ON true
      UNION ALL
      SELECT created_at, asset_code, NULL, NULL, amount, 'other' FROM payouts
      WHERE created_at >= begun AND created_at < ended AND status = 'confirmed' AND verified AND NOT doubted
        AND absent_since IS NULL AND lower(payout_type) = ANY (${refundWords}::text[])
    ) AS moved
    CROSS JOIN LATERAL (SELECT extract(hour FROM created_at AT TIME ZONE 'UTC')::integer AS hour) AS of
    WHERE "assetCode" IS NOT NULL
    GROUP BY day, hour, "assetCode", "paidFor" ORDER BY hour, "assetCode"`;
  });
  const byAsset = [...grouped(rows, ({ assetCode }) => assetCode)].sort(([a], [b]) => (a < b ? -1 : 1));
  const byHour = grouped(rows.filter(isOfToday), ({ hour }) => hour);
  return {
    at,
    assets: byAsset.map(([assetCode, own]) => ({ assetCode, ...eachDay(own) })),
    hours: Array.from({ length: at.getUTCHours() + 1 }, (_, hour) => hourOf(hour, byHour.get(hour) ?? [])),
  };
}

const isOfToday = ({ day }: Row): boolean => day === 'today';

function eachDay(rows: readonly Row[]): Record<ComparedDay, MoneySums> {
  const of = (day: ComparedDay) => sumsOf(rows.filter((row) => row.day === day));
  return { today: of('today'), yesterday: of('yesterday'), lastWeek: of('lastWeek') };
}

function sumsOf(rows: readonly Row[]): MoneySums {
  const received = (some: readonly Row[]) => sumAmounts(some.flatMap((row) => row.received ?? []));
  const of = (state: PaidFor) => received(rows.filter(({ paidFor }) => paidFor === state));
  return {
    received: received(rows),
    returned: sumAmounts(rows.flatMap((row) => row.returned ?? [])),
    released: of('released'),
    waiting: of('waiting'),
    other: of('other'),
  };
}

function hourOf(hour: number, rows: readonly Row[]): HourMoney {
  const payments = (state: PaidFor) => rows.reduce((sum, row) => sum + (row.paidFor === state ? row.payments : 0), 0);
  const received = [...grouped(rows, ({ assetCode }) => assetCode)].map(([currency, own]) => {
    return { currency, amount: sumsOf(own).received };
  });
  return {
    hour,
    payments: { released: payments('released'), waiting: payments('waiting'), other: payments('other') },
    received: received.filter(({ amount }) => amount !== '0'),
  };
}
