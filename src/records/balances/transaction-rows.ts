import type { Knex } from 'knex';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { columnOf, milliseconds, raw, rowsOf, sql, type Trx } from '../database/statements.js';

/** The service's own list showed the row at the last poll; what only events spoke of is none such. */
const READ = raw("(absent_since IS NULL AND coalesce(poll_hash, '') <> '')");
const CREATED_MS = raw(`${milliseconds('created_at')} AS "createdAt"`);

/** An interval of creation times, ms. */
interface TimeWindow {
  from: number;
  to: number;
}

/** Neither end is part of it. */
const readBetween = ({ from, to }: TimeWindow) => sql`
  transactions WHERE created_at > to_timestamp(${from}::float8 / 1000) AND created_at < to_timestamp(${to}::float8 / 1000)
    AND ${READ}`;

export async function transactionsReadBetween(db: Knex, between: TimeWindow): Promise<string[]> {
  return columnOf<string>(db)`SELECT id FROM ${readBetween(between)}`;
}

export async function countTransactionsRead(db: Knex, between: TimeWindow): Promise<number> {
  const [count = 0] = await columnOf<number>(db)`SELECT count(*)::float8 FROM ${readBetween(between)}`;
  return count;
}

/** The middle of a pause of `pauseMs` or more between two rows, as near as there is to the middle row; ms. */
export async function pauseInTransactions(db: Knex, between: TimeWindow, pauseMs: number): Promise<number | null> {
  const [middle = null] = await columnOf<number>(db)`
    WITH placed AS (
      SELECT created_at, lag(created_at) OVER w AS before, row_number() OVER w AS place, count(*) OVER () AS total
      FROM ${readBetween(between)} WINDOW w AS (ORDER BY created_at)
    )
    SELECT floor((extract(epoch FROM created_at) + extract(epoch FROM before)) * 500)::float8 AS ms FROM placed
    WHERE created_at - before > ${pauseMs}::float8 * interval '1 millisecond' ORDER BY abs(place * 2 - total) LIMIT 1`;
  return middle;
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
  const rows = await rowsOf<Omit<KnownTransaction, 'fields'> & { shown: string }>(db)`
    SELECT id, account_id AS "accountId", ${CREATED_MS}, shown
    FROM transactions WHERE id = ANY (${ids}::text[]) AND ${READ}`;
  return rows.map(({ shown, ...row }) => ({ ...row, fields: objectFromJsonText(shown) }));
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
  return rowsOf<NamedTransaction>(db)`
    SELECT id, ${CREATED_MS}, ${READ} AS "isRead"
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS asked (id, place) JOIN transactions USING (id) ORDER BY place`;
}

/** The windows of the feed that were read whole, by how that was proven. */
export async function feedWindows(db: Knex, proof: string): Promise<TimeWindow[]> {
  return rowsOf<TimeWindow>(db)`
    SELECT from_ms::float8 AS "from", to_ms::float8 AS "to" FROM feed_windows WHERE proof = ${proof} ORDER BY from_ms`;
}

/** Puts one window in the place of those that it absorbed. */
export async function replaceFeedWindows(
  trx: Trx,
  proof: string,
  window: TimeWindow,
  absorbed: readonly TimeWindow[],
): Promise<void> {
  const starts = [window, ...absorbed].map(({ from }) => String(from));
  await trx('feed_windows').where({ proof }).whereIn('from_ms', starts).delete();
  await trx('feed_windows').insert({ proof, from_ms: window.from, to_ms: window.to });
}
