import Table from 'cli-table3';
import { stringify } from 'lossless-json';
import { wantsNoColor } from '../config.js';
import type { Json } from '../domain/json.js';
import { plainJson, plainText } from '../domain/plain-text.js';

/** How a column is headed and what of an item it shows. */
export type Columns<Item> = Record<string, (item: Item) => string | number | null | undefined>;

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
  const plain = !process.stdout.isTTY || wantsNoColor();
  const table = new Table({ head: Object.keys(columns), ...(plain ? { style: { head: [], border: [] } } : {}) });
  for (const item of page.items) table.push(Object.values(columns).map((cell) => oneLine(cell(item))));
  process.stdout.write(`${table.toString()}\n`);
  if (page.nextCursor) process.stderr.write(`more: --cursor ${page.nextCursor}\n`);
}

/** Numbers of the service keep the digits they came with. */
export function printJson(value: object | Json): void {
  process.stdout.write(`${plainJson(stringify(value, undefined, 2) ?? 'null')}\n`);
}

/** Lines that hold what others wrote. */
export function printText(text: string): void {
  process.stdout.write(`${plainText(text)}\n`);
}

/** What comes from outside may not drive the terminal. */
export function oneLine(value: string | number | null | undefined): string {
  return String(value ?? '–').replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
