import { saysPaid } from '../domain/family/said.js';
import { type Json, type JsonObject, ownField } from '../domain/json.js';
import { tableOf } from '../domain/kinds/kinds.js';
import type { Shown } from '../domain/merge.js';
import { isAmount, isSignedAmount, isTotal } from '../domain/money.js';
import { KEPT, stateToText } from '../domain/record-state.js';
import { type Column, type RecordKind, recordKinds, recordRules } from '../domain/records.js';
import { instantText } from '../domain/service-time.js';
import { bigintArray, booleanArray, floatArray, textArray } from './database/array-parameter.js';
import { keyText, verbatim } from './database/database-text.js';
import { findOrLock, raw, rowsOf, type Trx } from './database/statements.js';
import type { MergedRecord, StoredHead, StoredRow } from './stored-record.js';

const HEAD = 'id, poll_hash, settled, masked';
const BODY = `${HEAD}, poll, poll_from, poll_to, poll_by, poll_ref, claims, shown, reported,
  verified, known, doubted, own_call, absent_since`;

export interface FoundHeads {
  existing: ReadonlySet<string>;
  /** Locked; null where not all have a row. */
  heads: Map<string, StoredHead> | null;
}

export const nothingFound: FoundHeads = { existing: new Set(), heads: null };

/** Which of the ids have a row; where all have one, they are locked (`findOrLock`). */
export async function findOrLockHeads(trx: Trx, kind: RecordKind, ids: string[]): Promise<FoundHeads> {
  const { existing, rows } = await findOrLock<StoredHead>(
    trx,
    { table: recordTables[kind], key: 'id', columns: HEAD },
    ids,
  );
  return { existing: new Set(existing), heads: rows === null ? null : byId(rows) };
}

/** Locks the rows in the order of their ids and reads what decides whether a poll changes anything. */
export async function lockHeads(trx: Trx, kind: RecordKind, ids: string[]): Promise<Map<string, StoredHead>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<StoredHead>(trx)`
    SELECT ${raw(HEAD)} FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[]) ORDER BY id FOR UPDATE`;
  return byId(rows);
}

/** Reads rows that are locked already. */
export async function readRows(trx: Trx, kind: RecordKind, ids: string[]): Promise<Map<string, StoredRow>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<StoredRow>(trx)`
    SELECT ${raw(BODY)} FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[])`;
  return byId(rows);
}

const byId = <Row extends StoredHead>(rows: Row[]): Map<string, Row> => new Map(rows.map((row) => [row.id, row]));

export const recordTables = Object.fromEntries(recordKinds.map((kind) => [kind, tableOf(kind)])) as Readonly<
  Record<RecordKind, string>
>;

/** One column of a record table, written as a set. */
export interface WrittenColumn {
  name: string;
  /** The type of the array parameter's elements. */
  travels: 'text' | 'bigint' | 'float8' | 'boolean';
  /** What makes the column of an element. */
  read: (element: string) => string;
  encode: (records: readonly MergedRecord[]) => Buffer;
}

const plain = (element: string): string => element;

const shownTypes: Readonly<
  Record<Column['type'], { read: WrittenColumn['read']; cell: (value?: Json) => string | null }>
> = {
  text: { read: plain, cell: keyText },
  amount: { read: (element) => `${element}::numeric`, cell: (value) => (isAmount(value) ? value : null) },
  time: { read: (element) => `${element}::timestamptz`, cell: instantText },
};

/** An amount that may be negative. */
const signedCell = (value?: Json): string | null => (isSignedAmount(value) ? value : null);
const totalCell = (value?: Json): string | null => (isTotal(value) ? value : null);

