import { nameIn } from '../../domain/books/chart.js';
import { startOfDay } from '../../domain/books/posting-month.js';
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
import type { MonthBooks } from './month-books.js';
import { firstDayAfter } from './month-days.js';
import { type TableColumn, tableColumns } from './table-columns.js';

/** What happened in a month, a row for each record. As files and as sheets of a workbook it is the same. */
export interface MonthTable {
  name: keyof typeof tableColumns;
  columns: readonly TableColumn[];
  /** Made while they are read. */
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
