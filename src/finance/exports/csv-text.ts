/** One cell: a text that others wrote is marked as such, what is ours (an amount, a date) is given as it is. */
export type Cell = string | { text: string } | null;

/**
 * A line by RFC 4180. A program for tables takes free text that begins with one of `=+-@` for a formula, also in another width and
 * behind blanks: it gets an apostrophe in front. An amount such as -12.50 does not.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** One cell of a line, of a text that others wrote. */
export function textCell(text: string | null): string {
  return text === null ? '' : quoted(harmless(text));
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? quoted(cell) : textCell(cell.text);
}

/** All that becomes one of the four in compatibility form, as some programs read it, behind whatever is not seen. */
const FORMULA = /^(?:[\s\p{C}\p{Z}]*[=+\-@＝＋－＠﹦﹢﹣﹫⁼⁺₌₊⩵⩶﬩]|[\t\r\n])/u;

function harmless(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
