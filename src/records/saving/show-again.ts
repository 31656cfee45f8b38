import type { Knex } from 'knex';
import { recordKinds } from '../../domain/records.js';
import { jsonbText } from '../database/database-text.js';
import { recordTables } from '../record-columns.js';
import type { SaveContext } from '../save-context.js';
import { showAgain } from './save-observations.js';

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
export async function showSliceAgain(trx: Knex.Transaction, context: SaveContext): Promise<boolean> {
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
