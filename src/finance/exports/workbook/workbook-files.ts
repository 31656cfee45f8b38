import type { ExportFile, MonthBooks } from '../month-books.js';
import { monthTables } from '../month-tables.js';
import { type ZippedFile, zipFiles } from '../zip-files.js';
import { sheetSums } from './sheet-sums.js';
import { summarySheet } from './summary-sheet.js';
import { tableSheets } from './table-sheets.js';
import { sheetFile, workbookParts } from './workbook-parts.js';

/** For people. Single payins and transactions are in the other formats. */
const SHEETS: readonly string[] = ['orders', 'payments', 'fees', 'refunds', 'payouts', 'balances', 'breaks'];

/** A workbook of the month; the same records make the same bytes. */
export function workbookFiles(books: MonthBooks): ExportFile[] {
  return [{ name: `${books.month}.xlsx`, content: zipFiles(workbook(books)) }];
}

/** The summary is made last, of what the sheets came to, and stands first. */
async function* workbook(books: MonthBooks): AsyncGenerator<ZippedFile> {
  const titles = ['Summary'];
  const sums = sheetSums();
  for (const table of monthTables(books).filter(({ name }) => SHEETS.includes(name))) {
    for await (const { title, content } of tableSheets(table, { currency: books.currency, sums })) {
      titles.push(title);
      yield { name: sheetFile(titles.length), content };
    }
  }
  yield { name: sheetFile(1), content: summarySheet(books, sums.all()) };
  yield* workbookParts(titles);
}
