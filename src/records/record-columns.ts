import type { Json } from '../domain/json.js';
import { isAmount } from '../domain/money.js';
import { KEPT } from '../domain/record-state.js';
import { stateToText } from '../domain/record-state-text.js';
import { type Column, type RecordKind, recordRules } from '../domain/records.js';
import { toDatabaseText } from './database-text.js';
import { instantText } from './instant.js';
import { type MergedRecord, ownField } from './stored-record.js';

export const recordTables: Readonly<Record<RecordKind, string>> = {
  payment_intent: 'payment_intents',
  payin: 'payins',
};

/** An index entry of Postgres holds no more than 2,704 bytes. A longer text is kept in the record, but not searched by. */
const LONGEST_KEY_BYTES = 1_000;

type Cell = string | number | boolean | null;

/** One column of a record table: the type it travels as, how it is read out of that, and the value of a record. */
export interface WrittenColumn {
  name: string;
  travels: 'text' | 'bigint' | 'float8' | 'boolean';
  read: (parameter: string) => string;
  value: (record: MergedRecord) => Cell;
}

const plain = (parameter: string): string => parameter;
const fromMs = (parameter: string): string => `to_timestamp(${parameter} / 1000.0)`;

const shownTypes: Readonly<
  Record<Column['type'], { read: WrittenColumn['read']; cell: (value?: Json) => string | null }>
> = {
  text: { read: plain, cell: keyText },
  amount: { read: (parameter) => `${parameter}::numeric`, cell: amountText },
  time: { read: (parameter) => `${parameter}::timestamptz`, cell: instantText },
};

const commonColumns: readonly WrittenColumn[] = [
  { name: 'id', travels: 'text', read: plain, value: (record) => toDatabaseText(record.id) },
  { name: 'poll', travels: 'text', read: plain, value: pollText },
  { name: 'poll_hash', travels: 'text', read: plain, value: ({ state }) => state.poll?.hash ?? null },
  { name: 'poll_from', travels: 'bigint', read: plain, value: ({ state }) => state.poll?.from ?? null },
  { name: 'poll_to', travels: 'bigint', read: plain, value: ({ state }) => state.poll?.to ?? null },
  { name: 'poll_by', travels: 'text', read: plain, value: ({ state }) => state.poll?.by ?? null },
  { name: 'poll_ref', travels: 'text', read: plain, value: ({ state }) => state.poll?.ref ?? null },
  { name: 'claims', travels: 'text', read: plain, value: claimsText },
  { name: 'shown', travels: 'text', read: plain, value: ({ text }) => text },
  { name: 'verified', travels: 'boolean', read: plain, value: ({ shown }) => shown.verified },
  { name: 'verified_at', travels: 'float8', read: fromMs, value: ({ shown }) => shown.verifiedAt },
  { name: 'settled', travels: 'boolean', read: plain, value: isSettled },
  { name: 'observed_at', travels: 'float8', read: fromMs, value: ({ shown }) => shown.observedAt },
  { name: 'observed_by_type', travels: 'text', read: plain, value: ({ shown }) => shown.observedBy.type },
  { name: 'observed_by_ref', travels: 'text', read: plain, value: ({ shown }) => shown.observedBy.ref },
  { name: 'absent_since', travels: 'float8', read: fromMs, value: ({ absentSince }) => absentSince },
];

export function writtenColumns(kind: RecordKind): WrittenColumn[] {
  return [...commonColumns, ...recordRules[kind].columns.map(shownColumn)];
}

/** The text that a column searched by holds of a field; null where it is no string or too long for an index. */
export function keyText(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null;
  const text = toDatabaseText(value);
  return text.length * 3 > LONGEST_KEY_BYTES && Buffer.byteLength(text) > LONGEST_KEY_BYTES ? null : text;
}

function shownColumn({ name, field, type }: Column): WrittenColumn {
  const { read, cell } = shownTypes[type];
  return { name, travels: 'text', read, value: ({ shown }) => cell(ownField(shown.fields, field)) };
}

function amountText(value: Json | undefined): string | null {
  return isAmount(value) ? value : null;
}

function pollText({ state, shown }: MergedRecord): string | null {
  return shown.fields === state.poll?.fields ? null : stateToText({ poll: state.poll, claims: [] }).poll;
}

function claimsText({ state }: MergedRecord): string {
  return state.claims.length === 0 ? '[]' : stateToText({ poll: null, claims: state.claims }).claims;
}

function isSettled({ state, shown }: MergedRecord): boolean {
  return shown.verified && state.claims.every((claim) => claim.state.startsWith(KEPT));
}
