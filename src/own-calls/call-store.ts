import type { Knex } from 'knex';
import { objectFromJsonText } from '../domain/json.js';
import { createdKind } from '../domain/own-calls.js';
import { textField } from '../domain/records.js';
import { raw, rowsOf } from '../records/database/statements.js';
import { recordTables } from '../records/record-columns.js';
import { createServiceWriteLog } from '../records/service-writes.js';
import type { KeyStore, NotedOperation } from '../service-api/key-store.js';

/** Creating calls of all processes on the database, and the records that they made. */
export function createCallStore(db: Knex): KeyStore {
  return { ...createServiceWriteLog<NotedOperation>(db), made: (operation, id) => madeRecord(db, operation, id) };
}

interface Row {
  shown: string;
  observed_at: Date;
}

/** Nothing where only its id is known yet, where the service denies it, or where what says who somebody is was struck out. */
async function madeRecord(db: Knex, operation: NotedOperation, id: string): ReturnType<NonNullable<KeyStore['made']>> {
  const kind = createdKind(operation);
  if (kind === null) return null;
  const [row] = await rowsOf<Row>(db)`
    SELECT shown, observed_at FROM ${raw(recordTables[kind])}
    WHERE id = ${id} AND known AND NOT masked AND absent_since IS NULL`;
  const fields = row === undefined ? null : objectFromJsonText(row.shown);
  if (row === undefined || fields === null || textField(fields, 'status') === null) return null;
  return { fields, at: row.observed_at.getTime() };
}
