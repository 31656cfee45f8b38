import type { Knex } from 'knex';
import type { MergedRecord } from '../saving/stored-record.js';

const NOTE = { kind: 'account', name: 'kyt' };

/** The account shows results of its screening, since a deposit was first seen with one. */
export async function noteKyt(trx: Knex.Transaction, payins: readonly MergedRecord[]): Promise<void> {
  const isShown = payins.some(({ shown }) => typeof shown.fields['kytStatus'] === 'string');
  if (!isShown || (await showsKyt(trx))) return;
  await trx('watermarks')
    .insert({ ...NOTE, value: '{}' })
    .onConflict()
    .ignore();
}

export async function showsKyt(db: Knex): Promise<boolean> {
  return (await db('watermarks').where(NOTE).first()) !== undefined;
}
