import path from 'node:path';
import Table from 'cli-table3';
import { stringify } from 'lossless-json';
import { wantsNoColor } from '../config.js';
import type { Json } from '../domain/json.js';
import { plainJson, plainText } from '../domain/plain-text.js';
import type { PlannedFile } from '../finance/exports/write-folder.js';

/** Something was found: missed deliveries, open breaks, checks that failed. */
export const EXIT_FINDINGS = 3;

type Cell = string | number | null | undefined;
type ShownField<Item> = { [F in keyof Item]-?: Item[F] extends Cell ? F : never }[keyof Item];

/** How a column is headed and what of an item it shows: a field, or what is made of it. */
export type Columns<Item> = Record<string, ShownField<Item> | ((item: Item) => Cell)>;

/** For people to the second, in two words. */
const INSTANT = /\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z/g;

/**
 * `{items, …}` as JSON for programs, or a table for people. Data, so on stdout. `rest`: what shows the last columns where the terminal has
 * no room for them in rows of three lines; left out: the table has all columns whatever it takes.
 */
export function printList<Item>(
  page: { items: Item[]; nextCursor?: string | null },
  json: boolean,
  columns: Columns<Item>,
  rest?: string,
): void {
  if (json) {
    printJson(page);
    return;
  }
  if (page.items.length === 0) {
    printNote('nothing to show');
    return;
  }
  const cellOf = (item: Item, shown: Columns<Item>[string]) =>
    typeof shown === 'function' ? shown(item) : (item[shown] as Cell);
  const width = terminalWidth();
  const rows = page.items.map((item) => Object.values(columns).map((shown) => said(oneLine(cellOf(item, shown)))));
  const head = Object.keys(columns);
  const n = rest === undefined || width === undefined ? head.length : columnsWithin(head, rows, width);
  const shown = rows.map((row) => row.slice(0, n));
  process.stdout.write(`${tableText(head.slice(0, n), shown, width)}\n`);
  if (n < head.length) printNote(`${rest}: ${head.slice(n).join(', ')}`);
  if (page.nextCursor) printNote(`more: --cursor ${page.nextCursor}`);
}

/**
 * `width`: of the terminal. What is longer goes on in the next line, behind a space or what joins the parts of a word; no word is cut:
 * where the columns don't fit so, not even without padding, each row is lines of its own. Left out: as wide as it is.
 */
export function tableText(head: string[], rows: string[][], width = Number.POSITIVE_INFINITY): string {
  const fitted = fittedRows([head, ...rows], width);
  if (fitted === null) return rows.map((row) => linesOf(head, row, width)).join('\n\n');
  const {
    padding,
    rows: [top = [], ...below],
  } = fitted;
  const plain = width === Number.POSITIVE_INFINITY || wantsNoColor();
  const table = new Table({
    head: top,
    style: { 'padding-left': padding, 'padding-right': padding, ...(plain ? { head: [], border: [] } : {}) },
  });
  table.push(...below);
  return table.toString();
}

/** In rows of a list. */
const MOST_LINES = 3;

/** How many of the columns fit, from the first on: no word cut, and no row of too many lines. */
function columnsWithin(head: string[], rows: string[][], width: number): number {
  const isShort = (row: string[]) => row.every((cell) => cell.split('\n').length <= MOST_LINES);
  for (let n = head.length; n > 1; n -= 1) {
    const fitted = fittedRows(
      [head, ...rows].map((row) => row.slice(0, n)),
      width,
    );
    if (fitted?.rows.every(isShort)) return n;
  }
  return 1;
}

/** Each cell in lines of its column's width, with as much padding as there is room for; null: there is no room. */
function fittedRows(all: string[][], width: number): { padding: number; rows: string[][] } | null {
  const [head = []] = all;
  const padding = [1, 0].find((one) => sum(narrowest(all)) + frame(head, one) <= width);
  if (padding === undefined) return null;
  const widths = widthsWithin(width - frame(head, padding), all);
  return { padding, rows: all.map((row) => row.map((cell, n) => wrapped(cell, widths[n]))) };
}

const sum = (widths: readonly number[]) => widths.reduce((all, one) => all + one, 0);
/** What the lines between the columns take, and the padding beside them. */
const frame = ({ length }: readonly string[], padding: number) => length * (1 + 2 * padding) + 1;

const columnsOf = (rows: readonly string[][], of: (cell: string) => number) =>
  (rows[0] ?? []).map((_, n) => Math.max(...rows.map((row) => of(row[n] ?? ''))));
const narrowest = (rows: readonly string[][]) =>
  columnsOf(rows, (cell) => Math.max(...piecesOf(cell).map((piece) => placesOf(piece.trimEnd()))));

