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
export type Named = Readonly<Record<string, Knex.RawBinding>>;

/** Rows of a query, a thousand at a time, by a cursor of this transaction: memory does not grow with their number. */
export async function* rowsInParts<T>(trx: Knex.Transaction, sql: string, named: Named): AsyncGenerator<T[]> {
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
