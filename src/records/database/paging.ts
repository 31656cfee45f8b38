import type { Knex } from 'knex';
import { isRowId } from './row-id.js';

/** What a list is asked for: `take` rows (1 to 500) after the opaque `cursor` of an earlier answer. */
export interface PageQuery {
  take?: number | undefined;
  cursor?: string | undefined;
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A cursor that no list of ours gave out. */
export class CursorError extends Error {
  constructor(given: string) {
    super(`"${given.slice(0, 80)}" is not a cursor of this list; take it from nextCursor of an earlier answer.`);
    this.name = 'CursorError';
  }
}

export const defaultTake = 50;
export const maximumTake = 500;

/** Pages a query over a table with a bigint `id`, newest first, by key: rows that come meanwhile never shift a page. */
export async function pageById<Row extends { id: string }>(
  query: Knex.QueryBuilder,
  page: PageQuery,
): Promise<Page<Row>> {
  const take = takeOf(page);
  const below = page.cursor === undefined ? undefined : decodeCursor(page.cursor, 1)[0];
  if (below !== undefined && !isRowId(below)) throw new CursorError(page.cursor ?? '');
  if (below !== undefined) query = query.where('id', '<', below);
  const rows = (await query.orderBy('id', 'desc').limit(take + 1)) as Row[];
  return cut(rows, take, (row) => [row.id]);
}

/** Cuts `take` + 1 rows to a page; the extra row only shows that there is more. */
export function cut<Row>(rows: Row[], take: number, keyOf: (row: Row) => string[]): Page<Row> {
  const items = rows.slice(0, take);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > take && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

export function takeOf(page: PageQuery): number {
  return Math.min(Math.max(page.take ?? defaultTake, 1), maximumTake);
}

function encodeCursor(key: string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** A time as a cursor keeps it, in SQL: microseconds as text. */
export const microseconds = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000000)::bigint::text`;

/** The time of such a parameter, in SQL. */
export const atMicroseconds = (parameter: string): string =>
  `'epoch'::timestamptz + CAST(${parameter} AS bigint) * interval '1 microsecond'`;

/** Of a list by a time: the key, the time first, after which a page begins; null: the first page. @throws {CursorError} */
export function timeKeyOf({ cursor }: PageQuery, parts: number): string[] | null {
  if (cursor === undefined) return null;
  const key = decodeCursor(cursor, parts);
  if (!/^-?\d{1,18}$/.test(key[0] ?? '')) throw new CursorError(cursor);
  return key;
}

export function decodeCursor(cursor: string, parts: number): string[] {
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new CursorError(cursor);
  }
  const valid = Array.isArray(key) && key.length === parts && key.every((part) => typeof part === 'string');
  if (!valid) throw new CursorError(cursor);
  return key as string[];
}