/** What the cells take, less of the widest until all fit, as far as no word is cut. */
function widthsWithin(width: number, rows: readonly string[][]): number[] {
  const widths = columnsOf(rows, placesOf);
  const least = narrowest(rows);
  for (let over = sum(widths) - width; over > 0; over -= 1) {
    const free = widths.map((one, n) => (one > (least[n] ?? 0) ? one : 0));
    const widest = free.indexOf(Math.max(...free));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** A row by itself: what each cell is beside it. */
function linesOf(head: readonly string[], row: readonly string[], width: number): string {
  const label = Math.max(...head.map((one) => one.length)) + 2;
  const lines = head.map((one, n) => hanging(`${one.padEnd(label)}${row[n] ?? ''}`, label, width));
  return lines.join('\n');
}

const BELOW = 4;

/** In lines of that width, those after the first one as far in as the text of the first; what has no room there stands below its label. */
export function hanging(text: string, indent: number, width = Number.POSITIVE_INFINITY): string {
  const label = text.slice(0, indent).trimEnd();
  const longest = narrowest([[text.slice(indent)]])[0] ?? 0;
  const isBelow = label !== '' && longest > width - indent && longest <= width - BELOW;
  if (isBelow) return `${label}\n${hanging(' '.repeat(BELOW) + text.slice(indent), BELOW, width)}`;
  const below = wrapped(text.slice(indent), Math.max(20, width - indent));
  return `${text.slice(0, indent)}${below.replaceAll('\n', `\n${' '.repeat(indent)}`)}`;
}

/** Where a word may go on in the next line, if it is longer than a line; a piece that is longer stays whole. */
const piecesOf = (text: string) => text.split(/(?<=[ _/])(?! )|(?<=\.)(?=[a-z])|(?<=[a-z])(?=[A-Z])/);
/** Some characters take two. */
const placesOf = (text: string) => text.length + (text.match(/[\u1100-\u115f\u2e80-\uffff]/g)?.length ?? 0);

function wrapped(text: string, width = Number.POSITIVE_INFINITY): string {
  const lines = [''];
  const pieces = text
    .split(/(?<= )(?! )/)
    .flatMap((word) => (placesOf(word.trimEnd()) > width ? piecesOf(word) : [word]));
  for (const piece of pieces) {
    const last = lines.pop() ?? '';
    if (last !== '' && placesOf(`${last}${piece}`.trimEnd()) > width) lines.push(last.trimEnd(), piece);
    else lines.push(`${last}${piece}`);
  }
  return lines.join('\n');
}

/** Of the terminal that it goes to; none: as long as they are. */
const terminalWidth = (to: Terminal = process.stdout): number | undefined => (to.isTTY ? to.columns : undefined);
/** Times as a terminal shows them. */
const said = (text: string): string => (terminalWidth() === undefined ? text : text.replace(INSTANT, '$1 $2Z'));

/** Numbers of the service keep the digits they came with. */
export function printJson(value: object | Json): void {
  process.stdout.write(`${plainJson(stringify(value, undefined, 2) ?? 'null')}\n`);
}

/** Lines that hold what others wrote, none longer than the terminal; `indent`: what stands below begins there. */
export function printText(text: string, indent = 0): void {
  writeLines(process.stdout, text, () => indent);
}

function writeLines(to: Terminal, text: string, indentOf: (line: string) => number): void {
  const lines = plainText(text).split('\n');
  to.write(`${lines.map((line) => hanging(line, indentOf(line), terminalWidth(to))).join('\n')}\n`);
}

/** Lines of one text each, which may hold what others wrote, as `printText` prints them. `indent`: of each its own, or of all. */
export function printLines(lines: readonly string[], indent: number | ((line: string) => number) = 0): void {
  for (const line of lines.map((one) => said(oneLine(one))))
    printText(line, typeof indent === 'number' ? indent : indent(line));
}

/** What is said beside the data, on stderr. */
export function printNote(text: string): void {
  writeLines(process.stderr, text, (line) => line.search(/\S|$/));
}

/** Facts for programs, a line for people. */
export function printResult(json: boolean, facts: object, text: string): void {
  if (json) printJson(facts);
  else printText(text);
}

/** What comes from outside may not drive the terminal. */
export function oneLine(value: Cell): string {
  return String(value ?? '–').replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

export function printFiles({ files: items, ...about }: { files: PlannedFile[] }, json: boolean): void {
  printList({ ...about, items }, json, { file: 'name', bytes: 'bytes', sha256: 'sha256' });
}

/** Files that would be written to a folder, and that none was. */
export function printPlan(plan: { files: PlannedFile[] }, { dir, json }: { dir: string; json: boolean }): void {
  const whole = path.resolve(dir);
  const planned = { ...plan, dryRun: true, dir: whole };
  printFiles(planned, json);
  if (!json) printNote(`nothing was written; it would be to ${whole}`);
}

const EVERY_MS = 100;

interface ProgressLine {
  /** Asks for the text where it is time for another one. */
  show(text: () => string): void;
  /** Wipes the line, so that what is printed next begins on an empty one. */
  clear(): void;
}

export interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** One line on a terminal's stderr that says how far something is; nothing at all where there is no terminal. */
export function createProgressLine(terminal: Terminal, now = () => performance.now()): ProgressLine {
  let shownAt = Number.NEGATIVE_INFINITY;
  let visible = false;
  if (terminal.isTTY !== true) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => {
      if (now() - shownAt < EVERY_MS) return;
      shownAt = now();
      visible = true;
      // What is wider goes on in a line that nothing wipes.
      terminal.write(`\r\u001b[K${text().slice(0, (terminal.columns ?? Number.POSITIVE_INFINITY) - 1)}`);
    },
    clear: () => {
      if (visible) terminal.write('\r\u001b[K');
      visible = false;
    },
  };
}
