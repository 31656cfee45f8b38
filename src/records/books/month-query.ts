import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import { raw, rowsOf, run } from '../database/statements.js';

/** A month of the books, and what is reckoned to it beside what is booked in it. */
export interface MonthQuery {
  /** YYYY-MM. */
  month: string;
  /** What the service made from here on … */
  from: Date;
  /** … and before this. */
  to: Date;
  /** In which values are given. */
  currency: string;
  /** What the service calls a payout that is a refund, in lower case. */
  refundWords: readonly string[];
}

/** Amounts are decimal strings, times ISO 8601 UTC; null: not known, or there is none. */
export type MonthRow = Readonly<Record<string, string | null>>;

/** One record at a time, in an order that is always the same. */
export async function* monthRows(trx: Knex.Transaction, sql: string, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  const refundWords = textArray(about.refundWords);
  for await (const rows of rowsInParts<MonthRow>(trx, sql, { ...about, refundWords })) yield rows;
}

/** A time as text. */
export function utc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** An exact number as text. */
export function exact(expression: string): string {
  return `trim_scale(${expression})::text`;
}

/**
 * Rows of a table by their key, looked up one by one, so that a month costs what is in it. Left to itself, the planner takes a
 * month for so large a share of a table that it reads all that there ever was.
 */
export function lookedUp(table: string, column: string, key: string): string {
  return `LATERAL (SELECT * FROM ${table} WHERE ${table}.${column} = ${key} OFFSET 0) AS ${table}`;
}

/** Lines that are posted in the month, each with its rate where that is of the currency. */
export const bookedLines = `SELECT record_kind, record_id, date, entry_id, line, account, entry_lines.asset_code, amount, memo, rate
  FROM entries CROSS JOIN ${lookedUp('entry_lines', 'entry_id', 'entries.id')} LEFT JOIN LATERAL (
    SELECT CASE WHEN currency = :currency THEN entry_rates.rate END AS rate FROM entry_rates
    WHERE entry_rates.entry_id = entry_lines.entry_id AND entry_rates.asset_code = entry_lines.asset_code
    ORDER BY id DESC LIMIT 1
  ) AS valued ON true
  WHERE month = :month`;

/** What lines are worth together; null where a rate is missing. */
export function worth(filter: string, sign: '' | '-' = ''): string {
  return `CASE WHEN count(*) FILTER (WHERE (${filter}) AND rate IS NULL) = 0
               THEN ${sign}sum(amount * rate) FILTER (WHERE ${filter}) END`;
}

const AT_ONCE = 1_000;

/** What stands beside the `:names` of a query. */
type Named = Readonly<Record<string, Knex.RawBinding>>;

/** Rows of a query, a thousand at a time, by a cursor of this transaction: memory does not grow with their number. */
async function* rowsInParts<T>(trx: Knex.Transaction, sql: string, named: Named): AsyncGenerator<T[]> {
  const cursor = `rows_${randomBytes(6).toString('hex')}`;
  // All rows are wanted, not the first of them soon.
  await run(trx)`SET LOCAL cursor_tuple_fraction = 1`;
  await trx.raw(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, named);
  for (;;) {
    const rows = await rowsOf<T>(trx)`FETCH ${raw(AT_ONCE)} FROM ${raw(cursor)}`;
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) break;
  }
  await run(trx)`CLOSE ${raw(cursor)}`;
}

interface Columns {
  /** Of each line. */
  line: string;
  /** By name; null but in the first line of an entry. */
  entry: Readonly<Record<string, string>>;
}

/** Of a line: its newest rate and what it was worth, exact. */
export const RATED = [exact('rate'), 'currency', 'source', utc('rate_at'), exact('amount * rate')] as const;

/** Several of our own words in one column: a column costs more than its characters. What is null is empty. */
export function together(separator: string, expressions: readonly string[]): string {
  return `concat(${expressions.join(`, '${separator}', `)})`;
}

/**
 * Each line that is posted in a month, by entry. All is read in the order of keys, nothing is sorted: the span of the month's
 * entries, given as numbers, lets the database choose so. Rates are read in one go; one by one took as long as all the rest.
 */
export async function* monthLines<T>(trx: Knex.Transaction, month: string, columns: Columns): AsyncGenerator<T[]> {
  const span = await trx('entries').where({ month }).min({ first: 'id' }).max({ last: 'id' }).first();
  if (span === undefined || span.first === null) return;
  yield* rowsInParts<T>(trx, sqlOf(columns), { month, first: span.first, last: span.last });
}

const sqlOf = ({ line, entry }: Columns): string => `
  SELECT ${line}, ${Object.entries(entry)
    .map(([name, expression]) => `CASE WHEN before IS NULL THEN ${expression} END AS ${name}`)
    .join(', ')}
  FROM (
    SELECT entry_lines.*, lag(line) OVER (PARTITION BY entry_id ORDER BY line) AS before
    FROM entry_lines WHERE entry_id BETWEEN :first AND :last
  ) AS entry_lines JOIN entries ON entries.id = entry_id LEFT JOIN (
    SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, rate, currency, source, rate_at, reason
    FROM entry_rates WHERE entry_id BETWEEN :first AND :last ORDER BY entry_id, asset_code, id DESC
  ) AS valued USING (entry_id, asset_code)
  WHERE month = :month ORDER BY entry_id, line`;
