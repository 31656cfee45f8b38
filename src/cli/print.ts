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

/** What only `show`, and what is no terminal, has of each item of a list. */
interface Besides<Item> {
  columns: Columns<Item>;
  show: string;
}

/** `{items, …}` as JSON for programs, or a table for people. Data, so on stdout. A terminal shows the same columns whatever the rows hold. */
export function printList<Item>(
  page: { items: Item[]; nextCursor?: string | null },
  json: boolean,
  columns: Columns<Item>,
  besides?: Besides<Item>,
): void {
  if (json) {
    printJson(page);
    return;
  }
  if (page.items.length === 0) {
    printNote('nothing to show');
    return;
  }
  const width = terminalWidth();
  const shown = width === undefined ? { ...columns, ...besides?.columns } : columns;
  const textOf = (item: Item, cell: Columns<Item>[string]) =>
    said(oneLine(typeof cell === 'function' ? cell(item) : (item[cell] as Cell)));
  const rows = page.items.map((item) => Object.values(shown).map((cell) => textOf(item, cell)));
  process.stdout.write(`${tableText(Object.keys(shown), rows, width)}\n`);
  if (besides && width !== undefined) printNote(`${besides.show} has also: ${Object.keys(besides.columns).join(', ')}`);
  if (page.nextCursor) printNote(`more: --cursor ${page.nextCursor}`);
}

/**
 * `width`: of the terminal. What is longer goes on in the next line, behind a space or what joins the parts of a word; no word is cut:
 * where the columns don't fit so, not even without padding, or a row is higher than it can be read across, each is a card. Left out: as
 * wide as it is.
 */
export function tableText(head: string[], rows: string[][], width = Number.POSITIVE_INFINITY): string {
  const fitted = fittedRows([head, ...rows], width);
  const [top = [], ...below] = fitted?.rows ?? [];
  const isHigh = below.flat().some((cell) => linesIn(cell) > MOST_LINES);
  if (fitted === null || isHigh) return cardsOf(head, rows, width);
  const { padding } = fitted;
  const plain = width === Number.POSITIVE_INFINITY || wantsNoColor();
  const table = new Table({
    head: top,
    style: { 'padding-left': padding, 'padding-right': padding, ...(plain ? { head: [], border: [] } : {}) },
  });
  table.push(...below);
  return table.toString();
}

/** In rows of a table. */
const MOST_LINES = 3;
/** Of cards of a line for each cell. */
const ONE_SCREEN = 24;

/** Few cards have a line for each cell, under each other; in many the cells run on. */
function cardsOf(head: readonly string[], rows: readonly string[][], width: number): string {
  const isFew = rows.length * (head.length + 1) <= ONE_SCREEN;
  return rows.map((row) => (isFew ? linesOf : runOn)(head, row, width)).join(isFew ? '\n\n' : '\n');
}

/** A row in as few lines as it takes, those after the first one further in. */
function runOn(head: readonly string[], row: readonly string[], width: number): string {
  const lines: string[] = [];
  for (const cell of head.map((label, n) => `${label}: ${row[n] || '–'}`)) {
    const longer = `${lines.at(-1) ?? ''} · ${cell}`;
    if (lines.length > 0 && placesOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(lines.length === 0 ? cell : `  ${cell}`);
  }
  return lines.map((line, n) => hanging(line, n === 0 ? 0 : 2, width)).join('\n');
}

/** Each cell in lines of its column's width, with padding where that makes no row higher; null: there is no room. */
function fittedRows(all: string[][], width: number): { padding: number; rows: string[][] } | null {
  const [head = []] = all;
  const least = sum(narrowest(all));
  const ways = [1, 0].flatMap((padding) => {
    const room = width - frame(head, padding);
    if (least > room) return [];
    const widths = widthsWithin(room, all);
    return [{ padding, rows: all.map((row) => row.map((cell, n) => wrapped(cell, widths[n]))) }];
  });
  const height = ({ rows }: { rows: string[][] }) => sum(rows.map((row) => Math.max(...row.map(linesIn))));
  return ways.toSorted((one, other) => height(one) - height(other))[0] ?? null;
}

const linesIn = (cell: string) => cell.split('\n').length;
const sum = (widths: readonly number[]) => widths.reduce((all, one) => all + one, 0);
/** What the lines between the columns take, and the padding beside them. */
const frame = ({ length }: readonly string[], padding: number) => length * (1 + 2 * padding) + 1;

const columnsOf = (rows: readonly string[][], of: (cell: string) => number) =>
  (rows[0] ?? []).map((_, n) => Math.max(...rows.map((row) => of(row[n] ?? ''))));
const narrowest = (rows: readonly string[][]) =>
  columnsOf(rows, (cell) => Math.max(...piecesOf(cell).map((piece) => placesOf(piece.trimEnd()))));

/** As narrow as no word is cut; then what room there is goes where a place more saves the most lines, those of high cells before others. */
function widthsWithin(width: number, rows: readonly string[][]): number[] {
  const most = columnsOf(rows, placesOf);
  if (sum(most) <= width) return most;
  const widths = narrowest(rows);
  const heights = widths.map((least, n) => {
    const of = (places: number) => sum(rows.map((row) => linesIn(wrapped(row[n] ?? '', least + places)) ** 2));
    return Array.from({ length: Math.min(most[n] ?? 0, width) - least + 1 }, (_, places) => of(places));
  });
  const added = widths.map(() => 0);
  for (;;) {
    const room = width - sum(widths) - sum(added);
    const [best] = heights
      .flatMap((of, n) => {
        const now = added[n] ?? 0;
        const saves = (more: number) => ((of[now] ?? 0) - (of[now + more] ?? Infinity)) / more;
        return Array.from({ length: room }, (_, more) => ({ n, more: more + 1, saves: saves(more + 1) }));
      })
      .toSorted((one, other) => other.saves - one.saves);
    if (best === undefined || best.saves <= 0) return widths.map((least, n) => least + (added[n] ?? 0));
    added[best.n] = (added[best.n] ?? 0) + best.more;
  }
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
const piecesOf = (text: string) =>
  text.split(/(?<=[ _/@])(?! )|(?<=\.)(?=[a-z])|(?<=[a-z])(?=[A-Z])|(?<=[a-z][-:])(?=[a-z])/);
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
