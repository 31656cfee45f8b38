import type { MonthRow } from '../../../records/books/month-query.js';
import type { MonthTable } from '../month-tables.js';
import type { TableColumn } from '../table-columns.js';
import {
  amountCell,
  type Cell,
  columnName,
  dayCell,
  HEAD_HEIGHT,
  rowXml,
  sheetEnd,
  sheetHead,
  textCell,
  valueCell,
} from './cells.js';
import type { sheetSums } from './sheet-sums.js';

/** A sheet has no more, its header among them. */
const MOST_ROWS = 1_048_576;

interface Options {
  currency: string;
  sums: ReturnType<typeof sheetSums>;
  mostRows?: number;
}

/** The sheets of a table: one, and further ones where the rows are more than a sheet takes. Each is read to its end before the next. */
export async function* tableSheets(table: MonthTable, options: Options) {
  const rows = reader(table.rows());
  const name = titleOf(table.name);
  const most = (options.mostRows ?? MOST_ROWS) - 1;
  for (let n = 1; n === 1 || !(await rows.isDone()); n += 1) {
    const title = n === 1 ? name : `${name} ${n}`;
    options.sums.begin(table.name, title, table.columns);
    // What is printed: without the exact amounts, which would make all of it tiny.
    const lastPrinted = columnName(table.columns.length - 1);
    yield { title, lastPrinted, content: sheet(table, rows.take(most), options) };
  }
}

export function titleOf(table: MonthTable['name']): string {
  return table === 'breaks' ? 'Open breaks' : table.charAt(0).toUpperCase() + table.slice(1);
}

/** Where each column of the table stands: the exact amounts are all behind the last of the others. */
function sheetColumns(columns: readonly TableColumn[]): { column: TableColumn; exact: boolean }[] {
  return [
    ...columns.map((column) => ({ column, exact: false })),
    ...columns.filter(isNumber).map((column) => ({ column, exact: true })),
  ];
}

async function* sheet(
  { columns }: MonthTable,
  parts: AsyncIterable<readonly MonthRow[]>,
  { currency, sums }: Options,
): AsyncGenerator<string> {
  const shown = sheetColumns(columns);
  const widths = shown.map(({ column, exact }) => (exact ? 30 : WIDTHS[column.isShort ? 'word' : column.as]));
  yield sheetHead({ widths, frozen: { rows: 1, columns: 1 }, isFirst: false });
  const heads = shown.map(({ column, exact }): Cell => {
    const label = column.as === 'value' ? `${column.label} (${currency})` : column.label;
    return textCell(exact ? `${label}, exact` : label, isNumber(column) ? 'headEnd' : 'head');
  });
  yield rowXml(heads, 1, HEAD_HEIGHT);
  let row = 1;
  for await (const part of parts) {
    let xml = '';
    for (const one of part) {
      row += 1;
      xml += rowXml(
        shown.map(({ column, exact }) => cellOf(column, exact, one[column.key] ?? null)),
        row,
      );
      sums.add(one);
    }
    yield xml;
  }
  yield sheetEnd(`A1:${columnName(shown.length - 1)}${row}`);
}

const WIDTHS = { text: 28, word: 16, amount: 24, quoted: 24, value: 14, time: 19, date: 12 } as const;

function cellOf({ as }: TableColumn, exact: boolean, value: string | null): Cell {
  if (value === null) return { is: 'nothing', style: 'text' };
  if (exact) return textCell(value, 'exact');
  if (as === 'amount' || as === 'quoted') return amountCell(value);
  if (as === 'value') return valueCell(value);
  return as === 'time' || as === 'date' ? dayCell(value, as) : textCell(value);
}

const isNumber = ({ as }: TableColumn): boolean => as === 'amount' || as === 'quoted' || as === 'value';

/** Parts of any size, given out by the number of rows. */
function reader(source: AsyncIterable<readonly MonthRow[]>) {
  const parts = source[Symbol.asyncIterator]();
  let waiting: readonly MonthRow[] = [];
  const isDone = async (): Promise<boolean> => {
    while (waiting.length === 0) {
      const next = await parts.next();
      if (next.done === true) return true;
      waiting = next.value;
    }
    return false;
  };
  async function* take(most: number): AsyncGenerator<readonly MonthRow[]> {
    for (let left = most; left > 0 && !(await isDone()); ) {
      const part = waiting.slice(0, left);
      waiting = waiting.slice(part.length);
      left -= part.length;
      yield part;
    }
  }
  return { isDone, take };
}
