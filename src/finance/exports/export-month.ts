import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import type { Chart } from '../../domain/books/chart.js';
import { UsageError } from '../../errors.js';
import { closedAt, periodFiles, readPeriodFile } from '../../records/books/period-files.js';
import { type ExportFormat, exportFormats } from './export-formats.js';
import { type WrittenFile, writeFolder } from './write-folder.js';

export interface MonthExport {
  month: string;
  format: ExportFormat;
  /** `closed`: the very bytes that were stored when the month was closed. `open`: as the books stand now. */
  status: 'closed' | 'open';
  files: WrittenFile[];
}

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
  const { month, format, dir, ...settings } = asked;
  return db.transaction(
    async (trx): Promise<MonthExport> => {
      const all = await periodFiles(trx, month);
      const stored = all.filter((file) => file.format === format);
      if (stored.length === 0) await refuseClosed(trx, asked, [...new Set(all.map((file) => file.format))]);
      const files =
        stored.length > 0
          ? stored.map(({ id, name, sha256 }) => ({ name, sha256, content: readPeriodFile(trx, id) }))
          : exportFormats[format]({ trx, month, ...settings });
      const status = stored.length > 0 ? 'closed' : 'open';
      const written = await writeFolder(dir, `${month}-${format}`, files);
      return { month, format, status, files: written };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** What the books tell now is not what they told when the month was closed. */
async function refuseClosed(trx: Knex.Transaction, { month, format }: Asked, stored: string[]): Promise<void> {
  const closed = await closedAt(trx, month);
  if (closed === null) return;
  const others = stored.length === 0 ? 'none is' : `stored are ${stored.join(', ')}`;
  throw new UsageError(
    `${month} was closed on ${closed.toISOString()}, and ${format} was not stored then (${others}). Export a format that is stored, or reopen the month and close it again: its new closing stores every format.`,
  );
}
