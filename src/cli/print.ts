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

/** `{items, …}` as JSON for programs, or a table for people. Data, so on stdout. */
export function printList<Item>(
  page: { items: Item[]; nextCursor?: string | null },
  json: boolean,
  columns: Columns<Item>,
): void {
  if (json) {
    printJson(page);
    return;
  }
  if (page.items.length === 0) {
    process.stderr.write('nothing to show\n');
    return;
  }
  const cellOf = (item: Item, shown: Columns<Item>[string]) =>
    typeof shown === 'function' ? shown(item) : (item[shown] as Cell);
  const rows = page.items.map((item) => Object.values(columns).map((shown) => oneLine(cellOf(item, shown))));
  const { isTTY, columns: width } = process.stdout;
  process.stdout.write(`${tableText(Object.keys(columns), rows, isTTY ? width : undefined)}\n`);
  if (page.nextCursor) process.stderr.write(`more: --cursor ${page.nextCursor}\n`);
}

/** `width`: of the terminal; cells that are longer than fits go on in lines below, whole. Left out: as wide as they are. */
export function tableText(head: string[], rows: string[][], width?: number): string {
  const plain = width === undefined || wantsNoColor();
  const colWidths = width === undefined ? [] : widthsWithin(width, [head, ...rows]);
  const fitted = (row: string[]) => row.map((cell, n) => brokenAt(cell, (colWidths[n] ?? Infinity) - PADDING));
  const table = new Table({
    head: fitted(head),
    colWidths,
    wordWrap: true,
    ...(plain ? { style: { head: [], border: [] } } : {}),
  });
  table.push(...rows.map(fitted));
  return table.toString();
}

/** Characters that take two places. */
const WIDE = /[\u1100-\u115f\u2e80-\uffff]/;

/** Words that are longer than that go on in the next line. */
function brokenAt(cell: string, most: number): string {
  if (most === Infinity) return cell;
  const length = WIDE.test(cell) ? Math.floor(most / 2) : most;
  return cell.replace(new RegExp(`\\S{${length}}(?=\\S)`, 'gu'), '$&\n');
}

const PADDING = 2;
const NARROWEST = 6;

/** What the cells take, less of the widest until all fit; with their padding, without the lines between. */
function widthsWithin(width: number, rows: readonly string[][]): number[] {
  const widths = (rows[0] ?? []).map((_, n) => PADDING + Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  const total = () => widths.reduce((sum, one) => sum + one + 1, 1);
  for (let most = Math.max(...widths); total() > width && most > NARROWEST; most = Math.max(...widths))
    widths[widths.indexOf(most)] = most - 1;
  return widths;
}

/** Numbers of the service keep the digits they came with. */
export function printJson(value: object | Json): void {
  process.stdout.write(`${plainJson(stringify(value, undefined, 2) ?? 'null')}\n`);
}

/** Lines that hold what others wrote. */
export function printText(text: string): void {
  process.stdout.write(`${plainText(text)}\n`);
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
  if (!json) process.stderr.write(`nothing was written; it would be to ${whole}\n`);
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
      terminal.write(`\r\u001b[K${text()}`);
    },
    clear: () => {
      if (visible) terminal.write('\r\u001b[K');
      visible = false;
    },
  };
}
