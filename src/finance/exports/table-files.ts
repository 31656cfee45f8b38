import { snakeCase } from '../../domain/records.js';
import { type Cell, csvLine } from './csv-text.js';
import type { ExportFile, MonthBooks } from './month-books.js';
import { type MonthTable, monthTables } from './month-tables.js';
import type { TableColumn } from './table-columns.js';

/** A file of each table of the month. */
export function csvTables(books: MonthBooks): ExportFile[] {
  return monthTables(books).map((table) => ({ name: `${books.month}-${table.name}.csv`, content: csvRows(table) }));
}

/** The same, an object in each line. */
export function ndjsonTables(books: MonthBooks): ExportFile[] {
  return monthTables(books).map((table) => ({ name: `${books.month}-${table.name}.ndjson`, content: objects(table) }));
}

async function* csvRows({ columns, rows }: MonthTable): AsyncGenerator<string> {
  yield csvLine(columns.map(({ key }) => snakeCase(key)));
  for await (const part of rows())
    yield part.map((row) => csvLine(columns.map((column) => cellOf(column, row[column.key] ?? null)))).join('');
}

function cellOf({ as }: TableColumn, value: string | null): Cell {
  return as === 'text' && value !== null ? { text: value } : value;
}

async function* objects({ columns, rows }: MonthTable): AsyncGenerator<string> {
  for await (const part of rows()) {
    yield part
      .map((row) => `${JSON.stringify(Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null])))}\n`)
      .join('');
  }
}
