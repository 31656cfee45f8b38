import type { Knex } from 'knex';
import { grouped } from '../../domain/grouped.js';
import { sumAmounts } from '../../domain/money.js';
import { columnOf, exact, raw, rowsOf, run, type Sql, sql, type Trx, tableOf } from '../database/statements.js';

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

/** What `money_sums` has: of payins what they may be used for, of payouts their type. */
interface Sum {
  hour: Date;
  assetCode: string;
  sort: string;
  payments: number;
  amount: string;
}

interface Span {
  begun: Date;
  ended: Date;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PAID_OUT = 'payout:';

/** A payin that counts: confirmed, as the service itself shows it, and of a payment. `shown` is JSON without white space. */
const CAME = `status = 'confirmed' AND verified AND NOT doubted AND absent_since IS NULL AND payment_intent_id IS NOT NULL`;
const GROSS = `substring(shown FROM '"amountGross":"([0-9]+[.]{0,1}[0-9]*)"')::numeric`;

/**
 * Of payins and refunds by when the service made them. Whole hours are added up once, and again where one of their records was saved
 * since (migration 0076); the hours that go on are read record by record. `refundWords`: what the service calls a payout that is a
 * refund, in lower case.
 */
export async function loadDayMoney(db: Knex, at: Date, refundWords: readonly string[]): Promise<DayMoney> {
  const midnight = Math.floor(at.getTime() / DAY_MS) * DAY_MS;
  const days = Object.entries(comparedDays).map(([day, ago]) => ({
    day: day as ComparedDay,
    begun: new Date(midnight - ago * DAY_MS),
    ended: new Date(at.getTime() - ago * DAY_MS),
  }));
  const sums = await db.transaction((trx) => sumsWithin(trx, days), { isolationLevel: 'repeatable read' });
  const rows = sums.flatMap(({ hour: begun, assetCode, sort, payments, amount }): Row[] => {
    const of = days.find((day) => begun >= day.begun && begun < day.ended);
    const isPaidOut = sort.startsWith(PAID_OUT);
    if (of === undefined || (isPaidOut && !refundWords.includes(sort.slice(PAID_OUT.length)))) return [];
    const own = { day: of.day, hour: (begun.getTime() - of.begun.getTime()) / HOUR_MS, assetCode, payments };
    return isPaidOut
      ? [{ ...own, paidFor: 'other', received: null, returned: amount }]
      : [{ ...own, paidFor: sort as PaidFor, received: amount, returned: null }];
  });
  const byAsset = [...grouped(rows, ({ assetCode }) => assetCode)].sort(([a], [b]) => (a < b ? -1 : 1));
  const byHour = grouped(rows.filter(isOfToday), ({ hour }) => hour);
  return {
    at,
    assets: byAsset.map(([assetCode, own]) => ({ assetCode, ...eachDay(own) })),
    hours: Array.from({ length: at.getUTCHours() + 1 }, (_, hour) => hourOf(hour, byHour.get(hour) ?? [])),
  };
}

/** So long a mark stands: what was saved beside it, and not seen by who saved it, is committed by then. */
const MARK_STANDS = '5 minutes';

/** One reader after the other, each with one view of all: sums that are older never come after newer ones. */
async function sumsWithin(trx: Trx, spans: readonly Span[]): Promise<Sum[]> {
  await run(trx)`LOCK TABLE money_known IN EXCLUSIVE MODE`;
  // Made for few rows of each key: compiling it would take longer.
  await run(trx)`SET LOCAL jit = off`;
  await run(trx)`DELETE FROM money_known USING money_marks WHERE money_known.hour = money_marks.hour`;
  await run(trx)`DELETE FROM money_marks WHERE at < now() - ${MARK_STANDS}::interval`;
  const whole = spans.flatMap(hoursOf);
  const parts = spans.map(({ begun, ended }) => {
    return { begun: new Date(Math.max(begun.getTime(), Math.floor(ended.getTime() / HOUR_MS) * HOUR_MS)), ended };
  });
  const hours = whole.map(({ begun }) => begun.toISOString());
  const known = await columnOf<Date>(trx)`SELECT hour FROM money_known WHERE hour = ANY (${hours}::timestamptz[])`;
  const isKnown = new Set(known.map((hour) => hour.getTime()));
  const missing = whole.filter(({ begun }) => !isKnown.has(begun.getTime()));
  const oldest = spans.reduce((first, { begun }) => (begun < first ? begun : first), new Date());
  if (missing.length > 0) await addUp(trx, missing, oldest);
  return rowsOf<Sum>(trx)`
    SELECT hour, asset_code AS "assetCode", sort, payments, ${raw(exact('amount'))} AS amount
    FROM (SELECT * FROM money_sums WHERE hour = ANY (${hours}::timestamptz[]) UNION ALL ${movedIn(parts)}) AS summed
    ORDER BY hour, asset_code, sort`;
}

/** What is older than the oldest is asked for no more. */
async function addUp(trx: Trx, missing: readonly Span[], oldest: Date): Promise<void> {
  const hours = missing.map(({ begun }) => begun.toISOString());
  await run(trx)`DELETE FROM money_sums WHERE hour = ANY (${hours}::timestamptz[]) OR hour < ${oldest}`;
  await run(trx)`DELETE FROM money_known WHERE hour < ${oldest}`;
  await run(trx)`INSERT INTO money_sums ${movedIn(missing)}`;
  await run(trx)`INSERT INTO money_known SELECT unnest(${hours}::timestamptz[])`;
}

/** Hours whose kept sums are not those of their records, though nothing is marked. */
export async function differingHours(db: Knex): Promise<Date[]> {
  const known = await columnOf<Date>(db)`
    SELECT hour FROM money_known WHERE NOT EXISTS (SELECT FROM money_marks WHERE money_marks.hour = money_known.hour) ORDER BY 1`;
  if (known.length === 0) return [];
  const kept = sql`SELECT * FROM money_sums WHERE hour = ANY (${known.map((hour) => hour.toISOString())}::timestamptz[])`;
  const moved = movedIn(known.map((begun) => ({ begun, ended: new Date(begun.getTime() + HOUR_MS) })));
  return columnOf<Date>(db)`
    SELECT DISTINCT hour FROM ((${kept} EXCEPT ALL ${moved}) UNION ALL (${moved} EXCEPT ALL ${kept})) AS differing ORDER BY 1`;
}

/** The whole hours of it. */
function hoursOf({ begun, ended }: Span): Span[] {
  const count = Math.floor((ended.getTime() - begun.getTime()) / HOUR_MS);
  const at = (n: number) => new Date(begun.getTime() + n * HOUR_MS);
  return Array.from({ length: count }, (_, n) => ({ begun: at(n), ended: at(n + 1) }));
}

/** SQL of what moved within each, none longer than an hour, record by record. All is looked up by keys. */
function movedIn(spans: readonly Span[]): Sql {
  const given = spans.map(({ begun, ended }) => ({ begun: begun.toISOString(), ended: ended.toISOString() }));
  return sql`
    SELECT begun AS hour, asset_code, sort, count(DISTINCT payment)::integer AS payments, coalesce(sum(amount), 0) AS amount
    FROM ${tableOf('spans', given, { begun: 'timestamptz', ended: 'timestamptz' })}
    CROSS JOIN LATERAL (
      SELECT asset_code, payment_intent_id AS payment, received AS amount,
             CASE WHEN status IS NULL OR status = 'refunded' THEN 'other' WHEN release_safe THEN 'released' ELSE 'waiting' END AS sort
      FROM (
        SELECT created_at, asset_code, payment_intent_id, ${raw(GROSS)} AS received FROM payins
        WHERE created_at >= begun AND created_at < ended AND ${raw(CAME)} OFFSET 0
      ) AS came
      -- Most payments carry the reference themselves; the view, which costs more, also knows those of invoices.
      LEFT JOIN LATERAL (
        SELECT status, release_safe FROM orders WHERE status <> 'shared_reference' AND reference = coalesce(
          (SELECT merchant_reference FROM payment_intents WHERE id = payment_intent_id AND merchant_reference <> ''),
          (SELECT min(reference) FROM payment_orders AS paid WHERE paid.payment_intent_id = came.payment_intent_id)) OFFSET 0
      ) AS ordered ON true
      UNION ALL
      SELECT asset_code, NULL, amount, ${PAID_OUT} || lower(coalesce(payout_type, '')) FROM payouts
      WHERE created_at >= begun AND created_at < ended AND status = 'confirmed' AND verified AND NOT doubted
        AND absent_since IS NULL
    ) AS moved
    WHERE asset_code IS NOT NULL
    GROUP BY begun, asset_code, sort`;
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
