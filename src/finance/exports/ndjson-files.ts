import { nameIn } from '../../domain/books/chart.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { entriesOfMonth } from '../../records/books/month-entries.js';
import type { ExportFile, MonthBooks } from './month-books.js';
import { monthValues } from './month-values.js';
import { ndjsonTables } from './table-files.js';

/** The same as in CSV, an object in each line; amounts are decimal strings. */
export function ndjsonFiles(books: MonthBooks): ExportFile[] {
  return [
    { name: `${books.month}-entries.ndjson`, content: entryObjects(books) },
    { name: `${books.month}-accounts.ndjson`, content: totalObjects(books) },
    { name: `${books.month}-values.ndjson`, content: valueObjects(books) },
    ...ndjsonTables(books),
  ];
}

async function* entryObjects({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  for await (const entries of entriesOfMonth(trx, month)) {
    yield entries
      .map((entry) => {
        const lines = entry.lines.map(({ value, ...line }) => ({ ...line, name: nameIn(chart, line.account), value }));
        return jsonLine({ ...entry, lines });
      })
      .join('');
  }
}

async function* totalObjects({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  for (const total of await accountTotals(trx, month))
    yield jsonLine({ month, ...total, name: nameIn(chart, total.account) });
}

async function* valueObjects(books: MonthBooks): AsyncGenerator<string> {
  const { month, currency } = books;
  yield jsonLine({ month, currency, ...(await monthValues(books)) });
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
