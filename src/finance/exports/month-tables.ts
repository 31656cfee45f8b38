import { type Knex } from 'knex';
import { type MovementTable } from '../../domain/balances/movement-table.js';
import { type Chart, nameIn } from '../../domain/books/chart.js';
import { type FiatReport, fiatReport } from '../../domain/books/fiat-report.js';
import { firstDayAfter, startOfDay } from '../../domain/books/posting-month.js';
import { accountValues } from '../../records/books/account-totals.js';
import { type MonthQuery, type MonthRow, monthRows } from '../../records/books/month-query.js';
import {
  monthBalances,
  monthBreaks,
  monthFees,
  monthOrders,
  monthPayins,
  monthPayments,
  monthPayouts,
  monthRefunds,
  monthTransactions,
} from '../../records/books/month-rows.js';
import { type TableColumn, tableColumns } from './table-columns.js';

/** What happened in a month, a row for each record. As files and as sheets of a workbook it is the same. */
export interface MonthTable {
  name: keyof typeof tableColumns;
  columns: readonly TableColumn[];
  rows: () => AsyncIterable<readonly MonthRow[]>;
}

export function monthTables(books: MonthBooks): MonthTable[] {
  const { trx, month } = books;
  const about = queryOf(books);
  const rows: Record<MonthTable['name'], MonthTable['rows']> = {
    orders: () => monthRows(trx, monthOrders, about),
    payments: () => monthRows(trx, monthPayments, about),
    fees: () => namedFees(books, about),
    refunds: () => monthRows(trx, monthRefunds, about),
    payouts: () => monthRows(trx, monthPayouts, about),
    deposits: () => monthRows(trx, monthPayins, about),
    transactions: () => monthRows(trx, monthTransactions, about),
    balances: () => oneTime(monthBalances(trx, month)),
    breaks: () => monthRows(trx, monthBreaks, about),
  };
  return (Object.keys(rows) as MonthTable['name'][]).map((name) => ({
    name,
    columns: tableColumns[name],
    rows: rows[name],
  }));
}

function queryOf({ month, timeZone, currency, table }: MonthBooks): MonthQuery {
  const from = new Date(startOfDay(timeZone, `${month}-01`));
  const to = new Date(startOfDay(timeZone, firstDayAfter(month)));
  return { month, currency, from, to, refundWords: table.words.payoutType.refund };
}

async function* namedFees({ trx, chart }: MonthBooks, about: MonthQuery): AsyncGenerator<MonthRow[]> {
  for await (const rows of monthRows(trx, monthFees, about))
    yield rows.map((row) => ({ ...row, name: nameIn(chart, row['account'] ?? '') }));
}

async function* oneTime(rows: Promise<MonthRow[]>): AsyncGenerator<MonthRow[]> {
  yield await rows;
}

/** What a month's lines were worth at their own rates, by account. Memos count nowhere. */
export async function monthValues({ trx, month, chart, currency }: MonthBooks): Promise<FiatReport> {
  const values = await accountValues(trx, month, currency);
  return fiatReport(
    values.map(({ account, value, unpriced }) => ({ account: nameIn(chart, account), value, unpriced })),
  );
}

/** A month of the books, in one transaction that sees one moment of them. */
export interface MonthBooks {
  trx: Knex.Transaction;
  /** YYYY-MM. */
  month: string;
  chart: Chart;
  /** The contract's: has its words for what a payout is. */
  table: Pick<MovementTable, 'words'>;
  /** Of the books: decides what was made in the month. */
  timeZone: string;
  currency: string;
}

/** A file that is made while it is read, once. */
export interface ExportFile {
  name: string;
  content: AsyncIterable<string | Uint8Array>;
}