const commonColumns: readonly WrittenColumn[] = [
  text('id', (record) => record.id),
  json('poll', pollText),
  text('poll_hash', ({ state }) => state.poll?.hash ?? null),
  wholeMs('poll_from', ({ state }) => state.poll?.from ?? null),
  wholeMs('poll_to', ({ state }) => state.poll?.to ?? null),
  text('poll_by', ({ state }) => state.poll?.by ?? null),
  text('poll_ref', ({ state }) => state.poll?.ref ?? null),
  json('claims', ({ state }) => stateToText({ poll: null, claims: state.claims }).claims),
  json('shown', (record) => record.text),
  json('reported', (record) => record.reported),
  truth('known', ({ shown }) => shown.known),
  truth('doubted', ({ shown }) => shown.doubted),
  text('own_call', ({ shown }) => shown.ownCall),
  truth('verified', ({ shown }) => shown.verified),
  truth('settled', isSettled),
  moment('verified_at', ({ shown }) => shown.verifiedAt),
  moment('observed_at', ({ shown }) => shown.observedAt),
  text('observed_by_type', ({ shown }) => shown.observedBy.type),
  text('observed_by_ref', ({ shown }) => shown.observedBy.ref),
  moment('absent_since', (record) => record.absentSince),
];

export function writtenColumns(kind: RecordKind): WrittenColumn[] {
  return [
    ...commonColumns,
    ...recordRules[kind].columns.map((column) => shownColumn(kind, column)),
    ...(reportedColumns[kind] ?? []),
  ];
}

/** By which an order is held, or shown as said to be paid, though nothing but a report says so. */
const reportedColumns: Partial<Record<RecordKind, readonly WrittenColumn[]>> = {
  payment_intent: [
    text('reported_reference', ({ shown }) => keyText(saidField(shown, 'merchantReference'))),
    truth('reported_paid', ({ shown }) => saysPaid(shown)),
  ],
};

function saidField({ reported }: Shown, name: string): Json | undefined {
  return reported === null ? undefined : ownField(reported, name);
}

/** What stands in the column of a record with these fields, as text. */
export function shownCell(kind: RecordKind, { field, type }: Column): (fields: JsonObject) => string | null {
  const cell = cellOf(kind, { field, type });
  return (fields) => cell(ownField(fields, field));
}

function cellOf(kind: RecordKind, { field, type }: Omit<Column, 'name'>): (value?: Json) => string | null {
  const { signedAmounts, totals } = recordRules[kind];
  const signed = signedAmounts.includes(field) ? signedCell : shownTypes[type].cell;
  return totals.includes(field) ? totalCell : signed;
}

function shownColumn(kind: RecordKind, { name, field, type }: Column): WrittenColumn {
  const shownType = shownTypes[type];
  const cell = cellOf(kind, { field, type });
  // Where a record stands in its list is where a report says, until a poll shows it: it is searched for there.
  const value = ({ shown }: MergedRecord) =>
    ownField(shown.fields, field) ?? (field === 'createdAt' ? saidField(shown, field) : undefined);
  return { ...text(name, (record) => cell(value(record))), read: shownType.read };
}

/** Null where the newest poll is what is shown: it is not kept twice. */
function pollText({ state, shown }: MergedRecord): string | null {
  return shown.fields === state.poll?.fields ? null : stateToText({ poll: state.poll, claims: [] }).poll;
}

function isSettled({ state, shown }: MergedRecord): boolean {
  return shown.verified && state.claims.every((statement) => statement.state.startsWith(KEPT));
}

function text(name: string, value: (record: MergedRecord) => string | null): WrittenColumn {
  return { name, travels: 'text', read: plain, encode: (records) => textArray(records.map(value)) };
}

function json(name: string, value: (record: MergedRecord) => string | null): WrittenColumn {
  return { ...text(name, value), encode: (records) => textArray(records.map((record) => verbatim(value(record)))) };
}

function wholeMs(name: string, value: (record: MergedRecord) => number | null): WrittenColumn {
  return { name, travels: 'bigint', read: plain, encode: (records) => bigintArray(records.map(value)) };
}

function moment(name: string, value: (record: MergedRecord) => number | null): WrittenColumn {
  const read = (element: string): string => `to_timestamp(${element} / 1000.0)`;
  return { name, travels: 'float8', read, encode: (records) => floatArray(records.map(value)) };
}

function truth(name: string, value: (record: MergedRecord) => boolean): WrittenColumn {
  return { name, travels: 'boolean', read: plain, encode: (records) => booleanArray(records.map(value)) };
}
