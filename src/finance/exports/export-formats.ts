import { beancountFiles } from './beancount-files.js';
import { csvFiles } from './csv-files.js';
import { hledgerFiles } from './hledger-files.js';
import type { ExportFile, MonthBooks } from './month-books.js';
import { ndjsonFiles } from './ndjson-files.js';
import { workbookFiles } from './workbook/workbook-files.js';

/** Each makes its files one after the other. */
export const exportFormats = {
  csv: csvFiles,
  ndjson: ndjsonFiles,
  xlsx: workbookFiles,
  hledger: hledgerFiles,
  beancount: beancountFiles,
} as const satisfies Record<string, (books: MonthBooks) => ExportFile[]>;

export type ExportFormat = keyof typeof exportFormats;

export const exportFormatNames = Object.keys(exportFormats) as readonly ExportFormat[];
