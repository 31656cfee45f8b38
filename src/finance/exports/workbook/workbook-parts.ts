import type { ZippedFile } from '../zip-files.js';
import { stylesXml } from './styles.js';
import { xmlText } from './xml-text.js';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export function sheetFile(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** What makes a workbook of sheets: `sheetFile(1)` is the first of these titles. */
export function workbookParts(titles: readonly string[]): ZippedFile[] {
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
      `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}">`,
      '<bookViews><workbookView tabRatio="800"/></bookViews>',
      `<sheets>${sheets.join('')}</sheets><calcPr fullCalcOnLoad="1"/></workbook>`,
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

function part(name: string, ...content: string[]): ZippedFile {
  return { name, content: [HEAD, ...content] };
}

function override(name: string, type: string): string {
  return `<Override PartName="${name}" ContentType="${type}"/>`;
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
}
