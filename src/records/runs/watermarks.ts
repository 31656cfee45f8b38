import type { Knex } from 'knex';
import { jsonbText } from '../database/database-text.js';
import { rowsOf, type Trx, valueOf } from '../database/statements.js';

/** How far a list is proven to be read. Small JSON: ids as strings, times as milliseconds. */
export type Watermark = Record<string, string | number | null>;

/** A gap: an interval of a list, newest first, that was not read: above `olderId`, below `newerId`. */
export interface ListGap {
  id: string;
  list: string;
  /** Null: from the head. */
  newerId: string | null;
  /** Null: to the end of the list. */
  olderId: string | null;
  /** When the run began that met it first. */
  openedAt: Date;
  movedAt: Date;
  /** The service's own cursor of a page near `newerId`; null: none is known. */
  token: string | null;
}

export async function readWatermarks(db: Knex, kind: string): Promise<Map<string, Watermark>> {
  const rows = await db<{ kind: string; name: string; value: Watermark }>('watermarks').where({ kind });
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Only the end of a complete run moves them. */
export async function writeWatermarks(
  trx: Trx,
  kind: string,
  runId: string,
  watermarks: ReadonlyMap<string, Watermark>,
): Promise<void> {
  if (watermarks.size === 0) return;
  const about = { kind, run_id: runId, updated_at: trx.fn.now() };
  const rows = [...watermarks].map(([name, value]) => ({ ...about, name, value: jsonbText(value) }));
  await trx('watermarks').insert(rows).onConflict(['kind', 'name']).merge();
}

/** Those nearest the head first. */
export async function readListGaps(db: Knex, kind: string): Promise<ListGap[]> {
  return rowsOf<ListGap>(db)`
    SELECT part.id, list, newer_id AS "newerId", older_id AS "olderId", started_at AS "openedAt", updated_at AS "movedAt",
           token
    FROM unread_intervals AS part JOIN runs ON runs.id = run_id WHERE part.kind = ${kind} ORDER BY part.id DESC`;
}

/** Returns the interval's id. */
export async function openInterval(
  trx: Trx,
  interval: { kind: string; list: string; newerId: string | null; olderId: string | null; runId: string },
): Promise<string> {
  const { kind, list, newerId, olderId, runId } = interval;
  return valueOf<string>(trx)`
    INSERT INTO unread_intervals (kind, list, newer_id, older_id, run_id)
    VALUES (${kind}, ${list}, ${newerId}::text, ${olderId}::text, ${runId}) RETURNING id`;
}

/** Everything above `newerId` was read, and saved in the same transaction. */
export async function shrinkInterval(
  trx: Trx,
  id: string,
  { newerId, token }: { newerId: string; token: string | null },
): Promise<void> {
  await trx('unread_intervals').where({ id }).update({ newer_id: newerId, token, updated_at: trx.fn.now() });
}

export async function closeInterval(trx: Trx, id: string): Promise<void> {
  await trx('unread_intervals').where({ id }).delete();
}
