import type { Knex } from 'knex';
import type { RecordKind } from '../domain/records.js';
import { findOrLock, raw, rowsOf } from './database/statements.js';
import { recordTables } from './record-columns.js';
import type { StoredHead, StoredRow } from './stored-record.js';

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
export async function findOrLockHeads(trx: Knex.Transaction, kind: RecordKind, ids: string[]): Promise<FoundHeads> {
  const { existing, rows } = await findOrLock<StoredHead>(
    trx,
    { table: recordTables[kind], key: 'id', columns: HEAD },
    ids,
  );
  return { existing: new Set(existing), heads: rows === null ? null : byId(rows) };
}

/** Locks the rows in the order of their ids and reads what decides whether a poll changes anything. */
export async function lockHeads(
  trx: Knex.Transaction,
  kind: RecordKind,
  ids: string[],
): Promise<Map<string, StoredHead>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<StoredHead>(trx)`
    SELECT ${raw(HEAD)} FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[]) ORDER BY id FOR UPDATE`;
  return byId(rows);
}

/** Reads rows that are locked already. */
export async function readRows(
  trx: Knex.Transaction,
  kind: RecordKind,
  ids: string[],
): Promise<Map<string, StoredRow>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<StoredRow>(trx)`
    SELECT ${raw(BODY)} FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[])`;
  return byId(rows);
}

function byId<Row extends StoredHead>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
