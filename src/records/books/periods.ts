import type { Knex } from 'knex';
import { isMonth } from '../../domain/books/posting-month.js';
import { type PeriodView, periodShape } from '../../domain/views/books-shapes.js';
import { CursorError, cut, decodeCursor, type Page, type PageQuery, takeOf } from '../database/paging.js';
import { raw, rowsOf, type Sql, sql, type Trx } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';
import { periodFiles } from './period-files.js';

type Row = RowOf<Omit<PeriodView, 'entries' | 'files'>> & { entries: string };

interface PeriodFilters {
  status?: string | undefined;
  /** Months with one of these days of the books (YYYY-MM-DD), both included. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/** Months that have entries or were closed, newest first. Throws `CursorError`. */
export async function listPeriods(db: Knex, query: PageQuery & PeriodFilters): Promise<Page<PeriodView>> {
  const take = takeOf(query);
  const below = query.cursor === undefined ? '9999-13' : decodeCursor(query.cursor, 1)[0];
  if (below !== '9999-13' && !isMonth(below ?? '')) throw new CursorError(query.cursor ?? '');
  const status = query.status === undefined ? raw('') : sql`AND status = ${query.status}`;
  const { fromDay, toDay } = query;
  const first = fromDay === undefined ? raw('') : sql`AND month >= ${fromDay.slice(0, 7)}`;
  const last = toDay === undefined ? raw('') : sql`AND month <= ${toDay.slice(0, 7)}`;
  const rows = await select(db, sql`month < ${below ?? ''} ${status} ${first} ${last}`, take + 1);
  const { items, nextCursor } = cut(rows, take, (row) => [row.month]);
  return { items: await Promise.all(items.map((row) => periodOf(db, row))), nextCursor };
}

/** Null: no month of the books. */
export async function getPeriod(db: Knex, month: string): Promise<PeriodView | null> {
  if (!isMonth(month)) return null;
  const [row] = await select(db, sql`month = ${month}`, 1);
  return row === undefined ? null : periodOf(db, row);
}

async function select(db: Knex, where: Sql, limit: number): Promise<Row[]> {
  return rowsOf<Row>(db)`
    SELECT months.*, approved_by, coalesce(exceptions, '[]') AS exceptions FROM (
      SELECT month, coalesce(status, 'open') AS status, coalesce(closings, 0) AS closings, closed_at, closed_by, reason,
             reopened_at, reopened_by, coalesce(entry_months.entries, 0) AS entries
      FROM entry_months FULL JOIN periods USING (month)
    ) AS months LEFT JOIN LATERAL (
      SELECT details ->> 'approvedBy' AS approved_by, jsonb_path_query_array(details, '$.missing[*].told') AS exceptions
      FROM actions WHERE action = 'close period' AND target = 'period ' || month AND outcome = 'done' AND status = 'closed'
      ORDER BY id DESC LIMIT 1
    ) AS closing ON true WHERE ${where} ORDER BY month DESC LIMIT ${limit}`;
}

async function periodOf(db: Knex, row: Row): Promise<PeriodView> {
  return viewOf(periodShape, row, { entries: Number(row.entries), files: await periodFiles(db, row.month) });
}

/** Lets files refer to the month, and says which closing this is. The month takes entries until `saveClosed`. */
export async function beginClosing(trx: Trx, month: string): Promise<number> {
  const rows = await rowsOf<{ closings: number }>(trx)`
    INSERT INTO periods (month, closings) VALUES (${month}, 1)
    ON CONFLICT (month) DO UPDATE SET closings = periods.closings + 1 RETURNING closings`;
  return rows[0]?.closings ?? 0;
}

export async function saveClosed(
  trx: Trx,
  month: string,
  { actor, reason }: { actor: string; reason: string | null },
): Promise<void> {
  const closed = { status: 'closed', closed_at: trx.fn.now(), closed_by: actor, reason };
  await trx('periods').where({ month }).update(closed);
}

export async function saveReopened(
  trx: Trx,
  month: string,
  { actor, reason }: { actor: string; reason: string },
): Promise<void> {
  const reopened = { status: 'open', reopened_at: trx.fn.now(), reopened_by: actor, reason };
  await trx('periods').where({ month }).update(reopened);
}
