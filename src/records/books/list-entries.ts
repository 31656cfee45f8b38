import type { Knex } from 'knex';
import { groupedPairs } from '../../domain/grouped.js';
import {
  type EntryLineView,
  type EntryView,
  entryLineShape,
  entryShape,
  type Revaluation,
} from '../../domain/views/books-shapes.js';
import { type Filters, given, isRowId, type Page, type PageQuery, pageById } from '../database/paging.js';
import { raw, rowsOf, valueOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export interface EntryFilters extends Filters<'account' | 'assetCode' | 'month' | 'recordKind' | 'recordId'> {
  /** Dated within these days of the books (YYYY-MM-DD), both included. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/** Times as the text that is shown: a `Date` in between would cost more than all the rest of a row. */
type Row = RowOf<Omit<EntryView, 'observedBy' | 'lines' | 'revaluations'>, string> & {
  observed: EntryView['observedBy'];
};

type LineRow = RowOf<EntryLineView, string> & { entry_id: string };

/** Newest first, paged by key. An entry is found by any of its lines, and shown with all. Throws `CursorError`. */
export async function listEntries(db: Knex, query: PageQuery & EntryFilters): Promise<Page<EntryView>> {
  const rows = select(db).where(given(query, 'month', 'recordKind', 'recordId'));
  // A month is that of its dates, and has an index.
  const { fromDay, toDay } = query;
  if (fromDay !== undefined) void rows.where('month', '>=', monthOf(fromDay)).where('date', '>=', fromDay);
  if (toDay !== undefined) void rows.where('month', '<=', monthOf(toDay)).where('date', '<=', toDay);
  if (query.account !== undefined || query.assetCode !== undefined) {
    const lines = db('entry_lines')
      .where(given(query, 'account', 'assetCode'))
      .whereRaw('entry_id = entries.id');
    void rows.whereExists(lines);
  }
  const { items, ...place } = await pageById(rows, query, (row: Row) => row);
  return { items: await viewsOf(db, items), ...place };
}

const monthOf = (day: string): string => day.slice(0, 7);

const utc = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const COLUMNS = `id, record_kind, record_id, key, version, type, reverses, corrects, month, date::text AS date,
  ${utc('at')} AS at, dated_by, adjusts, description, sources, observed, ${utc('posted_at')} AS posted_at`;

export async function getEntry(db: Knex, id: string): Promise<EntryView | null> {
  if (!isRowId(id)) return null;
  const rows = (await select(db).where({ id })) as Row[];
  return (await viewsOf(db, rows))[0] ?? null;
}

const select = (db: Knex): Knex.QueryBuilder => db('entries').select(db.raw(COLUMNS));

async function viewsOf(db: Knex, rows: readonly Row[]): Promise<EntryView[]> {
  const lines = await rowsOf<LineRow>(db)`
    SELECT entry_id, account, asset_code, trim_scale(amount)::text AS amount, memo,
           trim_scale(rate)::text AS rate, currency AS rate_currency, source AS rate_source,
           ${raw(utc('rate_at'))} AS rate_at, reason AS unpriced
    FROM entry_lines LEFT JOIN LATERAL (
      SELECT rate, currency, source, rate_at, reason FROM entry_rates
      WHERE entry_rates.entry_id = entry_lines.entry_id AND entry_rates.asset_code = entry_lines.asset_code
      ORDER BY id DESC LIMIT 1
    ) AS valued ON true
    WHERE entry_id = ANY (${`{${rows.map(({ id }) => id).join(',')}}`}::bigint[]) ORDER BY entry_id, line`;
  const byEntry = new Map<string, LineRow[]>(rows.map(({ id }) => [id, []]));
  for (const line of lines) byEntry.get(line.entry_id)?.push(line);
  const revaluations = await revaluationsOf(db, rows);
  return rows.map((row) =>
    viewOf(entryShape, row, {
      sources: row.sources.map(({ kind, id }) => ({ kind, id })),
      observedBy: row.observed,
      lines: (byEntry.get(row.id) ?? []).map((line) => viewOf(entryLineShape, line)),
      revaluations: revaluations.get(row.id) ?? [],
    }),
  );
}

/** Each rate that took the place of another, with the file and the people that it came from. */
async function revaluationsOf(db: Knex, rows: readonly Row[]): Promise<Map<string, Revaluation[]>> {
  const found = await rowsOf<Revaluation & { entry: string }>(db)`
    SELECT entry_id::text AS entry, valued.asset_code AS "assetCode", valued.currency, trim_scale(before)::text AS before,
           trim_scale(valued.rate)::text AS rate, ${raw(utc('valued_at'))} AS at, file_hash AS file, given.actor,
           details ->> 'decision' AS decision, details ->> 'approvedBy' AS "approvedBy"
    FROM (
      SELECT id, entry_id, asset_code, currency, rate, valued_at, row_number() OVER same AS place,
             lag(rate) OVER same AS before
      FROM entry_rates WHERE entry_id = ANY (${`{${rows.map(({ id }) => id).join(',')}}`}::bigint[])
      WINDOW same AS (PARTITION BY entry_id, asset_code ORDER BY id)
    ) AS valued
    LEFT JOIN LATERAL (
      SELECT file_hash, actor FROM given_rates
      WHERE given_rates.asset_code = valued.asset_code AND given_rates.currency = valued.currency
        AND given_rates.rate = valued.rate AND imported_at = valued_at LIMIT 1
    ) AS given ON true
    LEFT JOIN LATERAL (
      SELECT details FROM actions
      WHERE action = 'import rates' AND outcome = 'done' AND actions.actor = given.actor AND actions.at = valued_at LIMIT 1
    ) AS imported ON true
    WHERE place > 1 AND valued.rate IS NOT NULL ORDER BY entry_id, id`;
  return groupedPairs(found.map(({ entry, ...one }) => [entry, one]));
}

/** The id of the newest; "0": there is none. */
export async function lastEntry(db: Knex): Promise<string> {
  return valueOf<string>(db)`SELECT coalesce(max(id), 0)::text AS id FROM entries`;
}
