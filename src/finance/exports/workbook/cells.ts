import { MAIN, type StyleName, styleIndex } from './styles.js';

/** A number is given by its digits: it is the program that opens it which rounds, not we. */
export type Cell =
  | { is: 'text'; text: string; style: StyleName }
  | { is: 'number'; digits: string; style: StyleName }
  | { is: 'formula'; formula: string; style: StyleName }
  /** Nothing is in it, and the line of its row goes on. */
  | { is: 'nothing'; style: StyleName }
  | null;

/** Of a head whose words may take two lines. */
export const HEAD_HEIGHT = 30;

const DIGITS = 15;
const DAY_MS = 86_400_000;
/** 1970-01-01, in the days that they count. */
const EPOCH = 25_569;

export function textCell(text: string | null, style: StyleName = 'text'): Cell {
  return text === null ? null : { is: 'text', text, style };
}

/** Of a decimal string; marked where a program for tables rounds it. */
export function amountCell(amount: string | null): Cell {
  if (amount === null) return null;
  if (amount.length <= DIGITS) return { is: 'number', digits: amount, style: 'amount' };
  const significant = amount.replaceAll(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
  return { is: 'number', digits: amount, style: significant.length > DIGITS ? 'rounded' : 'amount' };
}

/** Shown with two decimals. */
export function valueCell(value: string | null): Cell {
  return value === null ? null : { is: 'number', digits: value, style: 'value' };
}

/** Of a day (YYYY-MM-DD) or a time (ISO 8601 UTC). */
export function dayCell(at: string | null, style: 'date' | 'time'): Cell {
  if (at === null) return null;
  const days = Date.parse(at) / DAY_MS + EPOCH;
  return Number.isNaN(days) ? textCell(at) : { is: 'number', digits: String(days), style };
}

/** @param row counted from 1 */
export function rowXml(cells: readonly Cell[], row: number, height?: number): string {
  const size = height === undefined ? '' : ` ht="${height}" customHeight="1"`;
  return `<row r="${row}"${size}>${cells.map((cell, n) => cellXml(cell, columnName(n) + row)).join('')}</row>`;
}

function cellXml(cell: Cell, at: string): string {
  if (cell === null) return '';
  const head = `<c r="${at}" s="${styleIndex[cell.style]}"`;
  if (cell.is === 'nothing') return `${head}/>`;
  if (cell.is === 'number') return `${head}><v>${cell.digits}</v></c>`;
  if (cell.is === 'formula') return `${head}><f>${xmlText(cell.formula)}</f></c>`;
  return `${head} t="inlineStr"><is><t xml:space="preserve">${cellText(cell.text)}</t></is></c>`;
}

const known: string[] = [];

/** @param index counted from 0: A, B, … Z, AA */
export function columnName(index: number): string {
  known[index] ??= newName(index);
  return known[index];
}

function newName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

interface Frame {
  widths: readonly number[];
  frozen: { rows: number; columns: number } | null;
  isFirst: boolean;
}

export function sheetHead({ widths, frozen, isFirst }: Frame): string {
  const cols = widths
    .map((width, n) => `<col min="${n + 1}" max="${n + 1}" width="${width}" customWidth="1"/>`)
    .join('');
  return [
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${MAIN}">`,
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    `<sheetViews><sheetView showGridLines="0"${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0">`,
    frozen === null ? '' : pane(frozen),
    '</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>',
    `<cols>${cols}</cols><sheetData>`,
  ].join('');
}

/** What stands behind them. `filtered`: as A1:N12. */
export function sheetEnd(filtered: string | null): string {
  const filter = filtered === null ? '' : `<autoFilter ref="${filtered}"/>`;
  const margins = '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>';
  const page = '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>';
  return `</sheetData>${filter}${margins}${page}<headerFooter><oddFooter>&amp;A, &amp;P / &amp;N</oddFooter></headerFooter></worksheet>`;
}

function pane({ rows, columns }: { rows: number; columns: number }): string {
  const cell = `${columnName(columns)}${rows + 1}`;
  return `<pane xSplit="${columns}" ySplit="${rows}" topLeftCell="${cell}" activePane="bottomRight" state="frozen"/>`;
}

/** What may have to be written otherwise. Most texts have nothing of it. */
const DOUBTFUL = /[^ !#-%'-;=?-~]|_x/;
/** What XML can't hold, and what would be read as an escape of such. */
const UNWRITABLE = /(?![\t\n])\p{Cc}|[\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const LONGEST = 32_767;
const CUT = ' … (cut)';

/** A text for a cell: whatever it is, it comes out as this text, or says that it was cut. */
function cellText(text: string): string {
  if (text.length <= LONGEST && !DOUBTFUL.test(text)) return text;
  const shown = text.length > LONGEST ? text.slice(0, LONGEST - CUT.length) + CUT : text;
  return xmlText(
    shown
      .replaceAll(LONE_SURROGATE, '\uFFFD')
      .replaceAll(UNWRITABLE, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`),
  );
}

export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
