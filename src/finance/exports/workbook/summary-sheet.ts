import { rowsOfReport } from '../../../domain/books/carried-report.js';
import { nameIn } from '../../../domain/books/chart.js';
import { lastDayOf } from '../../../domain/books/posting-month.js';
import { allAccounts, monthValues } from '../month-accounts.js';
import type { MonthBooks } from '../month-tables.js';
import { amountCell, type Cell, HEAD_HEIGHT, rowXml, sheetEnd, sheetHead, textCell, valueCell } from './cells.js';
import type { SheetSum } from './sheet-sums.js';
import { titleOf } from './table-sheets.js';

const TITLE_HEIGHT = 26;
const WIDTHS = [46, 34, 16, 22, 22, 22, 26, 26, 26, 18, 18, 18];

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
  yield [...rows, ...sumRows(sums, rows.length)].map((row, n) => rowXml(row, n + 1, heightOf(row))).join('');
  yield sheetEnd(null);
}

function heightOf([first]: Row): number | undefined {
  return first?.style === 'title' ? TITLE_HEIGHT : first?.style === 'head' ? HEAD_HEIGHT : undefined;
}

const HEADS = ['Opening', 'Activity', 'Closing'];

async function accountRows(books: MonthBooks): Promise<Row[]> {
  const { trx, chart, currency } = books;
  const worth = [`Closing, in ${currency}`, 'At the last day’s rate', 'Rate difference, not posted'];
  return [
    [textCell('Accounts', 'section')],
    headRow(['Account', 'Name', 'Asset'], [...HEADS, ...HEADS.map((head) => `${head}, exact`), ...worth]),
    ...(await allAccounts(trx, books)).map(({ account, assetCode, opening, activity, closing, ...values }) => [
      textCell(account),
      textCell(nameIn(chart, account)),
      textCell(assetCode),
      ...[opening, activity, closing].map(amountCell),
      ...[opening, activity, closing].map((amount) => textCell(amount, 'exact')),
      ...[values.closingValue, values.endValue, values.rateDifference].map(valueCell),
    ]),
  ];
}

async function valueRows(books: MonthBooks): Promise<Row[]> {
  const report = await monthValues(books.trx, books, books.chart);
  return [
    [textCell(`What the accounts come to in ${books.currency}: opening + activity = closing`, 'section')],
    headRow(['Name', '', ''], HEADS),
    ...rowsOfReport(report).map(({ name, opening, value, closing }): Row => {
      return [textCell(name), null, null, ...[opening, value, closing].map(valueCell)];
    }),
    [
      textCell('(lines without a rate)'),
      null,
      null,
      ...[report.opening, report, report.closing].map(
        ({ unpriced }): Cell => ({ is: 'number', digits: String(unpriced), style: 'count' }),
      ),
    ],
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
