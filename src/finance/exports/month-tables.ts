import { type MovementTable } from '../../domain/balances/movement-table.js';
import { type Chart } from '../../domain/books/chart.js';
import { firstDayAfter, startOfDay } from '../../domain/books/posting-month.js';
import { type MonthQuery, type MonthRow, monthRows, namedIn } from '../../records/books/month-query.js';
import {
  monthBalances,
  monthBreaks,
  monthFees,
  monthOrders,
  monthPayins,
  monthPayments,
  monthPayouts,
  monthRefunds,
  monthSettlements,
  monthTransactions,
} from '../../records/books/month-rows.js';
import { doubtedPayments } from '../../records/books/period-facts.js';
import { accountNames, givenLines, linesOf, type TextForm } from '../../records/books/row-text.js';
import type { Trx } from '../../records/database/statements.js';
import { type TableColumn, tableColumns } from './table-columns.js';

/** What happened in a month, a row for each record. As files and as sheets of a workbook it is the same. */
export interface MonthTable {
  name: keyof typeof tableColumns;
  columns: readonly TableColumn[];
  rows: () => AsyncIterable<readonly MonthRow[]>;
}

/** As a file it is written by the database. */
export interface FileTable extends MonthTable {
  /** `line`: SQL of what a row is in a file. */
  lines: (form: TextForm, line: string) => AsyncIterable<string>;
}

export function monthTables(books: MonthBooks): FileTable[] {
  const { trx, month, chart } = books;
  const about = aboutOf(books);
  const table = (name: MonthTable['name'], sql: string): FileTable => ({
    name,
    columns: tableColumns[name],
    rows: () => monthRows(trx, sql, about),
    lines: (form, line) => queryLines(trx, form, `SELECT ${line} AS line FROM (${sql}) AS rows`, about),
  });
  return [
    table('orders', monthOrders),
    table('payments', monthPayments),
    table('fees', `SELECT *, ${accountNames(chart)} AS name FROM (${monthFees}) AS fees`),
    table('refunds', monthRefunds),
    table('payouts', monthPayouts),
    table('deposits', monthPayins),
    table('settlements', monthSettlements),
    table('transactions', monthTransactions),
    givenTable(trx, 'balances', tableColumns.balances, () => monthBalances(trx, month)),
    table('breaks', monthBreaks),
    givenTable(trx, 'doubted', tableColumns.doubted, () => doubtedPayments(trx, month, books.currency)),
  ];
}

async function* queryLines(trx: Trx, form: TextForm, sql: string, about: MonthQuery): AsyncGenerator<string> {
  yield* linesOf(trx, form, sql, await namedIn(trx, about));
}

/** Of rows that are no query's. */
export function givenTable<Name extends string>(
  trx: Trx,
  name: Name,
  columns: readonly TableColumn[],
  read: () => Promise<MonthRow[]>,
) {
  const keys = columns.map(({ key }) => key);
  return {
    name,
    columns,
    async *rows(): AsyncGenerator<MonthRow[]> {
      yield await read();
    },
    async *lines(form: TextForm, line: string): AsyncGenerator<string> {
      yield* givenLines(trx, form, line, { keys, rows: await read() });
    },
  };
}

function aboutOf({ month, timeZone, currency, table }: MonthBooks): MonthQuery {
  const from = new Date(startOfDay(timeZone, `${month}-01`));
  const to = new Date(startOfDay(timeZone, firstDayAfter(month)));
  return { month, currency, from, to, refundWords: table.words.payoutType.refund };
}

/** A month of the books, in one transaction that sees one moment of them. */
export interface MonthBooks {
  trx: Trx;
  /** YYYY-MM. */
  month: string;
  chart: Chart;
  /** The contract's: has its words for what a payout is. */
  table: Pick<MovementTable, 'words'>;
  /** Of the books: decides what was made in the month. */
  timeZone: string;
  currency: string;
  standing: Standing;
}

/** How final a month is; each file of it says so. */
export interface Standing {
  state: 'open' | 'closed' | 'closed with exceptions';
  /** Of an open month until when it is posted, of a closed one what was missing; what income is in doubt: sentences. */
  notes: readonly string[];
}

/** A file that is made while it is read, once. */
export interface ExportFile {
  name: string;
  content: AsyncIterable<string | Uint8Array>;
}
