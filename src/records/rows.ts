import type { Knex } from 'knex';
import { isJsonObject, type Json, type JsonObject, objectFromJsonText } from '../domain/json.js';
import { kinds } from '../domain/kinds/kinds.js';
import { isTotal, normalizeAmount } from '../domain/money.js';
import type { SourceType } from '../domain/observation.js';
import { type RecordKind, recordRules } from '../domain/records.js';
import type { RecordView } from '../domain/views/record-shape.js';
import { CursorError, cut, decodeCursor, type Page, type PageQuery, takeOf } from './database/paging.js';
import type { RowOf } from './database/view-of.js';
import { recordTables } from './record-columns.js';
import { ownField } from './stored-record.js';

type Shown = Pick<RecordView, 'id' | 'verified' | 'doubted' | 'verifiedAt' | 'observedAt' | 'absentSince'>;

interface Row extends RowOf<Shown> {
  shown: string;
  reported: string | null;
  observed_by_type: SourceType;
  observed_by_ref: string;
  /** Microseconds and all, as a cursor needs it. */
  created: string | null;
}

const COLUMNS = [
  'id',
  'shown',
  'reported',
  'verified',
  'doubted',
  'verified_at',
  'observed_at',
  'observed_by_type',
  'observed_by_ref',
  'absent_since',
];
const CREATED = `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created`;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Names of the text fields that a list of the kind can be narrowed by. */
export function recordFilters(kind: RecordKind): string[] {
  return recordRules[kind].columns.flatMap(({ type, field }) => (type === 'text' ? [field] : []));
}

/** The same, the name of the id, and `verified` (`true` or `false`). */
export function listFilters(kind: RecordKind): string[] {
  return [kinds[kind].idField ?? [], recordFilters(kind), 'verified'].flat();
}

/**
 * Newest first, paged by key; filters are those of `listFilters`, others are ignored. Records of which the creation
 * time is not known come first. Throws `CursorError`.
 */
export async function listRecords(
  db: Knex,
  kind: RecordKind,
  query: PageQuery & { filters?: Readonly<Record<string, string>> },
): Promise<Page<RecordView>> {
  const take = takeOf(query);
  const rows = select(db, kind)
    .where(conditionsOf(kind, query.filters ?? {}))
    .modify(whereVerified, query.filters?.['verified'])
    .orderByRaw('created_at DESC NULLS FIRST, id DESC')
    .limit(take + 1);
  const page = (await (query.cursor === undefined ? rows : startAfter(rows, query.cursor))) as Row[];
  const { items, nextCursor } = cut(page, take, (row) => [row.created ?? '', row.id]);
  return { items: items.map((row) => viewOf(kind, row)), nextCursor };
}

export async function getRecord(db: Knex, kind: RecordKind, id: string): Promise<RecordView | null> {
  const row = (await select(db, kind).where('id', id).first()) as Row | undefined;
  return row === undefined ? null : viewOf(kind, row);
}

function select(db: Knex, kind: RecordKind): Knex.QueryBuilder {
  return db(recordTables[kind]).select([...COLUMNS, db.raw(CREATED)]);
}

function conditionsOf(kind: RecordKind, filters: Readonly<Record<string, string>>): Record<string, string> {
  const { idField } = kinds[kind];
  const columns = recordRules[kind].columns.filter(({ type }) => type === 'text');
  const known = idField === undefined ? columns : [...columns, { name: 'id', field: idField }];
  const conditions = known.flatMap(({ name, field }) => {
    const wanted = Object.hasOwn(filters, field) ? filters[field] : undefined;
    return wanted === undefined ? [] : [[name, wanted] as const];
  });
  return Object.fromEntries(conditions);
}

/** In words that the partial indexes over the rows that are not verified have too. */
function whereVerified(rows: Knex.QueryBuilder, wanted: string | undefined): void {
  if (wanted !== undefined) void rows.whereRaw(wanted === 'true' ? 'verified' : 'NOT verified');
}

function startAfter(rows: Knex.QueryBuilder, cursor: string): Knex.QueryBuilder {
  const [created = '', id = ''] = decodeCursor(cursor, 2);
  if (created === '') return rows.whereRaw('(created_at IS NOT NULL OR id < ?)', [id]);
  if (!TIMESTAMP.test(created) || Number.isNaN(Date.parse(created))) throw new CursorError(cursor);
  return rows.whereRaw('(created_at, id) < (?::timestamptz, ?)', [created, id]);
}

function viewOf(kind: RecordKind, row: Row): RecordView {
  return {
    ...withPlainAmounts(kind, objectFromJsonText(row.shown)),
    id: row.id,
    verified: row.verified,
    doubted: row.doubted,
    reported: row.reported === null ? null : withPlainAmounts(kind, objectFromJsonText(row.reported)),
    verifiedAt: row.verified_at?.toISOString() ?? null,
    observedAt: row.observed_at.toISOString(),
    observedBy: { type: row.observed_by_type, ref: row.observed_by_ref },
    absentSince: row.absent_since?.toISOString() ?? null,
  };
}

/** The record with its amounts written without trailing zeros; whatever is no amount stays as the service wrote it. */
function withPlainAmounts(kind: RecordKind, fields: JsonObject): JsonObject {
  const { amounts, signedAmounts, totals, nestedAmounts } = recordRules[kind];
  const plain = normalized(fields, [...amounts, ...signedAmounts, ...totals]);
  for (const [list, names] of Object.entries(nestedAmounts)) {
    const items = ownField(fields, list);
    if (Array.isArray(items)) plain[list] = items.map((item) => (isJsonObject(item) ? normalized(item, names) : item));
  }
  return plain;
}

function normalized(fields: JsonObject, names: readonly string[]): JsonObject {
  const plain = { ...fields };
  for (const name of names) {
    const value: Json | undefined = ownField(fields, name);
    if (isTotal(value)) plain[name] = normalizeAmount(value);
  }
  return plain;
}
