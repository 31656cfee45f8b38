import { nameIn } from '../../domain/books/chart.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { entriesOfMonth, type ValuedLineView } from '../../records/books/month-entries.js';
import { type ExportFile, type MonthBooks, type MonthTable, monthTables, monthValues } from './month-tables.js';

/** The same as in CSV, an object in each line; amounts are decimal strings. */
export function ndjsonFiles(books: MonthBooks): ExportFile[] {
  return [
    { name: `${books.month}-entries.ndjson`, content: entryObjects(books) },
    { name: `${books.month}-accounts.ndjson`, content: totalObjects(books) },
    { name: `${books.month}-values.ndjson`, content: valueObjects(books) },
    ...monthTables(books).map((table) => ({
      name: `${books.month}-${table.name}.ndjson`,
      content: tableObjects(table),
    })),
  ];
}

async function* entryObjects({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  for await (const entries of entriesOfMonth(trx, month)) {
    yield entries
      .map((entry) => {
        const lines = entry.lines.map((line) => lineObject(line, nameIn(chart, line.account)));
        return jsonLine({ ...entry, lines });
      })
      .join('');
  }
}

/** Each key by name: a rest and a spread took as long as all the rest of a line. */
function lineObject(line: ValuedLineView, name: string): object {
  const { account, assetCode, amount, memo, rate, rateCurrency, rateSource, rateAt, unpriced, value } = line;
  return { account, assetCode, amount, memo, rate, rateCurrency, rateSource, rateAt, unpriced, name, value };
}

async function* totalObjects({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  for (const total of await accountTotals(trx, month))
    yield jsonLine({ month, ...total, name: nameIn(chart, total.account) });
}

async function* valueObjects(books: MonthBooks): AsyncGenerator<string> {
  const { month, currency } = books;
  yield jsonLine({ month, currency, ...(await monthValues(books)) });
}

async function* tableObjects({ columns, rows }: MonthTable): AsyncGenerator<string> {
  for await (const part of rows())
    yield part.map((row) => jsonLine(Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null])))).join('');
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
