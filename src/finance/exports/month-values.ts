import { nameIn } from '../../domain/books/chart.js';
import { type FiatReport, fiatSums } from '../../domain/books/fiat-report.js';
import { entriesOfMonth } from '../../records/books/list-entries.js';
import type { MonthBooks } from './month-books.js';

/** What a month's lines were worth at their own rates, by account. Memos count nowhere. */
export async function monthValues({ trx, month, chart, currency }: MonthBooks): Promise<FiatReport> {
  const sums = fiatSums();
  for await (const entries of entriesOfMonth(trx, month)) {
    for (const line of entries.flatMap(({ lines }) => lines)) {
      if (line.memo) continue;
      const rate = line.rateCurrency === currency ? line.rate : null;
      sums.add({ account: nameIn(chart, line.account), amount: line.amount, rate });
    }
  }
  return sums.report();
}
