import type { Knex } from 'knex';
import { firstDayAfter } from '../../domain/books/posting-month.js';
import type { KnownRates } from '../../domain/books/rate-means.js';
import type { GivenRate } from '../../domain/books/rates-file.js';
import { columnOf, exact, raw, rowsOf, type Sql, sql, tableOf, utc } from '../database/statements.js';
import { MAY_BE_VALUED } from './entry-rates.js';
import { lookedUp } from './month-query.js';

/** What is known beside each rate, in the order given. `given`: what finance gave last for that very day. */
export async function knownBeside(
  trx: Knex,
  rates: readonly Omit<GivenRate, 'line' | 'rate'>[],
  { timeZone }: { timeZone: string },
): Promise<(KnownRates & { given: string | null })[]> {
  const given = tableOf(
    'given',
    rates,
    {
      day: ['text', ({ date }) => date],
      asset: ['text', ({ assetCode }) => assetCode],
      money: ['text', ({ currency }) => currency],
    },
    'place',
  );
  const rows = await rowsOf<Beside>(trx)`
    SELECT trim_scale(last.rate)::text AS before, last.date::text AS since, trim_scale(booked.rate)::text AS payment,
           CASE WHEN money = 'USD' THEN trim_scale(seen.newest)::text END AS service, trim_scale(same.rate)::text AS given,
           trim_scale(paid.mean)::text AS mean, paid.payments, trim_scale(seen.mean)::text AS dollars
    FROM ${given}
    CROSS JOIN LATERAL (
      SELECT day::timestamp AT TIME ZONE ${timeZone} AS begun, (day::timestamp + interval '1 day') AT TIME ZONE ${timeZone} AS ended
    ) AS span
    LEFT JOIN LATERAL (
      SELECT rate FROM given_rates WHERE asset_code = asset AND currency = money AND date = day::date ORDER BY id DESC LIMIT 1
    ) AS same ON true
    LEFT JOIN LATERAL (
      SELECT rate, date FROM given_rates
      WHERE asset_code = asset AND currency = money AND date < day::date AND date >= day::date - 7
      ORDER BY date DESC, id DESC LIMIT 1
    ) AS last ON true
    LEFT JOIN (
      SELECT DISTINCT ON (entries.day, asset_code, currency) entries.day AS on_day, asset_code, currency, rate
      FROM entry_rates JOIN entries ON entries.id = entry_id
      WHERE source = 'payment' AND entries.day = ANY (${rates.map(({ date }) => date)}::date[])
      ORDER BY entries.day, asset_code, currency, entry_rates.id DESC
    ) AS booked ON on_day = given.day::date AND booked.asset_code = asset AND booked.currency = money
    LEFT JOIN LATERAL (${PAID_MEAN}) AS paid ON true
    CROSS JOIN LATERAL (
      SELECT round(avg(rate), 18) AS mean, (array_agg(rate ORDER BY seen_at DESC))[1] AS newest FROM (
        SELECT rate, seen_at FROM asset_rates
        WHERE asset_code = asset AND rate IS NOT NULL AND seen_at >= begun AND seen_at < ended ORDER BY seen_at DESC LIMIT ${SAMPLE}
      ) AS shown
    ) AS seen
    ORDER BY place`;
  return rows.map(({ before: rate, since: date, mean, payments, ...others }) => ({
    ...others,
    before: rate === null || date === null ? null : { rate, date },
    paid: mean === null || payments === null ? null : { mean, payments },
  }));
}

interface Beside extends Pick<KnownRates, 'payment' | 'service' | 'dollars'> {
  given: string | null;
  before: string | null;
  since: string | null;
  mean: string | null;
  payments: number | null;
}

/** So many of an asset's newest of a day are looked at, of payments and of the service's rates: a mean is no better of more. */
const SAMPLE = 100;

/** What payments of an asset that were made in a span were converted at, as `rateOfPayment` reads it of each. `shown` is JSON without white space. */
const PAID_MEAN = sql`
  SELECT round(avg(rate), 18) AS mean, count(*)::integer AS payments FROM (
    SELECT CASE WHEN currency_requested = money AND shown LIKE '%"requestedCurrencyType":"fiat"%'
      THEN round(amount_requested / nullif(substring(shown FROM '"amountCryptoExpected":"([0-9]+[.]{0,1}[0-9]*)"')::numeric, 0), 18) END AS rate
    FROM payment_intents WHERE asset_code = asset AND created_at >= begun AND created_at < ended AND known AND absent_since IS NULL
    ORDER BY created_at DESC, id DESC LIMIT ${SAMPLE}
  ) AS newest WHERE rate > 0 HAVING avg(rate) < 1e18`;

/** The newest rate that finance gave for each day of a month (YYYY-MM) on which an asset is booked. `line`: its id. */
export async function ratesInUse(db: Knex, month: string, currency: string): Promise<GivenRate[]> {
  return rowsOf<GivenRate>(db)`
    SELECT DISTINCT ON (given_rates.date, asset_code) given_rates.date::text AS date, asset_code AS "assetCode", currency,
           trim_scale(rate)::text AS rate, given_rates.id::float8 AS line
    FROM given_rates
    WHERE currency = ${currency} AND date >= ${`${month}-01`}::date AND date < ${firstDayAfter(month)}::date
      AND EXISTS (SELECT FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))}
        WHERE entries.day = given_rates.date AND month = ${month} AND entry_lines.asset_code = given_rates.asset_code)
    ORDER BY given_rates.date, asset_code, given_rates.id DESC`;
}

