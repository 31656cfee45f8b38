import type { BookedKind, DatedBy, Line } from '../../domain/books/entry.js';
import { netLines } from '../../domain/books/lines.js';
import type { Append, Posted } from '../../domain/books/plan-posting.js';
import type { Period } from '../../domain/books/posting-month.js';
import { jsonbText } from '../database/database-text.js';
import { rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import type { ObservedBy } from './book-records.js';

/** An entry with its place in the books. */
export interface NewEntry extends Omit<Append, 'after' | 'worthAs'> {
  period: Period;
  /** Of its moment in the books' zone, or of what it is worth as, YYYY-MM-DD: the rates of this day value it. */
  day: string;
  observed: ObservedBy | null;
}

/** Appends them in the order given and returns their ids in that order. `written`: the place in the history of changes. */
export async function appendEntries(trx: Trx, entries: readonly NewEntry[], written: string): Promise<string[]> {
  if (entries.length === 0) return [];
  const given = tableOf(
    'new',
    entries,
    {
      record_kind: ['text', ({ recordKind }) => recordKind],
      record_id: ['text', ({ recordId }) => recordId],
      key: 'text',
      version: 'integer',
      type: 'text',
      reverses: 'text',
      corrects: 'text',
      month: ['text', ({ period }) => period.month],
      date: ['text', ({ period }) => period.date],
      day: 'text',
      at: ['text', ({ dated }) => new Date(dated.at).toISOString()],
      dated_by: ['text', ({ dated }) => dated.by],
      adjusts: ['text', ({ period }) => period.adjusts],
      description: 'text',
      sources: ['text', ({ sources }) => jsonbText(sources.map(({ kind, id }) => ({ kind, id })))],
      observed: ['text', ({ observed }) => (observed === null ? null : jsonbText(observed))],
    },
    'place',
  );
  const rows = await rowsOf<{ id: string; name: unknown[] }>(trx)`
    INSERT INTO entries (record_kind, record_id, key, version, type, reverses, corrects, month, date, day, at, dated_by,
                         adjusts, description, sources, observed, written)
    SELECT record_kind, record_id, key, version, type, reverses::bigint, corrects::bigint, month, date::date, day::date,
           at::timestamptz, dated_by, adjusts, description, sources::jsonb, observed::jsonb, ${written}::bigint
    FROM ${given} ORDER BY place
    RETURNING id, jsonb_build_array(record_kind, record_id, key, version) AS name`;
  const ids = new Map(rows.map(({ id, name }) => [JSON.stringify(name), id]));
  const inOrder = entries.map((entry) => ids.get(nameOf(entry)) ?? unreturned(entry));
  await appendLines(trx, entries, inOrder);
  return inOrder;
}

async function appendLines(trx: Trx, entries: readonly NewEntry[], ids: readonly string[]): Promise<void> {
  const lines = entries.flatMap((entry, n) => entry.lines.map((line, place) => ({ ...line, place, id: ids[n] ?? '' })));
  const given = tableOf('new', lines, {
    id: 'text',
    line: ['integer', ({ place }) => place],
    account: 'text',
    asset: ['text', ({ assetCode }) => assetCode],
    amount: 'text',
    memo: 'boolean',
  });
  await run(trx)`
    INSERT INTO entry_lines (entry_id, line, account, asset_code, amount, memo)
    SELECT id::bigint, line, account, asset, amount::numeric, memo
    FROM ${given}`;
}

function nameOf({ recordKind, recordId, key, version }: NewEntry): string {
  return JSON.stringify([recordKind, recordId, key, version]);
}

function unreturned(entry: NewEntry): never {
  throw new Error(`the entry ${nameOf(entry)} was not returned`);
}

interface Row {
  id: string;
  record_kind: BookedKind;
  record_id: string;
  key: string;
  version: number;
  type: string;
  reverses: string | null;
  at: Date;
  day: string;
  /** Null: its own day. */
  booked_on: string | null;
  dated_by: DatedBy;
  account: string;
  asset_code: string;
  amount: string;
  memo: boolean;
}

/** All that is posted of these records, a row for each key. */
export async function readPosted(trx: Trx, recordKind: BookedKind, ids: readonly string[]): Promise<Posted[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf<Row>(trx)`
    SELECT id, record_kind, record_id, key, version, type, reverses, at, day::text AS day, nullif(date, day)::text AS booked_on,
           dated_by, account, asset_code, trim_scale(amount)::text AS amount, memo
    FROM entries JOIN entry_lines ON entry_id = entries.id
    WHERE record_kind = ${recordKind} AND record_id = ANY (${ids}::text[]) ORDER BY record_id, key, version, line`;
  const keys = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.record_id, row.key]);
    const list = keys.get(key);
    if (list === undefined) keys.set(key, [row]);
    else list.push(row);
  }
  return [...keys.values()].flatMap(postedOf);
}

function postedOf(rows: readonly Row[]): Posted[] {
  const last = rows.at(-1);
  if (last === undefined) return [];
  const reversed = new Set(rows.map(({ reverses }) => reverses));
  const live = rows.findLast(({ id, type }) => (type === 'entry' || type === 'correction') && !reversed.has(id));
  return [
    {
      recordKind: last.record_kind,
      recordId: last.record_id,
      key: last.key,
      version: last.version,
      live:
        live === undefined
          ? null
          : { ...entryOf(live), lines: netLines(rows.filter(({ id }) => id === live.id).map(lineOf)) },
      net: netLines(rows.map(lineOf)),
      last: entryOf(last),
    },
  ];
}

function entryOf({ id, at, day, booked_on, dated_by }: Row): Posted['last'] {
  return { id, dated: { at: at.getTime(), by: dated_by, day }, bookedOn: booked_on };
}

const lineOf = ({ account, asset_code, amount, memo }: Row): Line => ({ account, assetCode: asset_code, amount, memo });
