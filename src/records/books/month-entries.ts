import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { exact, rowOf, type Trx, tableOf, utc } from '../database/statements.js';
import { rowsInParts, SPANNED_LINES, spannedRates, spanOf } from './month-query.js';

/** An entry as a ledger writes it. */
export type LedgerEntry = Pick<
  EntryView,
  'id' | 'date' | 'description' | 'recordKind' | 'recordId' | 'at' | 'adjusts' | 'reverses' | 'corrects'
> & { lines: LedgerLine[] };

export type LedgerLine = Pick<EntryLineView, 'account' | 'amount' | 'memo' | 'assetCode'>;

/** The same with what its lines were worth. */
export type ValuedEntry = WithLines<LedgerValuedLine>;

/** `value`: exact, of the currency asked for; null with the reason: no rate is known. */
type LedgerValuedLine = LedgerLine & Pick<EntryLineView, 'rate' | 'unpriced'> & { value: string | null };

/** A line; the first of an entry describes the entry as well. */
interface Row {
  fields: string;
  asset_code: string;
  entry: string | null;
  record_id: string;
  description: string;
}

type WithLines<Line> = Omit<LedgerEntry, 'lines'> & { lines: Line[] };

/** The values are asked for only where a currency is named. */
interface ValuedRow extends Row {
  rate: string | null;
  value: string | null;
  reason: string | null;
}

/**
 * The entries of a month in the order of their posting, some at a time. Within one transaction of `repeatable read` it is one
 * moment of the books.
 */
export function entriesOfMonth(trx: Trx, month: string): AsyncGenerator<LedgerEntry[]> {
  return entriesOf<LedgerLine>(trx, queryOf(), { month, lineOf });
}

/** The same, valued in a currency. */
export function valuedEntries(trx: Trx, month: string, currency: string): AsyncGenerator<ValuedEntry[]> {
  return entriesOf<LedgerValuedLine>(trx, queryOf(currency), {
    month,
    currency,
    lineOf: (row) => ({ ...lineOf(row), rate: row.rate, value: row.value, unpriced: row.reason }),
  });
}

async function* entriesOf<Line>(
  trx: Trx,
  query: string,
  {
    month,
    currency = null,
    lineOf: toLine,
  }: { month: string; currency?: string | null; lineOf: (row: ValuedRow) => Line },
): AsyncGenerator<WithLines<Line>[]> {
  const named = { month, currency, ...(await spanOf(trx, month)) };
  let entry: WithLines<Line> | null = null;
  for await (const rows of rowsInParts<ValuedRow>(trx, query, named)) {
    const ended: WithLines<Line>[] = [];
    for (const row of rows) {
      if (row.entry !== null) {
        if (entry !== null) ended.push(entry);
        entry = { ...entryOf(row, row.entry), lines: [] };
      }
      entry?.lines.push(toLine(row));
    }
    yield ended;
  }
  if (entry !== null) yield [entry];
}

/** How many lines the month's entries have. */
export async function countLines(trx: Trx, month: string): Promise<number> {
  const { count } = await rowOf<{ count: number }>(trx)`
    SELECT count(*)::integer AS count FROM entry_lines JOIN entries ON entries.id = entry_id WHERE month = ${month}`;
  return count;
}

/** How many of the month's entries move something between accounts of one number alone. */
export async function entriesWithinOne(
  trx: Trx,
  month: string,
  numbered: readonly { account: string; number: string }[],
): Promise<number> {
  const { count } = await rowOf<{ count: number }>(trx)`
    SELECT count(*)::integer AS count FROM (
      SELECT FROM entries JOIN entry_lines ON entry_id = entries.id
      JOIN ${tableOf('numbered', numbered, { account: 'text', number: 'text' })} USING (account)
      WHERE month = ${month} AND NOT memo GROUP BY entry_id HAVING count(DISTINCT number) = 1) AS within`;
  return count;
}

/** What no text of others is part of comes in one piece, null as nothing: a column costs more than its characters. */
const together = (...expressions: readonly string[]): string => `concat(${expressions.join(", ',', ")})`;

const ENTRY = together('entries.id', 'date', 'record_kind', utc('at'), 'adjusts', 'reverses', 'corrects');

const VALUE = `, ${exact('rate')} AS rate, ${exact('amount * rate')} AS value, reason`;
const RATES = `LEFT JOIN ${spannedRates(
  "CASE WHEN currency = :currency THEN rate END AS rate, CASE WHEN currency = :currency THEN reason ELSE 'valued in ' || currency END AS reason",
)} USING (entry_id, asset_code)`;

/** `currency`: of the values; left out: none. */
const queryOf = (currency?: string): string => `
  SELECT ${together('account', exact('amount'), 'memo')} AS fields, asset_code${currency === undefined ? '' : VALUE},
         CASE WHEN before IS NULL THEN ${ENTRY} END AS entry, CASE WHEN before IS NULL THEN record_id END AS record_id,
         CASE WHEN before IS NULL THEN description END AS description
  FROM (
    SELECT *, lag(line) OVER (PARTITION BY entry_id ORDER BY line) AS before FROM ${SPANNED_LINES}
  ) AS entry_lines JOIN entries ON entries.id = entry_id ${currency === undefined ? '' : RATES}
  WHERE month = :month ORDER BY entry_id, line`;

function entryOf({ record_id: recordId, description }: Row, fields: string): Omit<LedgerEntry, 'lines'> {
  const [id = '', date = '', recordKind = '', at = '', adjusts, reverses, corrects] = fields.split(',');
  const others = { adjusts: adjusts || null, reverses: reverses || null, corrects: corrects || null };
  return { id, date, description, recordKind: recordKind as LedgerEntry['recordKind'], recordId, at, ...others };
}

function lineOf({ fields, asset_code: assetCode }: Row): LedgerLine {
  const [account = '', amount = '', memo] = fields.split(',');
  return { account, amount, memo: memo === 't', assetCode };
}
