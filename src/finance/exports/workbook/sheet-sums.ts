import { AmountSum } from '../../../domain/money.js';
import type { MonthRow } from '../../../records/books/month-query.js';
import type { MonthTable } from '../month-tables.js';
import type { TableColumn } from '../table-columns.js';
import { columnName } from './cells.js';

export interface SheetSum {
  table: MonthTable['name'];
  label: string;
  asset: string;
  /** Exact. */
  sum: string;
  /** By which the program that opens the workbook adds it up itself. */
  formula: (assetCell: string) => string;
}

interface TableSums {
  titles: string[];
  columns: readonly TableColumn[];
  summed: readonly TableColumn[];
  /** By asset, in the order of `summed`. */
  byAsset: Map<string, AmountSum[]>;
}

/** Of one asset each has one row. */
const NOT_SUMMED: readonly string[] = ['balances'];

/** Sums of the amounts of all sheets, by asset, made while rows are written: `add` is of the sheet that was begun last. */
export function sheetSums() {
  const tables = new Map<MonthTable['name'], TableSums>();
  let current: TableSums | null = null;
  return {
    begin(table: MonthTable['name'], title: string, columns: readonly TableColumn[]): void {
      const hasAsset = columns.some(({ key }) => key === 'asset') && !NOT_SUMMED.includes(table);
      const summed = hasAsset ? columns.filter(({ as }) => as === 'amount') : [];
      current = tables.get(table) ?? { titles: [], columns, summed, byAsset: new Map() };
      current.titles.push(title);
      tables.set(table, current);
    },
    add(row: MonthRow): void {
      const asset = row['asset'] ?? null;
      if (current === null || asset === null || current.summed.length === 0) return;
      const sums = current.byAsset.get(asset) ?? current.summed.map(() => new AmountSum());
      current.byAsset.set(asset, sums);
      for (const [n, { key }] of current.summed.entries()) {
        const amount = row[key] ?? '0';
        if (amount !== '0') sums[n]?.add(amount);
      }
    },
    all: (): SheetSum[] => [...tables].flatMap(([table, sums]) => sumsOf(table, sums)),
  };
}

function sumsOf(table: MonthTable['name'], { titles, columns, summed, byAsset }: TableSums): SheetSum[] {
  const letter = (key: string) => columnName(columns.findIndex((column) => column.key === key));
  return [...byAsset]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([asset, sums]) =>
      summed.map(({ key, label }, n) => ({
        table,
        label,
        asset,
        sum: sums[n]?.total() ?? '0',
        formula: (assetCell: string) =>
          titles
            .map((title) => `SUMIF(${range(title, letter('asset'))},${assetCell},${range(title, letter(key))})`)
            .join('+'),
      })),
    );
}

const range = (title: string, column: string): string => `'${title}'!$${column}:$${column}`;
