import { rowsOfReport } from '../../domain/books/carried-report.js';
import { nameIn } from '../../domain/books/chart.js';
import { snakeCase } from '../../domain/records.js';
import { entryLines } from '../../records/books/entry-text.js';
import type { MonthRow } from '../../records/books/month-query.js';
import { accountNames, csvPlain, csvText, csvWord } from '../../records/books/row-text.js';
import { allAccounts, monthValues } from './month-accounts.js';
import { type ExportFile, type FileTable, givenTable, type MonthBooks, monthTables } from './month-tables.js';
import { accountColumns, amount, type TableColumn, word } from './table-columns.js';

const ENTRY_COLUMNS =
  'entry,type,month,date,at,dated_by,adjusts,reverses,corrects,record_kind,record_id,key,version,description,sources,' +
  'observed_by,posted_at,line,account,name,asset,amount,memo,rate,rate_currency,rate_source,rate_at,value,unpriced';
const STATE_COLUMN = 'month_status';

const VALUE_COLUMNS = [
  word('name', 'Name'),
  amount('value', 'Value'),
  amount('opening', 'Opening'),
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
  const totals = givenTable(trx, 'accounts', accountColumns, () => accountRows(books));
  const values = givenTable(trx, 'values', VALUE_COLUMNS, () => valueRows(books));
  return [
    file('entries', ENTRY_COLUMNS, entryLines(trx, 'csv', { month, name: accountNames(chart), state })),
    table(totals),
    table(values, `name,value_${currency},opening_${currency},closing_${currency}`),
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

async function accountRows(books: MonthBooks): Promise<MonthRow[]> {
  const { trx, chart } = books;
  return (await allAccounts(trx, books)).map(({ assetCode: asset, unpriced, ...row }) => ({
    ...row,
    asset,
    name: nameIn(chart, row.account),
    unpriced: String(unpriced),
  }));
}

async function valueRows(books: MonthBooks): Promise<MonthRow[]> {
  const report = await monthValues(books.trx, books, books.chart);
  const [value = '', opening = '', closing = ''] = [report, report.opening, report.closing].map(({ unpriced }) =>
    String(unpriced),
  );
  return [...rowsOfReport(report), { name: '(lines without a rate)', value, opening, closing }];
}
