import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { grouped } from '../../domain/grouped.js';
import { sumAmounts } from '../../domain/money.js';
import { exact, raw, rowsOf, tableOf } from '../database/statements.js';

/** What may be done with the goods of what was paid: they may go out; not yet; it is no order's, or the order is over. */
export type PaidFor = 'released' | 'waiting' | 'other';
/** Each from 00:00 UTC to the time of day that it is now; and how many days ago it is. */
const comparedDays = { today: 0, yesterday: 1, lastWeek: 7 } as const;
type ComparedDay = keyof typeof comparedDays;

/** Money of one asset in one of these days: decimal strings, zero where there is none. */
export interface MoneySums extends Record<PaidFor, string> {
  /** For payments, before the service's fee. */
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

/** As booked: entries follow the records within a minute. All is looked up by keys. */
export async function loadDayMoney(db: Knex, at: Date): Promise<DayMoney> {
  const midnight = Math.floor(at.getTime() / DAY_MS) * DAY_MS;
  const days = Object.entries(comparedDays).map(([day, ago]) => ({
    day,
    begun: new Date(midnight - ago * DAY_MS).toISOString(),
    ended: new Date(at.getTime() - ago * DAY_MS).toISOString(),
  }));
  const rows = await rowsOf<Row>(db)`
    SELECT day, hour, "assetCode", "paidFor", count(received)::integer AS payments,
           ${raw(exact('sum(received)'))} AS received, ${raw(exact('sum(returned)'))} AS returned
    FROM (
      SELECT days.day, extract(hour FROM at AT TIME ZONE 'UTC')::integer AS hour, line.asset_code AS "assetCode",
             CASE WHEN account = ${accounts.refunds} OR orders.status IS NULL THEN 'other' WHEN release_safe THEN 'released'
                  WHEN orders.status = 'refunded' THEN 'other' ELSE 'waiting' END AS "paidFor",
             -sum(amount) FILTER (WHERE account = ${accounts.payments}) AS received,
             sum(amount) FILTER (WHERE account = ${accounts.refunds}) AS returned
      FROM ${tableOf('days', days, { day: 'text', begun: 'timestamptz', ended: 'timestamptz' })}
      CROSS JOIN LATERAL (SELECT * FROM entries WHERE at >= begun AND at < ended OFFSET 0) AS entries
      CROSS JOIN LATERAL (SELECT * FROM entry_lines WHERE entry_id = entries.id OFFSET 0) AS line
      LEFT JOIN LATERAL (SELECT payment_intent_id FROM payins WHERE record_kind = 'payin' AND id = record_id OFFSET 0) AS payin ON true
      LEFT JOIN LATERAL (
        SELECT id FROM match_payments WHERE payment_id = coalesce(payin.payment_intent_id, record_id) AND kind = 'order' OFFSET 0
      ) AS counted ON true
      LEFT JOIN LATERAL (SELECT status, release_safe FROM orders WHERE reference = counted.id OFFSET 0) AS orders ON true
      WHERE account IN (${accounts.payments}, ${accounts.refunds}) AND NOT memo
      GROUP BY 1, 2, 3, 4, record_kind, record_id
    ) AS moved
    GROUP BY day, hour, "assetCode", "paidFor" ORDER BY hour, "assetCode"`;
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
