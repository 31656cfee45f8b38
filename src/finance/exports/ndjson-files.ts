import { nameIn } from '../../domain/books/chart.js';
import { entryLines } from '../../records/books/entry-text.js';
import { accountNames, jsonPlain, jsonText } from '../../records/books/row-text.js';
import { allAccounts, monthValues } from './month-accounts.js';
import { type ExportFile, type MonthBooks, monthTables } from './month-tables.js';
import type { TableColumn } from './table-columns.js';

/** The same as in CSV, an object in each line; amounts are decimal strings. */
export function ndjsonFiles(books: MonthBooks): ExportFile[] {
  const { trx, month, chart, standing } = books;
  const { state } = standing;
  const file = (of: string, content: AsyncIterable<string>): ExportFile => ({ name: `${month}-${of}.ndjson`, content });
  return [
    file('entries', entryLines(trx, 'ndjson', { month, name: accountNames(chart), state })),
    file('accounts', totalObjects(books)),
    file('values', valueObjects(books)),
    ...monthTables(books).map(({ name, columns, lines }) => file(name, lines('ndjson', objectOf(columns, state)))),
  ];
}

async function* totalObjects(books: MonthBooks): AsyncGenerator<string> {
  const { trx, month, chart, standing } = books;
  for (const total of await allAccounts(trx, books))
    yield jsonLine({ month, ...total, name: nameIn(chart, total.account), monthStatus: standing.state });
}

async function* valueObjects(books: MonthBooks): AsyncGenerator<string> {
  const { trx, month, currency, chart, standing } = books;
  yield jsonLine({ month, currency, ...(await monthValues(trx, books, chart)), monthStatus: standing.state });
}

function objectOf(columns: readonly TableColumn[], state: string): string {
  const fields = columns.map(({ key, as }) => {
    const value = as === 'text' || as === 'word' ? jsonText(`"${key}"`) : jsonPlain(`"${key}"`);
    return `'"${key}":' || ${value}`;
  });
  return `('{' || ${fields.join(" || ',' || ")} || E',"monthStatus":"${state}"}\\n')::varchar`;
}

const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;
