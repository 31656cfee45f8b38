import { objectFromJsonText, ownField } from '../../domain/json.js';
import { type RecordKind, recordKinds, snakeCase } from '../../domain/records.js';
import { jsonbText, keyText } from '../database/database-text.js';
import { raw, rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import type { SaveContext } from '../stored-record.js';
import { showAgain } from './save-observations.js';

/** Columns of text that rows of an older program lack. An index has these rows: the column is null, and the field seems to be shown. */
export const addedColumns = [
  { kind: 'payin', field: 'txid' },
  { kind: 'payment_intent', field: 'assetCode' },
] as const satisfies readonly { kind: RecordKind; field: string }[];

const FILLED_AT_ONCE = 500;

/**
 * One slice of filling such a column: from what is shown of the records, and with nothing where that only seems to have the field.
 * Rows that somebody else holds are left for the next time. True: there is more.
 */
export async function fillColumn(trx: Trx, { kind, field }: (typeof addedColumns)[number]): Promise<boolean> {
  const [table, column] = [raw(recordTables[kind]), raw(snakeCase(field))];
  const seems = raw(`'%"${field}":"%'`);
  const rows = await rowsOf<{ id: string; shown: string }>(trx)`
    SELECT id, shown FROM ${table} WHERE ${column} IS NULL AND shown LIKE ${seems} ORDER BY id LIMIT ${FILLED_AT_ONCE}
    FOR UPDATE SKIP LOCKED`;
  const filled = tableOf('filled', rows, {
    id: 'text',
    value: ['text', ({ shown }) => keyText(ownField(objectFromJsonText(shown), field)) ?? ''],
  });
  await run(trx)`UPDATE ${table} SET ${column} = filled.value FROM ${filled} WHERE ${table}.id = filled.id`;
  return rows.length === FILLED_AT_ONCE;
}

const WATERMARK = { kind: 'cross-check', name: 'shown by sources' };
const AT_ONCE = 200;

interface ShowProgress {
  /** How many kinds are done. */
  kinds: number;
  /** The id up to which the next one is done. */
  after: string;
}

/**
 * One slice of showing anew what an older version saved: fields that only webhooks reported leave the record and stand apart.
 * It goes on where an earlier one stopped. False: there is nothing left to do.
 */
export async function showSliceAgain(trx: Trx, context: SaveContext): Promise<boolean> {
  await trx('watermarks')
    .insert({ ...WATERMARK, value: jsonbText({ kinds: 0, after: '' }) })
    .onConflict()
    .ignore();
  const row = await trx<{ value: ShowProgress }>('watermarks').where(WATERMARK).forUpdate().first('value');
  const watermark = row?.value ?? { kinds: 0, after: '' };
  const kind = recordKinds[watermark.kinds];
  if (kind === undefined) return false;
  const rows: { id: string }[] = await trx(recordTables[kind])
    .select('id')
    .where('id', '>', watermark.after)
    .whereNot('claims', '[]')
    .orderBy('id')
    .limit(AT_ONCE);
  await showAgain(
    trx,
    kind,
    rows.map(({ id }) => id),
    context,
  );
  const isOver = rows.length < AT_ONCE;
  const next: ShowProgress = isOver
    ? { kinds: watermark.kinds + 1, after: '' }
    : { kinds: watermark.kinds, after: rows.at(-1)?.id ?? '' };
  await trx('watermarks')
    .where(WATERMARK)
    .update({ value: jsonbText(next), updated_at: trx.fn.now() });
  return true;
}
