import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import type { Chart } from '../../domain/books/chart.js';

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
