import { zipSync } from 'fflate';
import { type Cell, calculated, serial, sheets } from './sheets.js';

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const letterOf = (n: number) => String.fromCharCode(65 + n);
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function cellXml(cell: Cell, at: string, shown: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return `<c r="${at}" s="1"><v>${serial(cell.day)}</v></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (!cell.startsWith('=')) return `<c r="${at}" t="inlineStr"><is><t>${xml(cell)}</t></is></c>`;
  return `<c r="${at}"><f>${xml(cell.slice(1))}</f><v>${shown}</v></c>`;
}

/** The parts of the workbook, by name. */
export function workbookParts(): Record<string, string> {
  const values = calculated();
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const parts = sheets.map(({ name, rows, widths = [] }, n) => {
    const cols = [...(rows[0] ?? []), ...Array.from({ length: 8 })].map((_, place) => {
      return `<col min="${place + 1}" max="${place + 1}" width="${widths[place] ?? 16}" customWidth="1"/>`;
    });
    const body = rows.map((row, y) => {
      const cells = row.map((cell, x) => cellXml(cell, `${letterOf(x)}${y + 1}`, values.get(name)?.[y]?.[x] ?? null));
      return `<row r="${y + 1}">${cells.join('')}</row>`;
    });
    const text = `<worksheet xmlns="${MAIN}"><cols>${cols.join('')}</cols><sheetData>${body.join('\n')}</sheetData></worksheet>`;
    return [`xl/worksheets/sheet${n + 1}.xml`, text] as const;
  });
  const numbers = sheets.map((_, n) => n + 1);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relations = (list: string[]) =>
    `<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`;
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}" ContentType="${TYPE}.${type}+xml"/>`;
  const all = {
    '[Content_Types].xml': [
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>`,
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
      override('workbook.xml', 'sheet.main'),
      override('styles.xml', 'styles'),
      ...numbers.map((n) => override(`worksheets/sheet${n}.xml`, 'worksheet')),
      '</Types>',
    ].join(''),
    '_rels/.rels': relations([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': [
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>`,
      ...sheets.map(({ name }, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`),
      '</sheets><calcPr fullCalcOnLoad="1"/></workbook>',
    ].join(''),
    'xl/_rels/workbook.xml.rels': relations([
      ...numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`)),
      relation(`rId${sheets.length + 1}`, 'styles', 'styles.xml'),
    ]),
    'xl/styles.xml': [
      `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>`,
      '<fonts count="1"><font><sz val="10"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/>',
      '</fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>',
      '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>',
    ].join(''),
    ...Object.fromEntries(parts),
  };
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, head + text]));
}

/** The file; the same parts make the same bytes. */
export function workbookFile(): Uint8Array {
  const parts = Object.entries(workbookParts()).map(([name, text]) => [name, new TextEncoder().encode(text)]);
  return zipSync(Object.fromEntries(parts), { mtime: new Date(2026, 3, 1) });
}
