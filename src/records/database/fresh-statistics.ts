import type { Knex } from 'knex';
import { columnOf, raw, run } from './statements.js';

/** So many rows written since make a plan by older numbers slow; below that none is. */
const MANY_ROWS = 1_000;

/**
 * Lets the database look again at the tables that were mostly written since it last did. After a first scan or a long posting
 * autovacuum comes a minute later, or much later: until then it takes a year of entries for a few, and joins each with each. Another
 * that looks at a table is not waited for. Returns the tables.
 */
export async function freshStatistics(db: Knex): Promise<string[]> {
  const tables = await columnOf<string>(db)`
    SELECT quote_ident(schemaname) || '.' || quote_ident(stat.relname) FROM pg_stat_user_tables AS stat JOIN pg_class ON pg_class.oid = relid
    WHERE schemaname = current_schema() AND n_mod_since_analyze >= ${MANY_ROWS} AND n_mod_since_analyze > reltuples / 2
    ORDER BY 1`;
  if (tables.length > 0) await run(db)`ANALYZE (SKIP_LOCKED) ${raw(tables.join(', '))}`;
  return tables;
}
