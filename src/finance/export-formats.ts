import { csvFiles } from './exports/csv-files.js';
import { datevFiles, journalFiles } from './exports/journal-files.js';
import { beancountFiles, hledgerFiles } from './exports/ledger-files.js';
import type { ExportFile, MonthBooks } from './exports/month-tables.js';
import { ndjsonFiles } from './exports/ndjson-files.js';
import { workbookFiles } from './exports/workbook/workbook-files.js';

export const exportFormats = {
  csv: csvFiles,
  ndjson: ndjsonFiles,
  xlsx: workbookFiles,
  hledger: hledgerFiles,
  beancount: beancountFiles,
  journal: journalFiles,
  datev: datevFiles,
} as const satisfies Record<string, (books: MonthBooks) => ExportFile[] | Promise<ExportFile[]>>;

export type ExportFormat = keyof typeof exportFormats;

export const exportFormatNames = Object.keys(exportFormats) as readonly ExportFormat[];
