import type { Knex } from 'knex';
import { textArray } from './array-parameter.js';

/** What a statement behind a failed one of its transaction answers. */
const ABORTED = '25P02';

/**
 * Statements of one transaction that do not need each other's answers: they are sent at once, and the server takes them one
 * after the other, in the order in which they are begun. A query of knex begins when its `then` is called, not when it is made.
 * One that fails makes those behind it fail; its own error is thrown, wherever it stands, once all are answered.
 */
export async function together<const Begun extends readonly Promise<unknown>[]>(
  ...begun: Begun
): Promise<{ -readonly [Index in keyof Begun]: Awaited<Begun[Index]> }> {
  const outcomes = await Promise.allSettled(begun);
  const errors = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as Error & { code?: string }] : [],
  );
  const cause = errors.find((error) => error.code !== ABORTED);
  if (cause !== undefined) throw cause;
  return Promise.all(begun);
}

/**
 * A statement that each connection has parsed and planned once, under this name. Only for those whose plan does not hang on
 * how full a table is, as that of an INSERT out of arrays or, in a save, of a lookup by keys: a plan made over an empty table
 * would be kept for a full one.
 */
export function prepared<Result>(trx: Knex, name: string, sql: string, parameters: Buffer[]): Knex.Raw<Result> {
  return trx.raw<Result>(sql, parameters).options({ name });
}

interface Keyed<Row> {
  table: string;
  key: keyof Row & string;
  columns: string;
  /** As `prepared`; the columns are named then: of `*` a new one would make the plan useless. */
  isPrepared?: boolean;
}

/**
 * Which of the keys (each once) have a row. Where all have one, the rows are locked, in the order of
 * keys; else `rows` is null. Only for tables whose rows are never deleted and keep their key.
 */
export async function findOrLock<Row>(
  trx: Knex.Transaction,
  { table, key, columns, isPrepared = false }: Keyed<Row>,
  keys: readonly string[],
): Promise<{ existing: string[]; rows: Row[] | null }> {
  const asked = textArray(keys);
  const query = trx.raw<{ rows: Row[] }>(
    `WITH found AS MATERIALIZED (SELECT ${key} FROM ${table} WHERE ${key} = ANY (?::text[])),
     locked AS MATERIALIZED (SELECT ${columns} FROM ${table}
       WHERE ${key} = ANY (?::text[]) AND (SELECT count(*) FROM found) = ? ORDER BY ${key} FOR UPDATE)
     SELECT * FROM found LEFT JOIN locked USING (${key})`,
    [asked, asked, keys.length],
  );
  const { rows } = await (isPrepared ? query.options({ name: `find ${table}` }) : query);
  return { existing: rows.map((row) => String(row[key])), rows: rows.length === keys.length ? rows : null };
}
