import { nameIn } from '../../../domain/books/chart.js';
import { lastDayOf } from '../../../domain/books/posting-month.js';
import { accountTotals } from '../../../records/books/account-totals.js';
import { type MonthBooks, monthValues } from '../month-tables.js';
import { amountCell, type Cell, rowXml, sheetEnd, sheetHead, textCell, valueCell } from './cells.js';
import type { SheetSum } from './sheet-sums.js';
import { titleOf } from './table-sheets.js';

const TITLE_HEIGHT = 26;
const WIDTHS = [46, 46, 16, 22, 22, 22, 30, 30, 30];

type Row = readonly Cell[];

/** What the month comes to, and how to read it. */
export async function* summarySheet(books: MonthBooks, sums: readonly SheetSum[]): AsyncGenerator<string> {
  const { month, timeZone, currency, standing } = books;
  const rows: Row[] = [
    [textCell(`Books of ${month}: ${standing.state}`, 'title')],
    ...standing.notes.map((note) => [textCell(note, 'note')]),
    [textCell(`${month}-01 to ${lastDayOf(month)}, by the days of ${timeZone}. Values are in ${currency}.`, 'note')],
    [
      textCell(
        'A number in a table program has 15 digits. One that has more is marked ≈. The exact amount stands behind it as text.',
        'note',
      ),
    ],
    [],
    ...(await accountRows(books)),
    [],
    ...(await valueRows(books)),
    [],
  ];
  yield sheetHead({ widths: WIDTHS, frozen: null, isFirst: true });
  yield rows.map((row, n) => (n === 0 ? rowXml(row, 1, TITLE_HEIGHT) : rowXml(row, n + 1))).join('');
  yield sumRows(sums, rows.length)
    .map((row, n) => rowXml(row, rows.length + n + 1))
    .join('');
  yield sheetEnd(null);
}

async function accountRows({ trx, month, chart }: MonthBooks): Promise<Row[]> {
  const heads = ['Opening', 'Activity', 'Closing'];
  return [
    [textCell('Accounts', 'section')],
    headRow(['Account', 'Name', 'Asset'], [...heads, ...heads.map((head) => `${head}, exact`)]),
    ...(await accountTotals(trx, month)).map(({ account, assetCode, opening, activity, closing }) => [
      textCell(account),
      textCell(nameIn(chart, account)),
      textCell(assetCode),
      ...[opening, activity, closing].map(amountCell),
      ...[opening, activity, closing].map((amount) => textCell(amount, 'exact')),
    ]),
  ];
}

async function valueRows(books: MonthBooks): Promise<Row[]> {
  const { accounts, residual, total, unpriced } = await monthValues(books);
  const row = (name: string, value: string): Row => [textCell(name), null, null, valueCell(value)];
  return [
    [textCell(`What the month’s activity was worth, in ${books.currency}`, 'section')],
    headRow(['Name', '', ''], ['Value']),
    ...accounts.map(({ account, value }) => row(account, value)),
    row('(rounding)', residual),
    row('(total)', total),
    [textCell('(lines without a rate)'), null, null, { is: 'number', digits: String(unpriced), style: 'text' }],
  ];
}

/** @param above rows that stand before these */
function sumRows(sums: readonly SheetSum[], above: number): Row[] {
  const first = above + 3;
  return [
    [textCell('Sums of the sheets', 'section')],
    headRow(['Sheet', 'Column', 'Asset'], ['Our sum', 'Summed up here', '', 'Our sum, exact']),
    ...sums.map(
      ({ table, label, asset, sum, formula }, n): Row => [
        textCell(titleOf(table)),
        textCell(label),
        textCell(asset),
        amountCell(sum),
        { is: 'formula', formula: formula(`$C${first + n}`), style: 'amount' },
        null,
        textCell(sum, 'exact'),
      ],
    ),
  ];
}

function headRow(words: readonly string[], numbers: readonly string[]): Row {
  return [...words.map((word) => textCell(word, 'head')), ...numbers.map((number) => textCell(number, 'headEnd'))];
}
