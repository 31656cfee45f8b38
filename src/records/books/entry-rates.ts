import type { Knex } from 'knex';
import type { Rate, Valuation } from '../../domain/books/choose-rate.js';
import type { GivenRate } from '../../domain/books/rates-file.js';
import { floatArray, textArray } from '../database/array-parameter.js';

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
  const { rows } = await trx.raw<{
    rows: { given: string | null; given_at: Date | null; seen: string | null; seen_at: Date | null }[];
  }>(
    `SELECT trim_scale(given.rate)::text AS given, given.date AS given_at, trim_scale(seen.rate)::text AS seen, seen_at
     FROM unnest(?::text[], ?::text[], ?::float8[]) WITH ORDINALITY AS wanted (asset, day, ms, place)
     LEFT JOIN LATERAL (
       SELECT rate, date::timestamptz AS date FROM given_rates
       WHERE asset_code = asset AND currency = ? AND date = day::date ORDER BY id DESC LIMIT 1
     ) AS given ON true
     LEFT JOIN LATERAL (
       SELECT rate, seen_at FROM asset_rates
       WHERE asset_code = asset AND seen_at <= to_timestamp(ms / 1000) ORDER BY seen_at DESC LIMIT 1
     ) AS seen ON true
     ORDER BY place`,
    [
      textArray(wanted.map(({ assetCode }) => assetCode)),
      textArray(wanted.map(({ date }) => date)),
      floatArray(wanted.map(({ at }) => at)),
      currency,
    ],
  );
  return rows.map((row) => ({
    file: row.given_at === null ? null : { rate: row.given, at: row.given_at.getTime() },
    service: row.seen_at === null ? null : { rate: row.seen, at: row.seen_at.getTime() },
  }));
}

export interface NewRate {
  entryId: string;
  assetCode: string;
  currency: string;
  valuation: Valuation;
}

export async function appendRates(trx: Knex.Transaction, rates: readonly NewRate[]): Promise<void> {
  if (rates.length === 0) return;
  const texts = (value: (rate: NewRate) => string | null) => textArray(rates.map(value));
  await trx.raw(
    `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at, reason)
     SELECT entry::bigint, asset, currency, rate::numeric, source, to_timestamp(at / 1000), reason
     FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::float8[], ?::text[])
       AS new (entry, asset, currency, rate, source, at, reason)`,
    [
      texts(({ entryId }) => entryId),
      texts(({ assetCode }) => assetCode),
      texts(({ currency }) => currency),
      texts(({ valuation }) => valuation.rate),
      texts(({ valuation }) => valuation.source),
      floatArray(rates.map(({ valuation }) => valuation.rateAt)),
      texts(({ valuation }) => valuation.reason),
    ],
  );
}

/** A reversal is worth what it reverses. */
export async function copyRates(trx: Knex.Transaction, pairs: readonly { from: string; to: string }[]): Promise<void> {
  if (pairs.length === 0) return;
  await trx.raw(
    `INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at, reason)
     SELECT DISTINCT ON (pair.other, asset_code)
            pair.other::bigint, asset_code, currency, rate, source, rate_at, reason
     FROM unnest(?::text[], ?::text[]) AS pair (one, other) JOIN entry_rates ON entry_id = pair.one::bigint
     ORDER BY pair.other, asset_code, id DESC`,
    [textArray(pairs.map(({ from }) => from)), textArray(pairs.map(({ to }) => to))],
  );
}

/** Keeps the rates of a file and values anew what it speaks of, in open months. Returns how many entries that were. */
export async function importRates(
  trx: Knex.Transaction,
  rates: readonly GivenRate[],
  { actor, fileHash }: { actor: string; fileHash: string },
): Promise<{ valued: number }> {
  const texts = (value: (rate: GivenRate) => string) => textArray(rates.map(value));
  const parameters = [
    texts(({ date }) => date),
    texts(({ assetCode }) => assetCode),
    texts(({ currency }) => currency),
    texts(({ rate }) => rate),
  ];
  await trx.raw(
    `INSERT INTO given_rates (date, asset_code, currency, rate, file_hash, actor)
     SELECT date::date, asset, currency, rate::numeric, ?, ?
     FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS given (date, asset, currency, rate)`,
    [fileHash, actor, ...parameters],
  );
  const { rows } = await trx.raw<{ rows: { count: string }[] }>(
    `WITH given AS (
       SELECT date::date AS date, asset, currency, rate::numeric AS rate
       FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS given (date, asset, currency, rate)
     ), newest AS (
       SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, entry_rates.currency, given.rate, given.date,
              entry_rates.rate AS before, source
       FROM given JOIN entry_rates ON entry_rates.asset_code = asset AND entry_rates.currency = given.currency
         JOIN entries ON entries.id = entry_id AND given.date = entries.day
       WHERE NOT EXISTS (SELECT FROM periods WHERE status = 'closed' AND periods.month IN (entries.month,
         (SELECT month FROM entries AS original WHERE original.id = entries.reverses)))
       ORDER BY entry_id, asset_code, entry_rates.id DESC
     ), valued AS (
       INSERT INTO entry_rates (entry_id, asset_code, currency, rate, source, rate_at)
       SELECT entry_id, asset_code, currency, rate, 'file', date::timestamptz FROM newest
       WHERE before IS DISTINCT FROM rate OR source <> 'file' RETURNING entry_id
     )
     SELECT count(DISTINCT entry_id) AS count FROM valued`,
    parameters,
  );
  return { valued: Number(rows[0]?.count ?? 0) };
}
