import type { Knex } from 'knex';
import { isJsonObject, type Json, type JsonObject, objectFromJsonText, ownField } from '../domain/json.js';
import { kinds } from '../domain/kinds/kinds.js';
import { isTotal, normalizeAmount } from '../domain/money.js';
import type { SourceType } from '../domain/observation.js';
import { type RecordKind, recordRules } from '../domain/records.js';
import type { RecordView } from '../domain/views/record-shape.js';
import { type Page, type PageQuery, pageByTime } from './database/paging.js';
import type { RowOf } from './database/view-of.js';
import { recordTables } from './record-columns.js';

type Shown = Pick<RecordView, 'id' | 'verified' | 'doubted' | 'verifiedAt' | 'observedAt' | 'absentSince'>;

interface Row extends RowOf<Shown> {
  shown: string;
  reported: string | null;
  observed_by_type: SourceType;
  observed_by_ref: string;
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
  query: PageQuery & { filters?: Readonly<Record<string, string>>; among?: Knex.QueryBuilder },
): Promise<Page<RecordView>> {
  const { verified } = query.filters ?? {};
  const rows = db(recordTables[kind])
    .select(COLUMNS)
    .where(conditionsOf(kind, query.filters ?? {}));
  // In words that the partial indexes over the rows that are not verified have too.
  if (verified !== undefined) void rows.whereRaw(verified === 'true' ? 'verified' : 'NOT verified');
  if (query.among !== undefined) void rows.whereIn('id', query.among);
  return pageByTime(rows, query, (row: Row) => viewOf(kind, row));
}

export async function getRecord(db: Knex, kind: RecordKind, id: string): Promise<RecordView | null> {
  const row: Row | undefined = await db(recordTables[kind]).where({ id }).first(COLUMNS);
  return row === undefined ? null : viewOf(kind, row);
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
