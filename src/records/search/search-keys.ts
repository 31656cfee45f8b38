import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import type { RecordKind } from '../../domain/records.js';
import { keyedValues, searchedFields } from '../../domain/search.js';
import { bigintArray, textArray } from '../database/array-parameter.js';
import { prepared, raw, rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import { personalKey } from '../installation.js';
import { recordTables } from '../record-columns.js';
import type { MergedRecord } from '../stored-record.js';

/** A record, and values of it in their search form. */
export interface Keyed {
  kind: RecordKind;
  id: string;
  values: Iterable<string>;
}

/** Of records that show other values than before, or are new. Their rows are locked, so that no two savers write one key. */
export async function saveSearchKeys(trx: Trx, records: readonly MergedRecord[]): Promise<void> {
  await writeKeys(
    trx,
    records.flatMap((record) => {
      const { kind, id, shown, before } = record;
      if (before !== null && !mayHaveOthers(record)) return [];
      const now = keyedValues(kind, shown.fields, shown.reported);
      const known = before === null ? null : keyedValues(kind, before.fields, parsed(before.reported));
      const values = [...now.keys()].filter((value) => known?.has(value) !== true);
      return values.length === 0 ? [] : [{ kind, id, values }];
    }),
  );
}

function mayHaveOthers({ kind, before, reported, changedFields }: MergedRecord): boolean {
  const { keyed } = searchedFields(kind);
  return before?.reported !== reported || changedFields.some((name) => keyed.includes(name));
}

/** Of records that an older program saved: whatever they lack. */
export async function fillSearchKeys(trx: Trx, kind: RecordKind, ids: readonly string[]): Promise<void> {
  const rows = await rowsOf<{ id: string; shown: string; reported: string | null }>(trx)`
    SELECT id, shown, reported FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[])`;
  await writeKeys(
    trx,
    rows.map(({ id, shown, reported }) => {
      return { kind, id, values: keyedValues(kind, objectFromJsonText(shown), parsed(reported)).keys() };
    }),
  );
}

/** Of records that lost values for good: what no field of theirs has any more. */
export async function dropSearchKeys(trx: Trx, records: readonly Keyed[]): Promise<void> {
  const rows = await keysOf(trx, records);
  if (rows.length === 0) return;
  const gone = tableOf('gone', rows, { key: 'bigint', kind: 'text', id: 'text' });
  await run(trx)`
    DELETE FROM search_keys AS old USING ${gone} WHERE old.key = gone.key AND old.kind = gone.kind AND old.id = gone.id`;
}

/** What personal values, and whatever else has no column, are looked up by. */
export async function searchKeys(db: Knex, values: readonly string[]): Promise<number[]> {
  const key = await personalKey(db);
  return values.map((value) => keyOf(key, value));
}

async function writeKeys(trx: Trx, records: readonly Keyed[]): Promise<void> {
  const rows = await keysOf(trx, records);
  if (rows.length === 0) return;
  await prepared(
    trx,
    'insert search keys',
    `INSERT INTO search_keys (key, kind, id) SELECT * FROM unnest(?::bigint[], ?::text[], ?::text[]) AS new (key, kind, id)
     ORDER BY key ON CONFLICT DO NOTHING`,
    [
      bigintArray(rows.map(({ key }) => key)),
      textArray(rows.map(({ kind }) => kind)),
      textArray(rows.map(({ id }) => id)),
    ],
  );
}

async function keysOf(trx: Trx, records: readonly Keyed[]) {
  if (records.length === 0) return [];
  const key = await personalKey(trx);
  return records.flatMap(({ kind, id, values }) => [...values].map((value) => ({ kind, id, key: keyOf(key, value) })));
}

const KEY_BYTES = 6;

function keyOf(key: Buffer, value: string): number {
  return createHmac('sha256', key).update(`search:${value}`).digest().readUIntBE(0, KEY_BYTES);
}

const parsed = (text: string | null): JsonObject | null => (text === null ? null : objectFromJsonText(text));
