import type { Knex } from 'knex';
import type { MovementTable } from '../domain/balances/movement-table.js';
import type { Chart } from '../domain/books/chart.js';
import type { PeriodFile } from '../domain/views/books-shapes.js';
import { UsageError } from '../errors.js';
import { closedAt, periodFiles, readPeriodFile } from '../records/books/period-files.js';
import { type ExportFormat, exportFormats } from './export-formats.js';
import type { ExportFile } from './exports/month-books.js';
import { type PlannedFile, planFolder, type WrittenFile, writeFolder } from './exports/write-folder.js';

export interface MonthExport {
  month: string;
  format: ExportFormat;
  /** `closed`: the very bytes that were stored when the month was closed. `open`: as the books stand now. */
  status: 'closed' | 'open';
  files: WrittenFile[];
}

export type MonthPlan = Omit<MonthExport, 'files'> & { files: PlannedFile[] };

interface Asked {
  month: string;
  format: ExportFormat;
  dir: string;
  chart: Chart;
  currency: string;
  timeZone: string;
  table: Pick<MovementTable, 'words'>;
}

/**
 * Writes a month into a folder, all of one moment.
 * @throws {UsageError} where the month is closed, and its closing stored no files of this format
 * @throws {Error} where a stored file is not what it was when it was stored
 */
export async function exportMonth(db: Knex, asked: Asked): Promise<MonthExport> {
  const { month, format, dir } = asked;
  return db.transaction(async (trx): Promise<MonthExport> => {
    const { status, files } = await filesOf(trx, asked);
    return { month, format, status, files: await writeFolder(dir, labelOf(asked), files) };
  }, atOneMoment);
}

/** Which files `exportMonth` would write. Writes none; it throws what that would throw before it writes. */
export async function planExport(db: Knex, asked: Omit<Asked, 'dir'>): Promise<MonthPlan> {
  const { month, format } = asked;
  return db.transaction(async (trx): Promise<MonthPlan> => {
    const { status, files } = await filesOf(trx, asked);
    return { month, format, status, files: planFolder(labelOf(asked), files) };
  }, atOneMoment);
}

const atOneMoment = { isolationLevel: 'repeatable read', readOnly: true } as const;

function labelOf({ month, format }: Pick<Asked, 'month' | 'format'>): string {
  return `${month}-${format}`;
}

type MonthFile = ExportFile & { sha256?: string; bytes?: number };

/** The stored files of a closed month; of an open one those that are made of the books while they are read. */
async function filesOf(
  trx: Knex.Transaction,
  asked: Omit<Asked, 'dir'>,
): Promise<{ status: MonthExport['status']; files: MonthFile[] }> {
  const { month, format, chart, currency, timeZone, table } = asked;
  const all = await periodFiles(trx, month);
  const stored = all.filter((file) => file.format === format);
  if (stored.length > 0) {
    const fileOf = ({ id, name, sha256, bytes }: PeriodFile) => ({
      name,
      sha256,
      bytes,
      content: readPeriodFile(trx, id),
    });
    return { status: 'closed', files: stored.map(fileOf) };
  }
  await refuseClosed(trx, asked, [...new Set(all.map((file) => file.format))]);
  return { status: 'open', files: exportFormats[format]({ trx, month, chart, currency, timeZone, table }) };
}

/** What the books say now is not what they said when the month was closed. */
async function refuseClosed(
  trx: Knex.Transaction,
  { month, format }: Pick<Asked, 'month' | 'format'>,
  stored: string[],
): Promise<void> {
  const closed = await closedAt(trx, month);
  if (closed === null) return;
  const others = stored.length === 0 ? 'none is' : `stored are ${stored.join(', ')}`;
  throw new UsageError(
    `${month} was closed on ${closed.toISOString()}, and ${format} was not stored then (${others}). Export a format that is stored, or reopen the month and close it again: its new closing stores every format.`,
  );
}
