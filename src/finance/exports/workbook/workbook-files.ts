import { type ExportFile, type MonthBooks, monthTables } from '../month-tables.js';
import { type ZippedFile, zipFiles } from '../zip-files.js';
import { xmlText } from './cells.js';
import { sheetSums } from './sheet-sums.js';
import { MAIN, stylesXml } from './styles.js';
import { summarySheet } from './summary-sheet.js';
import { tableSheets } from './table-sheets.js';

/** For people. Single payins and transactions are in the other formats. */
const SHEETS: readonly string[] = ['orders', 'payments', 'fees', 'refunds', 'payouts', 'balances', 'breaks', 'doubted'];

/** A workbook of the month; the same records make the same bytes. */
export function workbookFiles(books: MonthBooks): ExportFile[] {
  return [{ name: `${books.month}.xlsx`, content: zipFiles(workbook(books)) }];
}

/** The summary is made last, of what the sheets came to, and stands first. */
async function* workbook(books: MonthBooks): AsyncGenerator<ZippedFile> {
  const titles = ['Summary'];
  const printed: Printed[] = [];
  const sums = sheetSums();
  for (const table of monthTables(books).filter(({ name }) => SHEETS.includes(name))) {
    for await (const { title, content, lastPrinted } of tableSheets(table, { currency: books.currency, sums })) {
      printed.push({ title, sheet: titles.length, lastPrinted });
      titles.push(title);
      yield { name: sheetFile(titles.length), content };
    }
  }
  yield { name: sheetFile(1), content: summarySheet(books, sums.all()) };
  yield* workbookParts(titles, printed);
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const sheetFile = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/** What makes a workbook of sheets: `sheetFile(1)` is the first of these titles. */
function workbookParts(titles: readonly string[], printed: readonly Printed[]): ZippedFile[] {
  const numbers = titles.map((_, n) => n + 1);
  const sheets = titles.map((title, n) => `<sheet name="${xmlText(title)}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`);
  const overrides = numbers.map((n) => override(`/${sheetFile(n)}`, `${TYPE}.worksheet+xml`));
  const targets = numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`));
  return [
    part(
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
      '<Default Extension="xml" ContentType="application/xml"/>',
      override('/xl/workbook.xml', `${TYPE}.sheet.main+xml`),
      override('/xl/styles.xml', `${TYPE}.styles+xml`),
      ...overrides,
      '</Types>',
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">`,
      relation('rId1', 'officeDocument', 'xl/workbook.xml'),
      '</Relationships>',
    ),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">`,
      '<bookViews><workbookView tabRatio="800"/></bookViews>',
      `<sheets>${sheets.join('')}</sheets><definedNames>${printed.map(printNames).join('')}</definedNames><calcPr fullCalcOnLoad="1"/></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">`,
      ...targets,
      relation(`rId${titles.length + 1}`, 'styles', 'styles.xml'),
      '</Relationships>',
    ),
    { name: 'xl/styles.xml', content: [stylesXml()] },
  ];
}

/** `sheet` is counted from 0. */
interface Printed {
  title: string;
  sheet: number;
  lastPrinted: string;
}

/** The columns that are printed, and the head that stands on each page of them. */
function printNames({ title, sheet, lastPrinted }: Printed): string {
  const named = (name: string, range: string) =>
    `<definedName name="_xlnm.${name}" localSheetId="${sheet}">'${xmlText(title)}'!${range}</definedName>`;
  return named('Print_Area', `$A:$${lastPrinted}`) + named('Print_Titles', '$1:$1');
}

const part = (name: string, ...content: string[]): ZippedFile => ({ name, content: [HEAD, ...content] });

const override = (name: string, type: string): string => `<Override PartName="${name}" ContentType="${type}"/>`;

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
}
