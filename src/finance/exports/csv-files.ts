import { nameIn } from '../../domain/books/chart.js';
import { snakeCase } from '../../domain/records.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { entryLines } from '../../records/books/entry-text.js';
import type { MonthRow } from '../../records/books/month-query.js';
import { accountNames, csvPlain, csvText, csvWord } from '../../records/books/row-text.js';
import {
  type ExportFile,
  type FileTable,
  givenTable,
  type MonthBooks,
  monthTables,
  monthValues,
} from './month-tables.js';
import { amount, type TableColumn, text, word } from './table-columns.js';

const ENTRY_COLUMNS =
  'entry,type,month,date,at,dated_by,adjusts,reverses,corrects,record_kind,record_id,key,version,description,sources,' +
  'observed_by,posted_at,line,account,name,asset,amount,memo,rate,rate_currency,rate_source,rate_at,value,unpriced';
const STATE_COLUMN = 'month_status';

const NAME = word('name', 'Name');
const TOTAL_COLUMNS = [
  word('account', 'Account'),
  NAME,
  text('asset', 'Asset'),
  amount('opening', 'Opening'),
  amount('activity', 'Activity'),
  amount('closing', 'Closing'),
];

/** A line of the file for each line of an entry; opening, activity and closing; what it was worth; and the month's records. */
export function csvFiles(books: MonthBooks): ExportFile[] {
  const { trx, month, chart, currency, standing } = books;
  const { state } = standing;
  const file = (of: string, head: string, lines: AsyncIterable<string>): ExportFile => ({
    name: `${month}-${of}.csv`,
    content: withHead(`${head},${STATE_COLUMN}`, lines),
  });
  const table = ({ name, columns, lines }: CsvTable, head = columns.map(({ key }) => snakeCase(key)).join(',')) =>
    file(name, head, lines('csv', csvLineOf(columns, state)));
  const totals = givenTable(trx, 'accounts', TOTAL_COLUMNS, () => totalRows(books));
  const values = givenTable(trx, 'values', [NAME, amount('value', 'Value')], () => valueRows(books));
  return [
    file('entries', ENTRY_COLUMNS, entryLines(trx, 'csv', { month, name: accountNames(chart), state })),
    table(totals),
    table(values, `name,value_${currency}`),
    ...monthTables(books).map((one) => table(one)),
  ];
}

type CsvTable = Omit<FileTable, 'name'> & { name: string };

async function* withHead(head: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${head}\r\n`;
  yield* lines;
}

const cellOf: Record<TableColumn['as'], (column: string) => string> = {
  text: csvText,
  word: csvWord,
  amount: csvPlain,
  quoted: csvPlain,
  value: csvPlain,
  time: csvPlain,
  date: csvPlain,
};

/** SQL of a line: the cells, and how final the month is. */
export function csvLineOf(columns: readonly TableColumn[], state: string): string {
  const cells = columns.map(({ key, as }) => cellOf[as](`"${key}"`));
  return `${cells.join(" || ',' || ")} || E',${state}\\r\\n'`;
}

async function totalRows({ trx, month, chart }: MonthBooks): Promise<MonthRow[]> {
  const totals = await accountTotals(trx, month);
  return totals.map(({ assetCode: asset, ...total }) => ({ ...total, asset, name: nameIn(chart, total.account) }));
}

async function valueRows(books: MonthBooks): Promise<MonthRow[]> {
  const { accounts, residual, total, unpriced } = await monthValues(books);
  return [
    ...accounts.map(({ account, value }) => ({ name: account, value })),
    { name: '(rounding)', value: residual },
    { name: '(total)', value: total },
    { name: '(lines without a rate)', value: String(unpriced) },
  ];
}
