import type { Knex } from 'knex';

/**
 * A statement that each connection has parsed and planned once, under this name. Only for those whose plan does not hang on
 * how full a table is, as that of an INSERT out of arrays or, in a save, of a lookup by keys: a plan made over an empty table
 * would be kept for a full one.
 */
export function prepared<Result>(trx: Knex, name: string, sql: string, parameters: Buffer[]): Knex.Raw<Result> {
  return trx.raw<Result>(sql, parameters).options({ name });
}
