import { nameIn } from '../../domain/books/chart.js';
import { snakeCase } from '../../domain/records.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { type TableEntry, tableLines } from '../../records/books/month-table.js';
import { type ExportFile, type MonthBooks, type MonthTable, monthTables, monthValues } from './month-tables.js';
import type { TableColumn } from './table-columns.js';

const COLUMNS = (
  'entry type month date at dated_by adjusts reverses corrects record_kind record_id key version description sources ' +
  'observed_by posted_at line account name asset amount memo rate rate_currency rate_source rate_at value unpriced'
).split(' ');

/** A line of the file for each line of an entry; opening, activity and closing; what it was worth; and the month's records. */
export function csvFiles(books: MonthBooks): ExportFile[] {
  return [
    { name: `${books.month}-entries.csv`, content: entryLines(books) },
    { name: `${books.month}-accounts.csv`, content: totalLines(books) },
    { name: `${books.month}-values.csv`, content: valueLines(books) },
    ...monthTables(books).map((table) => ({ name: `${books.month}-${table.name}.csv`, content: tableRows(table) })),
  ];
}

async function* entryLines({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  let [about, n] = ['', 0];
  for await (const lines of tableLines(trx, month)) {
    const texts = lines.map(({ entry, account, assetCode, valued, unpriced }) => {
      if (entry !== null) [about, n] = [aboutEntry(entry), 0];
      n += 1;
      return `${about},${n},${account},${nameIn(chart, account)},${textCell(assetCode)},${valued},${textCell(unpriced)}\r\n`;
    });
    yield texts.join('');
  }
}

function aboutEntry({ head, recordId, key, version, description, sources, observedBy, postedAt }: TableEntry): string {
  const record = `${textCell(recordId)},${textCell(key)},${version}`;
  return `${head},${record},${textCell(description)},${textCell(sources)},${textCell(observedBy)},${postedAt}`;
}

async function* totalLines({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  yield csvLine(['account', 'name', 'asset', 'opening', 'activity', 'closing']);
  for (const { account, assetCode, opening, activity, closing } of await accountTotals(trx, month))
    yield csvLine([account, nameIn(chart, account), { text: assetCode }, opening, activity, closing]);
}

async function* valueLines(books: MonthBooks): AsyncGenerator<string> {
  const { accounts, residual, total, unpriced } = await monthValues(books);
  yield csvLine(['name', `value_${books.currency}`]);
  for (const { account, value } of accounts) yield csvLine([account, value]);
  yield csvLine(['(rounding)', residual]);
  yield csvLine(['(total)', total]);
  yield csvLine(['(lines without a rate)', String(unpriced)]);
}

async function* tableRows({ columns, rows }: MonthTable): AsyncGenerator<string> {
  yield csvLine(columns.map(({ key }) => snakeCase(key)));
  for await (const part of rows())
    yield part.map((row) => csvLine(columns.map((column) => cellOf(column, row[column.key] ?? null)))).join('');
}

function cellOf({ as }: TableColumn, value: string | null): Cell {
  return as === 'text' && value !== null ? { text: value } : value;
}

/** One cell: a text that others wrote is marked as such, what is ours (an amount, a date) is given as it is. */
export type Cell = string | { text: string } | null;

/** A line by RFC 4180. Free text that a program for tables takes for a formula gets an apostrophe in front; -12.50 does not. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** One cell of a line, of a text that others wrote. */
function textCell(text: string | null): string {
  if (text === null) return '';
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? quoted(cell) : textCell(cell.text);
}

/** All that becomes one of the four in compatibility form, as some programs read it, behind whatever is not seen. */
const FORMULA = /^(?:[\s\p{C}\p{Z}]*[=+\-@＝＋－＠﹦﹢﹣﹫⁼⁺₌₊⩵⩶﬩]|[\t\r\n])/u;

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
