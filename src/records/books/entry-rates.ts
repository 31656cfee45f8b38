import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import type { Carried, Rate, Valuation } from '../../domain/books/choose-rate.js';
import { heldKey } from '../../domain/books/entry.js';
import { firstDayAfter } from '../../domain/books/posting-month.js';
import type { GivenRate } from '../../domain/books/rates-file.js';
import {
  exact,
  milliseconds,
  raw,
  rowOf,
  rowsOf,
  run,
  sql,
  type Trx,
  tableOf,
  valueOf,
} from '../database/statements.js';
import { spannedRates, spanOf } from './month-query.js';
import { TRANSIT_KEY } from './openings.js';

/** An asset on a day of the books' zone, and the moment in ms. */
export interface WantedRate {
  assetCode: string;
  date: string;
  at: number;
}

/** What files of finance and the service say of each, in the order asked. */
export async function ratesKnown(
  trx: Knex,
  wanted: readonly WantedRate[],
  currency: string,
): Promise<{ file: Rate | null; service: Rate | null }[]> {
  if (wanted.length === 0) return [];
  const asked = tableOf(
    'wanted',
    wanted,
    {
      asset: ['text', ({ assetCode }) => assetCode],
      day: ['text', ({ date }) => date],
      ms: ['float8', ({ at }) => at],
    },
    'place',
  );
  const rows = await rowsOf<{ given: string | null; given_at: Date | null; seen: string | null; seen_at: Date | null }>(
    trx,
  )`
    SELECT trim_scale(given.rate)::text AS given, given.date AS given_at, trim_scale(seen.rate)::text AS seen, seen_at
    FROM ${asked}
    LEFT JOIN LATERAL (
      SELECT rate, date::timestamptz AS date FROM given_rates
      WHERE asset_code = asset AND currency = ${currency} AND date = day::date ORDER BY id DESC LIMIT 1
    ) AS given ON true
    LEFT JOIN LATERAL (
      SELECT rate, seen_at FROM asset_rates
      WHERE asset_code = asset AND seen_at <= to_timestamp(ms / 1000) ORDER BY seen_at DESC LIMIT 1
    ) AS seen ON true
    ORDER BY place`;
  return rows.map((row) => ({
    file: row.given_at === null ? null : { rate: row.given, at: row.given_at.getTime() },
    service: row.seen_at === null ? null : { rate: row.seen, at: row.seen_at.getTime() },
  }));
}

/**
 * What is in transit of an asset under each key (of a placing), without what has no rate row yet, in the order asked. Null: nothing is, or a
 * part of it has no rate in the currency.
 */
export async function carriedInTransit(
  trx: Knex,
  wanted: readonly { assetCode: string; key: string }[],
  currency: string,
): Promise<(Carried | null)[]> {
  if (wanted.length === 0) return [];
  const asked = tableOf(
    'wanted',
    wanted,
    { asset: ['text', ({ assetCode }) => assetCode], span: ['text', ({ key }) => key] },
    'place',
  );
  const rows = await rowsOf<{ carried: Carried | null }>(trx)`
    SELECT CASE WHEN whole THEN jsonb_build_object('amount', trim_scale(amount)::text, 'value', trim_scale(value)::text,
      'low', trim_scale(low)::text, 'high', trim_scale(high)::text, 'last', trim_scale(last)::text,
      'source', CASE WHEN given THEN 'file' ELSE 'service' END, 'at', ${raw(milliseconds('rated'))}) END AS carried
    FROM ${asked} LEFT JOIN LATERAL (
      SELECT sum(amount) AS amount, sum(amount * rate) AS value, min(rate) AS low, max(rate) AS high,
             (array_agg(rate ORDER BY entry_id DESC))[1] AS last, bool_and(source = 'file') AS given, max(rate_at) AS rated,
             count(*) = count(rate) AS whole
      FROM (
        SELECT id FROM entries WHERE record_kind = 'placement' AND record_id = asset AND key = span
        UNION ALL SELECT id FROM transit_days CROSS JOIN LATERAL (
          SELECT id FROM entries WHERE entries.day = transit_days.day AND entries.month = transit_days.month AND record_kind <> 'placement' OFFSET 0
        ) AS booked WHERE asset_code = asset AND ${raw(TRANSIT_KEY)} = span
      ) AS moved
      CROSS JOIN LATERAL (
        SELECT entry_id, amount FROM entry_lines WHERE entry_id = moved.id AND asset_code = asset AND account = ${accounts.payoutsInTransit} OFFSET 0
      ) AS lines
      CROSS JOIN LATERAL (
        SELECT CASE WHEN currency = ${currency} THEN rate END AS rate, source, rate_at FROM entry_rates
        WHERE entry_rates.entry_id = moved.id AND asset_code = asset ORDER BY id DESC LIMIT 1
      ) AS valued
      HAVING count(*) > 0
    ) AS carried ON true ORDER BY place`;
  return rows.map(({ carried }) => carried);
}

export interface DayRate {
  /** YYYY-MM-DD. */
  date: string;
  assetCode: string;
  rate: string;
}

