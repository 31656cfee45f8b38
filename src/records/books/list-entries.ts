import type { Knex } from 'knex';
import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { definedOnly } from '../database/defined-only.js';
import { type Page, type PageQuery, pageById } from '../database/paging.js';
import { isRowId } from '../database/row-id.js';

export interface EntryFilters {
  account?: string | undefined;
  assetCode?: string | undefined;
  month?: string | undefined;
  recordKind?: string | undefined;
  recordId?: string | undefined;
}

interface Row {
  id: string;
  record_kind: string;
  record_id: string;
  key: string;
  version: number;
  type: EntryView['type'];
  reverses: string | null;
  corrects: string | null;
  month: string;
  date: string;
  at: string;
  dated_by: string;
  adjusts: string | null;
  description: string;
  sources: EntryView['sources'];
  observed: EntryView['observedBy'];
  posted_at: string;
}

interface LineRow {
  entry_id: string;
  account: string;
  asset_code: string;
  amount: string;
  memo: boolean;
  rate: string | null;
  currency: string | null;
  source: string | null;
  rate_at: string | null;
  reason: string | null;
}

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

/** Times as the text that is shown: a `Date` in between would cost more than all the rest of a row. */
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
  const { rows: lines } = await db.raw<{ rows: LineRow[] }>(
    `SELECT entry_id, account, asset_code, trim_scale(amount)::text AS amount, memo,
            trim_scale(rate)::text AS rate, currency, source, ${utc('rate_at')} AS rate_at, reason
     FROM entry_lines LEFT JOIN LATERAL (
       SELECT rate, currency, source, rate_at, reason FROM entry_rates
       WHERE entry_rates.entry_id = entry_lines.entry_id AND entry_rates.asset_code = entry_lines.asset_code
       ORDER BY id DESC LIMIT 1
     ) AS valued ON true
     WHERE entry_id = ANY (?::bigint[]) ORDER BY entry_id, line`,
    [`{${rows.map(({ id }) => id).join(',')}}`],
  );
  const byEntry = new Map<string, LineRow[]>(rows.map(({ id }) => [id, []]));
  for (const line of lines) byEntry.get(line.entry_id)?.push(line);
  return rows.map((row) => ({
    id: row.id,
    recordKind: row.record_kind,
    recordId: row.record_id,
    key: row.key,
    version: row.version,
    type: row.type,
    reverses: row.reverses,
    corrects: row.corrects,
    month: row.month,
    date: row.date,
    at: row.at,
    datedBy: row.dated_by,
    adjusts: row.adjusts,
    description: row.description,
    sources: row.sources.map(({ kind, id }) => ({ kind, id })),
    observedBy: row.observed,
    postedAt: row.posted_at,
    lines: (byEntry.get(row.id) ?? []).map(lineOf),
  }));
}

function lineOf(row: LineRow): EntryLineView {
  return {
    account: row.account,
    assetCode: row.asset_code,
    amount: row.amount,
    memo: row.memo,
    rate: row.rate,
    rateCurrency: row.currency,
    rateSource: row.source,
    rateAt: row.rate_at,
    unpriced: row.reason,
  };
}
