import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';
import { raw, rowsOf, run, type Trx } from '../database/statements.js';

/** A month of the books, and what belongs to it beside what is booked in it. */
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

/** What stands beside the `:names` of a query. */
export type Named = Readonly<Record<string, Knex.RawBinding>>;

/** One record at a time, in an order that is always the same. */
export async function* monthRows(trx: Trx, sql: string, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  yield* rowsInParts<MonthRow>(trx, sql, await namedIn(trx, about));
}

/** The names that the queries of a month know. */
export async function namedIn(trx: Trx, about: MonthQuery): Promise<Named> {
  return { ...about, refundWords: textArray(about.refundWords), ...(await spanOf(trx, about.month)) };
}

/**
 * Rows of a table by their key, looked up one by one, so that a month costs what is in it. Left to itself, the planner takes a
 * month for so large a share of a table that it reads all that there ever was.
 */
export function lookedUp(table: string, column: string, key: string): string {
  return `LATERAL (SELECT * FROM ${table} WHERE ${table}.${column} = ${key} OFFSET 0) AS ${table}`;
}

const LINE = 'record_kind, record_id, date, entry_id, line, account, entry_lines.asset_code, amount, memo, rate';

const RATE_LOOKED_UP = `LATERAL (
    SELECT CASE WHEN currency = :currency THEN entry_rates.rate END AS rate FROM entry_rates
    WHERE entry_rates.entry_id = entry_lines.entry_id AND entry_rates.asset_code = entry_lines.asset_code
    ORDER BY id DESC LIMIT 1
  ) AS valued`;

/** Lines that are posted in the month, each with its rate where that is of the currency: for those of few of its entries. */
export const linesOfFew = `SELECT ${LINE}
  FROM entries CROSS JOIN ${lookedUp('entry_lines', 'entry_id', 'entries.id')} LEFT JOIN ${RATE_LOOKED_UP} ON true
  WHERE month = :month`;

/**
 * Of the ids of the month's entries, given as numbers: from them the database knows how many there are. All is read in the order
 * of keys, and nothing is sorted.
 */
const SPAN = 'BETWEEN :first AND :last';

/** The lines of the span's entries. */
export const SPANNED_LINES = `(SELECT * FROM entry_lines WHERE entry_id ${SPAN} ORDER BY entry_id, line OFFSET 0) AS entry_lines`;

/** The newest rate of each asset of the span's entries, all read in one go: looked up one by one they took as long as all the rest. */
export function spannedRates(columns: string): string {
  return `(
    SELECT DISTINCT ON (entry_id, asset_code) entry_id, asset_code, ${columns}
    FROM entry_rates WHERE entry_id ${SPAN} ORDER BY entry_id, asset_code, id DESC
  ) AS valued`;
}

/** The same, for those of most entries: all is read in the order of keys. */
export const linesOfMost = `SELECT ${LINE}
  FROM ${SPANNED_LINES} JOIN entries ON entries.id = entry_id
    LEFT JOIN ${spannedRates('CASE WHEN currency = :currency THEN rate END AS rate')} USING (entry_id, asset_code)
  WHERE month = :month`;

/** The same, for few lines of any entry: only what is of them is looked up. */
export const fewLines = `SELECT ${LINE}
  FROM ${SPANNED_LINES} CROSS JOIN ${lookedUp('entries', 'id', 'entry_id')} LEFT JOIN ${RATE_LOOKED_UP} ON true
  WHERE month = :month`;

/** What an amount of lines is worth together; null where a rate is missing, and of nothing. */
export function worth(amount: string): string {
  return `CASE WHEN count(${amount}) FILTER (WHERE rate IS NULL) = 0 THEN sum(${amount} * rate) END`;
}

/** The ids between which the month's entries are; null: it has none. */
export async function spanOf(trx: Trx, month: string): Promise<{ first: string | null; last: string | null }> {
  const [span] = await rowsOf<{ first: string | null; last: string | null }>(trx)`
    SELECT min(id) AS first, max(id) AS last FROM entries WHERE month = ${month}`;
  return span ?? { first: null, last: null };
}

const AT_ONCE = 1_000;

/**
 * Rows of a query, a thousand at a time, by a cursor of this transaction: memory does not grow with their number. The next ones
 * are made while these are used.
 */
export async function* rowsInParts<T>(trx: Trx, sql: string, named: Named): AsyncGenerator<T[]> {
  const cursor = `rows_${randomBytes(6).toString('hex')}`;
  // All rows are wanted, not the first of them soon.
  await run(trx)`SET LOCAL cursor_tuple_fraction = 1`;
  await trx.raw(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, named);
  const fetched = () => {
    const part = rowsOf<T>(trx)`FETCH ${raw(AT_ONCE)} FROM ${raw(cursor)}`;
    // It may fail before it is waited for.
    part.catch(() => undefined);
    return part;
  };
  for (let next = fetched(); ; ) {
    const rows = await next;
    if (rows.length === AT_ONCE) next = fetched();
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) break;
  }
  await run(trx)`CLOSE ${raw(cursor)}`;
}
