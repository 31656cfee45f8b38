import type { Knex } from 'knex';
import { snakeCase } from '../../domain/records.js';
import { type Sql, sql } from './statements.js';

/** What a list is asked for: `take` rows (1 to 500) after the opaque `cursor` of an earlier answer. */
export interface PageQuery {
  take?: number | undefined;
  cursor?: string | undefined;
  /** Only what is of that time: `from` belongs to it, `to` does not. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** The page says what its newest row is. */
  marks?: boolean;
  /** Only what is newer than the row of this mark. */
  above?: string | undefined;
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
  /** A mark of its newest row; empty: it has none. Left out: nobody asked, or the list can't say. */
  newest?: string;
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

/** What a list may be narrowed by: texts, each equal to its column. */
export type Filters<Name extends string> = { [Field in Name]?: string | undefined };

/** Those of the filters that were given, as knex's `where` takes them. */
export function given<Name extends string>(query: Filters<Name>, ...names: Name[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name];
      return value === undefined ? [] : [[snakeCase(name), value]];
    }),
  );
}

/** The rows of the time that is asked for. */
export function within(query: Knex.QueryBuilder, { from, to }: PageQuery, column: string): Knex.QueryBuilder {
  if (from !== undefined) void query.where(column, '>=', from);
  if (to !== undefined) void query.where(column, '<', to);
  return query;
}

/** Pages a query over a table with a bigint `id`, newest first, by key: rows that come meanwhile never shift a page. */
export async function pageById<View>(
  query: Knex.QueryBuilder,
  page: PageQuery,
  viewOf: (row: never) => View,
): Promise<Page<View>> {
  const take = takeOf(page);
  const below = page.cursor === undefined ? undefined : decodeCursor(page.cursor, 1)[0];
  if (below !== undefined && !isRowId(below)) throw new CursorError(page.cursor ?? '');
  if (below !== undefined) query = query.where('id', '<', below);
  const [above] = markIn(page, 1);
  if (above !== undefined) query = query.where('id', '>', above);
  const rows = (await query.orderBy('id', 'desc').limit(take + 1)) as { id: string }[];
  const { items, nextCursor } = cut(rows, take, (row) => [row.id]);
  return { items: items.map((row) => viewOf(row as never)), nextCursor, ...markOf(page, rows, ({ id }) => [id]) };
}

/** The parts of the mark above which rows are asked for; none: of all. The first is the id of a row, unless `isFirst` says otherwise. */
function markIn({ above }: PageQuery, parts: number, isFirst: (first: string) => boolean = isRowId): string[] {
  const key = above === undefined ? [] : decodeCursor(above, parts);
  if (above !== undefined && !isFirst(key[0] ?? '')) throw new CursorError(above);
  return key;
}

/** Of a page that is asked for it. `keyOf`: null where a row stands at no certain place. */
export function markOf<Row>(
  { marks }: PageQuery,
  rows: readonly Row[],
  keyOf: (row: Row) => string[] | null,
): Pick<Page<Row>, 'newest'> {
  if (marks !== true) return {};
  const [newest] = rows.flatMap((row) => {
    const key = keyOf(row);
    return key === null ? [] : [key];
  });
  return { newest: newest === undefined ? '' : encodeCursor(newest) };
}

/** The row of a table with a bigint `id`; null: there is none. */
export async function viewById<View>(
  query: Knex.QueryBuilder,
  id: string,
  viewOf: (row: never) => View,
): Promise<View | null> {
  const row: object | undefined = isRowId(id) ? await query.where({ id }).first() : undefined;
  return row === undefined ? null : viewOf(row as never);
}

/** Cuts `take` + 1 rows to a page; the extra row only shows that there is more. */
export function cut<Row>(rows: Row[], take: number, keyOf: (row: Row) => string[]): Page<Row> {
  const items = rows.slice(0, take);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > take && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

export const takeOf = (page: PageQuery): number => Math.min(Math.max(page.take ?? defaultTake, 1), maximumTake);

const encodeCursor = (key: string[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** A time as a cursor of `pageByTime` keeps it. */
const CREATED = `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created`;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Pages a query over a table with a text `id`, by `created_at`, newest first; rows of which that is not known come before all. */
export async function pageByTime<View>(
  query: Knex.QueryBuilder,
  page: PageQuery,
  viewOf: (row: never) => View,
): Promise<Page<View>> {
  const take = takeOf(page);
  const [created = '', id = ''] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 2);
  if (created !== '' && !isTimestamp(created)) throw new CursorError(page.cursor ?? '');
  const [since, last = ''] = markIn(page, 2, isTimestamp);
  if (since !== undefined) query = query.whereRaw('(created_at, id) > (?::timestamptz, ?)', [since, last]);
  if (created !== '') query = query.whereRaw('(created_at, id) < (?::timestamptz, ?)', [created, id]);
  else if (page.cursor !== undefined) query = query.whereRaw('(created_at IS NOT NULL OR id < ?)', [id]);
  const rows = await within(query, page, 'created_at')
    .select(query.client.raw(CREATED))
    .orderByRaw('created_at DESC NULLS FIRST, id DESC')
    .limit(take + 1);
  const found = rows as { id: string; created: string | null }[];
  const { items, nextCursor } = cut(found, take, (row) => [row.created ?? '', row.id]);
  const mark = markOf(page, found, ({ created, id }) => (created === null ? null : [created, id]));
  return { items: items.map((row) => viewOf(row as never)), nextCursor, ...mark };
}

const isTimestamp = (text: string): boolean => TIMESTAMP.test(text) && !Number.isNaN(Date.parse(text));

/** A time as a cursor keeps it, in SQL: microseconds as text. */
export const microseconds = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000000)::bigint::text`;

/** The time of such a text, in SQL. */
export const atMicroseconds = (time: string | null): Sql =>
  sql`'epoch'::timestamptz + CAST(${time} AS bigint) * interval '1 microsecond'`;

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

const ROW_ID = /^\d{1,18}$/;

/** Whether a text can be the id of a row of ours: whole, without a sign, and no larger than a bigint holds. */
export const isRowId = (text: string): boolean => ROW_ID.test(text);
