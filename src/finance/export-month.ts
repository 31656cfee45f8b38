import type { Knex } from 'knex';
import type { MovementTable } from '../domain/balances/movement-table.js';
import type { Chart } from '../domain/books/chart.js';
import { UsageError } from '../errors.js';
import { closedAt, periodFiles, readPeriodFile } from '../records/books/period-files.js';
import { type ExportFormat, exportFormats } from './export-formats.js';
import type { ExportFile } from './exports/month-tables.js';
import { planFolder, writeFolder } from './exports/write-folder.js';

interface Asked {
  month: string;
  format: ExportFormat;
  chart: Chart;
  currency: string;
  timeZone: string;
  table: Pick<MovementTable, 'words'>;
}

/**
 * Writes a month into a folder, all of one moment. `status`: of a closed month the very bytes that were stored when it was closed;
 * of an open one as the books stand now.
 * @throws {UsageError} where the month is closed, and its closing stored no files of this format
 * @throws {Error} where a stored file is not what it was when it was stored
 */
export async function exportMonth(db: Knex, { dir, ...asked }: Asked & { dir: string }) {
  return withFiles(db, asked, (label, files) => writeFolder(dir, label, files));
}

/** Which files `exportMonth` would write. Writes none; it throws what that would throw before it writes. */
export async function planExport(db: Knex, asked: Asked) {
  return withFiles(db, asked, async (label, files) => planFolder(label, files));
}

type MonthFile = ExportFile & { sha256?: string; bytes?: number };

async function withFiles<F>(db: Knex, asked: Asked, keep: (label: string, files: MonthFile[]) => Promise<F>) {
  const { month, format } = asked;
  return db.transaction(
    async (trx) => {
      const { status, files } = await filesOf(trx, asked);
      return { month, format, status, files: await keep(`${month}-${format}`, files) };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** The stored files of a closed month; of an open one those that are made of the books while they are read. */
async function filesOf(
  trx: Knex.Transaction,
  asked: Asked,
): Promise<{ status: 'closed' | 'open'; files: MonthFile[] }> {
  const { month, format, chart, currency, timeZone, table } = asked;
  const all = await periodFiles(trx, month);
  const stored = all.filter((file) => file.format === format);
  if (stored.length > 0)
    return { status: 'closed', files: stored.map((file) => ({ ...file, content: readPeriodFile(trx, file.id) })) };
  await refuseClosed(trx, asked, [...new Set(all.map((file) => file.format))]);
  return { status: 'open', files: exportFormats[format]({ trx, month, chart, currency, timeZone, table }) };
}

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
