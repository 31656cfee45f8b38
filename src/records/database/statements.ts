import type { Knex } from 'knex';
import { bigintArray, booleanArray, floatArray, integerArray, textArray } from './array-parameter.js';
import type { Verbatim } from './database-text.js';

export type Trx = Knex.Transaction;

type Value = string | number | boolean | null | Date | Buffer | Verbatim;
type Given = Value | Sql | readonly Value[];
type Tag<Answer> = (texts: TemplateStringsArray, ...given: readonly Given[]) => Promise<Answer>;

/** A part of a statement, with its values. */
export class Sql {
  readonly text: string;
  readonly values: readonly unknown[];

  constructor(text: string, values: readonly unknown[] = []) {
    this.text = text;
    this.values = values;
  }
}

/** SQL of our own, for a statement that is a template: what else stands in one is sent as a value. */
export const raw = (text: string | number): Sql => new Sql(String(text));

/** A part of a statement that has values of its own. */
export function sql(texts: TemplateStringsArray, ...given: readonly Given[]): Sql {
  const parts = given.map((one, n) =>
    one instanceof Sql ? one : new Sql('?', [arrayIn(one, texts[n + 1]?.match(/^::(\w+)\[\]/)?.[1])]),
  );
  return new Sql(
    texts.map((text, n) => `${text}${parts[n]?.text ?? ''}`).join(''),
    parts.flatMap(({ values }) => values),
  );
}

type Column<Row> = ColumnType | readonly [ColumnType, (row: Row) => Value];
type ColumnType = 'text' | 'integer' | 'bigint' | 'float8' | 'boolean' | 'timestamptz';

/**
 * Rows as a table of a statement. Of each column its type, and what of a row stands in it; left out: the field of its name.
 * The last column may be the row's place, from 1 on.
 */
export function tableOf<Row extends object>(
  name: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, Column<Row>>>,
  place?: string,
): Sql {
  const names = Object.keys(columns);
  const arrays = Object.entries(columns).map(([field, column]) => {
    const [type, read] = Array.isArray(column) ? column : [column, (row: Row) => Reflect.get(row, field) as Value];
    return new Sql(`?::${type}[]`, [arrayIn(rows.map(read), type)]);
  });
  const unnested = `unnest(${arrays.map(({ text }) => text).join(', ')})${place === undefined ? '' : ' WITH ORDINALITY'}`;
  const all = place === undefined ? names : [...names, place];
  return new Sql(
    `${unnested} AS ${name} (${all.join(', ')})`,
    arrays.flatMap(({ values }) => values),
  );
}

/** SQL of a time as milliseconds, rounded down. */
export const milliseconds = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

/** SQL of a time as text, ISO 8601 in UTC. */
export const utc = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** SQL of an exact number as text, without trailing zeros. */
export const exact = (expression: string): string => `trim_scale(${expression})::text`;

/** Parts one after the other. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return new Sql(
    parts.map(({ text }) => text).join(between),
    parts.flatMap(({ values }) => values),
  );
}

const encoders: Readonly<Record<string, (values: never[]) => Buffer>> = {
  text: textArray,
  integer: integerArray,
  float8: floatArray,
  boolean: booleanArray,
};

/** An array goes in the binary form of the type that the statement gives it (array-parameter.ts), where there is one. */
function arrayIn(value: Value | readonly Value[], type = ''): unknown {
  if (!Array.isArray(value)) return value;
  if (type === 'bigint' && value.every((one) => typeof one === 'number')) return bigintArray(value);
  return encoders[type]?.(value as never[]) ?? value;
}

async function answerOf(
  db: Knex,
  { text, values }: Sql,
  timeoutMs?: number,
): Promise<{ rows: unknown[]; rowCount: number | null }> {
  const query = values.length === 0 ? db.raw(text) : db.raw(text, values as Knex.RawBinding[]);
  return timeoutMs === undefined ? query : query.timeout(timeoutMs);
}

/**
 * The rows that a statement answers with: rowsOf<Row>(db)`SELECT … WHERE id = ANY (${ids}::text[])`. `Row` is taken at its word:
 * a time comes as Date, a bigint and a numeric as text (`utc`, `milliseconds`, `exact` and casts give others).
 */
export function rowsOf<Row>(db: Knex, timeoutMs?: number): Tag<Row[]> {
  return async (...statement) => (await answerOf(db, sql(...statement), timeoutMs)).rows as Row[];
}

