import type { Knex } from 'knex';
import { exact, rowsInParts, utc } from './month-query.js';

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
