import type { Knex } from 'knex';
import { objectFromJsonText } from '../domain/json.js';
import { type RecordKind, snakeCase } from '../domain/records.js';
import { keyText } from './database/database-text.js';
import { raw, rowsOf, run, tableOf } from './database/statements.js';
import { recordTables } from './record-columns.js';
import { ownField } from './stored-record.js';

/** Columns of text that rows of an older program lack. An index has these rows: the column is null, and the field seems to be shown. */
export const addedColumns = [
  { kind: 'payin', field: 'txid' },
  { kind: 'payment_intent', field: 'assetCode' },
] as const satisfies readonly { kind: RecordKind; field: string }[];

const AT_ONCE = 500;

/**
 * One slice of filling such a column: from what is shown of the records, and with nothing where that only seems to have the field.
 * Rows that somebody else holds are left for the next time. True: there is more.
 */
export async function fillColumn(
  trx: Knex.Transaction,
  { kind, field }: (typeof addedColumns)[number],
): Promise<boolean> {
  const [table, column] = [raw(recordTables[kind]), raw(snakeCase(field))];
  const seems = raw(`'%"${field}":"%'`);
  const rows = await rowsOf<{ id: string; shown: string }>(trx)`
    SELECT id, shown FROM ${table} WHERE ${column} IS NULL AND shown LIKE ${seems} ORDER BY id LIMIT ${AT_ONCE}
    FOR UPDATE SKIP LOCKED`;
  const filled = tableOf('filled', rows, {
    id: 'text',
    value: ['text', ({ shown }) => keyText(ownField(objectFromJsonText(shown), field)) ?? ''],
  });
  await run(trx)`UPDATE ${table} SET ${column} = filled.value FROM ${filled} WHERE ${table}.id = filled.id`;
  return rows.length === AT_ONCE;
}
