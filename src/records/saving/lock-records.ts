import type { Knex } from 'knex';
import type { RecordKind } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { recordTables } from './record-columns.js';
import type { StoredHead, StoredRow } from './stored-record.js';

const HEAD = 'id, poll_hash, settled, masked';
const BODY = `${HEAD}, poll, poll_from, poll_to, poll_by, poll_ref, claims, shown, reported,
  verified, known, doubted, own_call, absent_since`;

/**
 * Which of the ids have a row; records are never deleted, so a row that is there now stays. Where all have one, they are
 * locked, in the order of ids; else `heads` is null.
 */
export async function findOrLock(
  trx: Knex.Transaction,
  kind: RecordKind,
  ids: string[],
): Promise<{ existing: Set<string>; heads: Map<string, StoredHead> | null }> {
  const asked = textArray(ids.map(toDatabaseText));
  const { rows } = await trx.raw<{ rows: (StoredHead & { locked: boolean })[] }>(
    `WITH found AS MATERIALIZED (SELECT id FROM ${recordTables[kind]} WHERE id = ANY (?::text[])),
     locked AS MATERIALIZED (SELECT ${HEAD} FROM ${recordTables[kind]}
       WHERE id = ANY (?::text[]) AND (SELECT count(*) FROM found) = ? ORDER BY id FOR UPDATE)
     SELECT found.id, poll_hash, settled, masked, locked.id IS NOT NULL AS locked FROM found LEFT JOIN locked ON locked.id = found.id`,
    [asked, asked, ids.length],
  );
  const areLocked = rows.length === ids.length && rows.every(({ locked }) => locked);
  return { existing: new Set(rows.map(({ id }) => fromDatabaseText(id))), heads: areLocked ? byId(rows) : null };
}

/** Locks the rows in the order of their ids and reads what decides whether a reading changes anything. */
export async function lockHeads(
  trx: Knex.Transaction,
  kind: RecordKind,
  ids: string[],
): Promise<Map<string, StoredHead>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: StoredHead[] }>(
    `SELECT ${HEAD} FROM ${recordTables[kind]} WHERE id = ANY (?::text[]) ORDER BY id FOR UPDATE`,
    [textArray(ids.map(toDatabaseText))],
  );
  return byId(rows);
}

/** Reads rows that are locked already. */
export async function readRows(
  trx: Knex.Transaction,
  kind: RecordKind,
  ids: string[],
): Promise<Map<string, StoredRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: StoredRow[] }>(
    `SELECT ${BODY} FROM ${recordTables[kind]} WHERE id = ANY (?::text[])`,
    [textArray(ids.map(toDatabaseText))],
  );
  return byId(rows);
}

function byId<Row extends StoredHead>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [fromDatabaseText(row.id), row]));
}
