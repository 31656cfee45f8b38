import type { Knex } from 'knex';
import type { Chart } from '../../domain/books/chart.js';
import { periodFiles, readPeriodFile } from '../../records/books/period-files.js';
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
}

/**
 * Writes a month into a folder, all of one moment.
 * @throws {Error} where a stored file is not what it was when it was stored
 */
export async function exportMonth(db: Knex, asked: Asked): Promise<MonthExport> {
  const { month, format, dir, ...settings } = asked;
  return db.transaction(
    async (trx): Promise<MonthExport> => {
      const stored = (await periodFiles(trx, month)).filter((file) => file.format === format);
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