/** The months in which something of these days is booked. */
export async function monthsOfDays(trx: Knex, days: readonly { date: string }[]): Promise<string[]> {
  return columnOf<string>(trx)`
    SELECT DISTINCT month FROM entries WHERE day = ANY (${days.map(({ date }) => date)}::date[]) ORDER BY month`;
}

/** What is known of an asset on a day: the rate that finance gave, of which the newest counts, and what waits for one. */
export interface RateOfDay {
  /** YYYY-MM-DD. */
  date: string;
  assetCode: string;
  currency: string;
  /** Null: none was given, and lines wait for it. */
  rate: string | null;
  /** What was given for the day before it; null: nothing. */
  replaced: string | null;
  actor: string | null;
  /** ISO 8601 UTC. */
  givenAt: string | null;
  /** Lines of the books that a rate of this day would value, and the sum of their debits; null: none. */
  waiting: Waiting | null;
}

interface Waiting {
  lines: number;
  quantity: string;
}

/** Days of entries of a month (YYYY-MM) that wait for a rate, in order. */
export async function daysWithoutRate(
  db: Knex,
  { month, currency }: { month: string; currency: string },
): Promise<(Pick<RateOfDay, 'date' | 'assetCode'> & Waiting)[]> {
  return rowsOf<Pick<RateOfDay, 'date' | 'assetCode'> & Waiting>(db)`
    SELECT date::text AS date, asset_code AS "assetCode", lines, ${raw(exact('quantity'))} AS quantity
    FROM (${waitingLines(sql`month = ${month}`, currency)}) AS waiting ORDER BY waiting.date, asset_code COLLATE "C"`;
}

/** SQL of days and assets, of lines that a rate of their day would value. */
const waitingLines = (which: Sql, currency: string) => sql`
  SELECT entries.day AS date, entry_lines.asset_code, count(*)::integer AS lines, sum(greatest(amount, 0)) AS quantity
  FROM entries CROSS JOIN ${raw(lookedUp('entry_lines', 'entry_id', 'entries.id'))} CROSS JOIN LATERAL (
    SELECT rate FROM entry_rates WHERE entry_rates.entry_id = entries.id
      AND entry_rates.asset_code = entry_lines.asset_code AND entry_rates.currency = ${currency} ORDER BY id DESC LIMIT 1
  ) AS valued
  WHERE ${which} AND NOT memo AND valued.rate IS NULL AND ${MAY_BE_VALUED}
  GROUP BY entries.day, entry_lines.asset_code`;

/** Of each day and asset with a rate that was given, or with lines that wait for one, the newest day first; days are both included. */
export async function ratesByDay(
  db: Knex,
  { currency, asset, from, to }: { currency: string; asset?: string | undefined; from: string; to: string },
): Promise<RateOfDay[]> {
  return rowsOf<RateOfDay>(db)`
    SELECT date::text AS date, asset_code AS "assetCode", ${currency} AS currency, rate, replaced, actor, ${raw(utc('imported_at'))} AS "givenAt",
           CASE WHEN lines IS NOT NULL THEN jsonb_build_object('lines', lines, 'quantity', ${raw(exact('quantity'))}) END AS waiting
    FROM (
      SELECT DISTINCT ON (date, asset_code) date, asset_code, trim_scale(rate)::text AS rate, actor, imported_at,
             trim_scale(lag(rate) OVER (PARTITION BY date, asset_code ORDER BY id))::text AS replaced
      FROM given_rates
      WHERE currency = ${currency} AND date BETWEEN ${from}::date AND ${to}::date
      ORDER BY date, asset_code, id DESC
    ) AS newest FULL JOIN (${waitingLines(sql`entries.day BETWEEN ${from}::date AND ${to}::date`, currency)}) AS waiting USING (date, asset_code)
    WHERE asset_code = coalesce(${asset ?? null}::text, asset_code)
    ORDER BY date DESC, asset_code COLLATE "C"`;
}

/** Which of these assets the catalog, a balance, a movement or an entry was ever of. */
export async function seenAssets(db: Knex, codes: readonly string[]): Promise<Set<string>> {
  const rows = await rowsOf<{ code: string }>(db)`
    SELECT code FROM unnest(${codes}::text[]) AS asked (code)
    WHERE EXISTS (SELECT FROM assets WHERE id = code) OR EXISTS (SELECT FROM balances WHERE id = code)
      OR EXISTS (SELECT FROM movements WHERE asset_code = code)`;
  const seen = rows.map(({ code }) => code);
  // Most that are booked are among those; what only a memo names, such as gas, is not.
  const booked = await bookedAssets(
    db,
    codes.filter((code) => !seen.includes(code)),
  );
  return new Set([...seen, ...booked]);
}

async function bookedAssets(db: Knex, codes: readonly string[]): Promise<string[]> {
  if (codes.length === 0) return [];
  return columnOf<string>(db)`
    SELECT DISTINCT asset_code AS code FROM entry_lines WHERE asset_code = ANY (${codes}::text[])`;
}