/** One rate of each asset for a day of the month (YYYY-MM): that of finance's file, else that of the last entry of the day. */
export async function dayRates(trx: Trx, month: string, currency: string): Promise<DayRate[]> {
  const { rows } = await trx.raw<{ rows: DayRate[] }>(
    `SELECT DISTINCT ON (day, asset_code) day::text AS date, asset_code AS "assetCode", ${exact('rate')} AS rate
     FROM (
       SELECT date AS day, asset_code, rate, 0 AS rank, NULL::timestamptz AS at, id FROM given_rates
       WHERE currency = :currency AND date >= CAST(:fromDay AS date) AND date < CAST(:nextDay AS date)
       UNION ALL
       SELECT day, asset_code, rate, 1, at, entry_id
       FROM ${spannedRates('rate, currency')} JOIN entries ON entries.id = entry_id
       WHERE month = :month AND currency = :currency AND rate IS NOT NULL
         AND day >= CAST(:fromDay AS date) AND day < CAST(:nextDay AS date)
     ) AS known
     WHERE asset_code <> :currency
     ORDER BY day, asset_code, rank, at DESC, id DESC`,
    { month, currency, fromDay: `${month}-01`, nextDay: firstDayAfter(month), ...(await spanOf(trx, month)) },
  );
  return rows;
}

export interface NewRate {
  entryId: string;
  assetCode: string;
  currency: string;
  valuation: Valuation;
}

export async function appendRates(trx: Trx, rates: readonly NewRate[]): Promise<void> {
  if (rates.length === 0) return;
  const given = tableOf('new', rates, {
    entry: ['text', ({ entryId }) => entryId],
    asset: ['text', ({ assetCode }) => assetCode],
    currency: 'text',
    rate: ['text', ({ valuation }) => valuation.rate],
    source: ['text', ({ valuation }) => valuation.source],
    at: ['float8', ({ valuation }) => valuation.rateAt],
    reason: ['text', ({ valuation }) => valuation.reason],
  });
  await run(trx)`
    INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at, reason)
    SELECT entry::bigint, asset, currency, rate::numeric, source, to_timestamp(at / 1000), reason
    FROM ${given}`;
}

/** What reverses or rebooks another entry is worth what that is. */
export async function copyRates(trx: Trx, pairs: readonly { from: string; to: string }[]): Promise<void> {
  if (pairs.length === 0) return;
  await run(trx)`
    INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at, reason)
    SELECT DISTINCT ON (other, asset_code) other::bigint, asset_code, currency, rate, source, rate_at, reason
    FROM ${tableOf('pair', pairs, { one: ['text', ({ from }) => from], other: ['text', ({ to }) => to] })}
      JOIN entry_rates ON entry_id = one::bigint
    ORDER BY other, asset_code, id DESC`;
}

/** At which rate an attribution stands in the books; null: it is not posted yet, or without a value. */
export const attributedRate = (db: Knex, id: string, currency: string) =>
  valueOf<string | null>(db)`
    SELECT (SELECT ${raw(exact('rate'))} FROM entries JOIN entry_rates ON entry_id = entries.id
      WHERE record_kind = 'attribution' AND record_id = ${id} AND currency = ${currency}
      ORDER BY version DESC, entry_rates.id DESC LIMIT 1) AS rate`;

/**
 * SQL of an entry: whether a rate that is given now may value it. What a closed month has keeps its value; so does what is rebooked as a
 * whole, and what is released of what a closed month holds.
 */
export const MAY_BE_VALUED = sql`
  NOT EXISTS (SELECT FROM periods WHERE status = 'closed' AND periods.month IN (entries.month,
    (SELECT month FROM entries AS original WHERE original.id = entries.reverses)))
  AND (record_kind <> 'attribution' AND (record_kind, key) <> ('payment_intent', ${heldKey})
    OR NOT EXISTS (SELECT FROM entries AS own JOIN periods ON periods.month = own.month WHERE own.record_kind = entries.record_kind
      AND own.record_id = entries.record_id AND own.key = entries.key AND own.day = entries.day AND status = 'closed'))`;

/** Keeps the rates of a file and values anew what it speaks of, in open months. Returns how many entries that were. */
export async function importRates(
  trx: Trx,
  rates: readonly GivenRate[],
  { actor, fileHash }: { actor: string; fileHash: string },
): Promise<{ valued: number }> {
  const given = tableOf('given', rates, {
    date: 'text',
    asset: ['text', ({ assetCode }) => assetCode],
    currency: 'text',
    rate: 'text',
  });
  await run(trx)`
    INSERT INTO given_rates (date, asset_code, currency, rate, file_hash, actor)
    SELECT date::date, asset, currency, rate::numeric, ${fileHash}, ${actor} FROM ${given}`;
  return rowOf<{ valued: number }>(trx)`
    WITH given AS (
      SELECT date::date AS date, asset, currency, rate::numeric AS rate FROM ${given}
    ), newest AS (
      SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, entry_rates.currency, given.rate, given.date,
             entry_rates.rate AS before, source
      FROM given JOIN entry_rates ON entry_rates.asset_code = asset AND entry_rates.currency = given.currency
        JOIN entries ON entries.id = entry_id AND given.date = entries.day
      WHERE ${MAY_BE_VALUED}
      ORDER BY entry_id, asset_code, entry_rates.id DESC
    ), valued AS (
      INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
      SELECT entry_id, asset_code, currency, rate, 'file', date::timestamptz FROM newest
      WHERE before IS DISTINCT FROM rate OR source <> 'file' RETURNING entry_id
    )
    SELECT count(DISTINCT entry_id)::integer AS valued FROM valued`;
}
