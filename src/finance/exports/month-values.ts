import { nameIn } from '../../domain/books/chart.js';
import { type FiatReport, fiatReport } from '../../domain/books/fiat-report.js';
import { accountValues } from '../../records/books/account-totals.js';
import type { MonthBooks } from './month-books.js';

/** What a month's lines were worth at their own rates, by account. Memos count nowhere. */
export async function monthValues({ trx, month, chart, currency }: MonthBooks): Promise<FiatReport> {
  const values = await accountValues(trx, month, currency);
  return fiatReport(
    values.map(({ account, value, unpriced }) => ({ account: nameIn(chart, account), value, unpriced })),
  );
}
