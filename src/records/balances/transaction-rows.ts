import type { Knex } from 'knex';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { raw, rowsOf } from '../database/statements.js';

/** The service's own list showed the row at the last poll; what only events spoke of is none such. */
const READ = "(absent_since IS NULL AND coalesce(poll_hash, '') <> '')";
const BETWEEN = 'created_at > to_timestamp(?::float8 / 1000) AND created_at < to_timestamp(?::float8 / 1000)';

/** Moments in ms; neither is part of it. */
interface Between {
  from: number;
  to: number;
}

export async function transactionsReadBetween(db: Knex, { from, to }: Between): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM transactions WHERE ${BETWEEN} AND ${READ}`,
    [from, to],
  );
  return rows.map(({ id }) => id);
}

export async function countTransactionsRead(db: Knex, { from, to }: Between): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) FROM transactions WHERE ${BETWEEN} AND ${READ}`,
    [from, to],
  );
  return Number(rows[0]?.count ?? 0);
}

/** The middle of a pause of `pauseMs` or more between two rows, as near as there is to the middle row; ms. */
export async function pauseInTransactions(db: Knex, { from, to }: Between, pauseMs: number): Promise<number | null> {
  const { rows } = await db.raw<{ rows: { ms: string }[] }>(
    `WITH placed AS (
       SELECT created_at, lag(created_at) OVER w AS before, row_number() OVER w AS place, count(*) OVER () AS total
       FROM transactions WHERE ${BETWEEN} AND ${READ} WINDOW w AS (ORDER BY created_at)
     )
     SELECT floor((extract(epoch FROM created_at) + extract(epoch FROM before)) * 500)::bigint AS ms FROM placed
     WHERE created_at - before > ?::float8 * interval '1 millisecond' ORDER BY abs(place * 2 - total) LIMIT 1`,
    [from, to, pauseMs],
  );
  return rows[0] === undefined ? null : Number(rows[0].ms);
}

export interface KnownTransaction {
  id: string;
  accountId: string | null;
  createdAt: number | null;
  fields: JsonObject;
}

/** Of these, the ones that the service's own list has shown, as they stand here. */
export async function transactionsRead(db: Knex, ids: readonly string[]): Promise<KnownTransaction[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf<{ id: string; account_id: string | null; ms: string | null; shown: string }>(db)`
    SELECT id, account_id, floor(extract(epoch FROM created_at) * 1000)::bigint AS ms, shown
    FROM transactions WHERE id = ANY (${ids}::text[]) AND ${raw(READ)}`;
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    createdAt: row.ms === null ? null : Number(row.ms),
    fields: objectFromJsonText(row.shown),
  }));
}

export interface NamedTransaction {
  id: string;
  createdAt: number | null;
  /** The service's own list has shown it. */
  isRead: boolean;
}

/** Of these, the ones that a record is kept of, in the order given. */
export async function namedTransactions(db: Knex, ids: readonly string[]): Promise<NamedTransaction[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf<{ id: string; ms: string | null; is_read: boolean }>(db)`
    SELECT id, floor(extract(epoch FROM created_at) * 1000)::bigint AS ms, ${raw(READ)} AS is_read
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place) JOIN transactions USING (id) ORDER BY place`;
  return rows.map(({ id, ms, is_read: isRead }) => {
    return { id, createdAt: ms === null ? null : Number(ms), isRead };
  });
}
