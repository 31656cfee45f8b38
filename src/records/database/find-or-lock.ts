import type { Knex } from 'knex';
import { textArray } from './array-parameter.js';

interface Keyed<Row> {
  table: string;
  key: keyof Row & string;
  columns: string;
}

/**
 * Which of the keys (each once) have a row. Where all have one, the rows are locked, in the order of
 * keys; else `rows` is null. Only for tables whose rows are never deleted and keep their key.
 */
export async function findOrLock<Row>(
  trx: Knex.Transaction,
  { table, key, columns }: Keyed<Row>,
  keys: readonly string[],
): Promise<{ existing: string[]; rows: Row[] | null }> {
  const asked = textArray(keys);
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `WITH found AS MATERIALIZED (SELECT ${key} FROM ${table} WHERE ${key} = ANY (?::text[])),
     locked AS MATERIALIZED (SELECT ${columns} FROM ${table}
       WHERE ${key} = ANY (?::text[]) AND (SELECT count(*) FROM found) = ? ORDER BY ${key} FOR UPDATE)
     SELECT * FROM found LEFT JOIN locked USING (${key})`,
    [asked, asked, keys.length],
  );
  return { existing: rows.map((row) => String(row[key])), rows: rows.length === keys.length ? rows : null };
}
