import type { Knex } from 'knex';
import { type EntryLineView, type EntryView, entryLineShape, entryShape } from '../../domain/views/books-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';
import { raw, rowsOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export interface EntryFilters {
  account?: string | undefined;
  assetCode?: string | undefined;
  month?: string | undefined;
  recordKind?: string | undefined;
  recordId?: string | undefined;
}

/** Times as the text that is shown: a `Date` in between would cost more than all the rest of a row. */
type Row = RowOf<Omit<EntryView, 'observedBy' | 'lines'>, string> & { observed: EntryView['observedBy'] };

type LineRow = RowOf<EntryLineView, string> & { entry_id: string };

/** Newest first, paged by key. An entry is found by any of its lines, and shown with all. Throws `CursorError`. */
export async function listEntries(db: Knex, query: PageQuery & EntryFilters): Promise<Page<EntryView>> {
  const { month, recordKind: record_kind, recordId: record_id, account, assetCode: asset_code } = query;
  const rows = select(db).where(definedOnly({ month, record_kind, record_id }));
  if (account !== undefined || asset_code !== undefined) {
    const lines = db('entry_lines').where(definedOnly({ account, asset_code })).whereRaw('entry_id = entries.id');
    void rows.whereExists(lines);
  }
  const { items, nextCursor } = await pageById<Row>(rows, query);
  return { items: await viewsOf(db, items), nextCursor };
}

const utc = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const COLUMNS = `id, record_kind, record_id, key, version, type, reverses, corrects, month, date::text AS date,
  ${utc('at')} AS at, dated_by, adjusts, description, sources, observed, ${utc('posted_at')} AS posted_at`;

export async function getEntry(db: Knex, id: string): Promise<EntryView | null> {
  if (!isRowId(id)) return null;
  const rows = (await select(db).where({ id })) as Row[];
  return (await viewsOf(db, rows))[0] ?? null;
}

function select(db: Knex): Knex.QueryBuilder {
  return db('entries').select(db.raw(COLUMNS));
}

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
  return rows.map((row) =>
    viewOf(entryShape, row, {
      sources: row.sources.map(({ kind, id }) => ({ kind, id })),
      observedBy: row.observed,
      lines: (byEntry.get(row.id) ?? []).map((line) => viewOf(entryLineShape, line)),
    }),
  );
}
