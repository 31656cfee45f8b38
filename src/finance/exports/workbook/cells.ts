import { type StyleName, styleIndex } from './styles.js';
import { cellText, xmlText } from './xml-text.js';

/** A number is given by its digits: it is the program that opens it which rounds, not we. */
export type Cell =
  | { is: 'text'; text: string; style: StyleName }
  | { is: 'number'; digits: string; style: StyleName }
  | { is: 'formula'; formula: string; style: StyleName }
  | null;

/** What programs for tables hold of a number. */
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
  if (cell.is === 'number') return `${head}><v>${cell.digits}</v></c>`;
  if (cell.is === 'formula') return `${head}><f>${xmlText(cell.formula)}</f></c>`;
  return `${head} t="inlineStr"><is><t xml:space="preserve">${cellText(cell.text)}</t></is></c>`;
}

/** @param index counted from 0: A, B, … Z, AA */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}