/** The first row that a statement answers with; undefined: there is none. */
export function firstOf<Row>(db: Knex): Tag<Row | undefined> {
  return async (...statement) => (await answerOf(db, sql(...statement))).rows[0] as Row | undefined;
}

/** The one row of a statement that always answers with one. */
export function rowOf<Row>(db: Knex): Tag<Row> {
  return async (...statement) => (await answerOf(db, sql(...statement))).rows[0] as Row;
}

/** The one value of a statement that always answers with one. */
export function valueOf<Answer>(db: Knex): Tag<Answer> {
  return async (...statement) => Object.values((await answerOf(db, sql(...statement))).rows[0] as object)[0] as Answer;
}

/** The values of a statement that answers with one column. */
export function columnOf<Value>(db: Knex): Tag<Value[]> {
  return async (...statement) => {
    const { rows } = await answerOf(db, sql(...statement));
    return (rows as Record<string, Value>[]).flatMap((row) => Object.values(row));
  };
}

/** Runs a statement; returns how many rows it wrote. */
export function run(db: Knex): Tag<number> {
  return async (...statement) => (await answerOf(db, sql(...statement))).rowCount ?? 0;
}

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

/** Of a transaction that looks everything up by keys: of a table that grew since it was last analyzed the planner would rather read the whole. */
export const BY_KEYS = 'SET LOCAL enable_seqscan = off';

/**
 * Of a transaction that saves, ahead of its locks. A prepared statement is planned once: with few parameters Postgres would do it each time
 * (test/records/save-plans.test.ts). Whoever stands still in its midst for a minute, or is gone with its machine,
 * gives them up: the server ends the session. Between two statements a process computes for a second or two at most.
 */
export const SAVING = `${BY_KEYS}; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/**
 * A statement that each connection has parsed and planned once, under this name. Only for those whose plan does not hang on
 * how full a table is, as that of an INSERT out of arrays or, in a save, of a lookup by keys: a plan made over an empty table
 * would be kept for a full one; for any other the name is null.
 */
export function prepared<Result>(
  trx: Knex,
  name: string | null,
  sql: string,
  parameters: readonly Knex.RawBinding[],
): Knex.Raw<Result> {
  const query = trx.raw<Result>(sql, parameters);
  return name === null ? query : query.options({ name });
}

interface Keyed<Row> {
  table: string;
  key: keyof Row & string;
  /** Named: of `*` a new one would make the plan useless. */
  columns: string;
}

/**
 * Which of the keys (each once) have a row. Where all have one, the rows are locked, in the order of
 * keys; else `rows` is null. Only for tables whose rows are never deleted and keep their key.
 */
export async function findOrLock<Row>(
  trx: Trx,
  { table, key, columns }: Keyed<Row>,
  keys: readonly string[],
): Promise<{ existing: string[]; rows: Row[] | null }> {
  const asked = textArray(keys);
  const { rows } = await prepared<{ rows: Row[] }>(
    trx,
    `find ${table}`,
    `WITH found AS MATERIALIZED (SELECT ${key} FROM ${table} WHERE ${key} = ANY (?::text[])),
     locked AS MATERIALIZED (SELECT ${columns} FROM ${table}
       WHERE ${key} = ANY (?::text[]) AND (SELECT count(*) FROM found) = ? ORDER BY ${key} FOR UPDATE)
     SELECT * FROM found LEFT JOIN locked USING (${key})`,
    [asked, asked, keys.length],
  );
  return { existing: rows.map((row) => String(row[key])), rows: rows.length === keys.length ? rows : null };
}

/**
 * SQL of the values that a column has, without null: from one to the next along an index that begins with the column, so
 * that it costs as much as there are values, not rows. Both names go into the text as they are.
 */
export function distinctValues(table: string, column: string): Sql {
  return raw(`WITH RECURSIVE steps (value) AS (
    (SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM ${table} WHERE ${column} > steps.value ORDER BY ${column} LIMIT 1)
    FROM steps WHERE value IS NOT NULL
  ) SELECT value FROM steps WHERE value IS NOT NULL`);
}

/** With `dryRun` what would be done is done, and not kept. Within a transaction `how` is that one's. */
export async function inTransaction<T>(
  db: Knex,
  dryRun: boolean,
  work: (trx: Trx) => Promise<T>,
  how?: Knex.TransactionConfig,
): Promise<T> {
  const trx = await (how === undefined || db.isTransaction ? db.transaction() : db.transaction(how));
  try {
    const result = await work(trx);
    await (dryRun ? trx.rollback() : trx.commit());
    return result;
  } finally {
    if (!trx.isCompleted()) await trx.rollback();
  }
}
