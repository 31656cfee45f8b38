import type { Knex } from 'knex';
import type { MergedRecord } from '../stored-record.js';

const NOTE = { kind: 'account', name: 'kyt' };

/** Whether the account shows results of its screening: it does since a payin was first seen with one. */
export async function noteKyt(trx: Knex.Transaction, payins: readonly MergedRecord[]): Promise<boolean> {
  if (await showsKyt(trx)) return true;
  if (!payins.some(({ shown }) => typeof shown.fields['kytStatus'] === 'string')) return false;
  await trx('watermarks')
    .insert({ ...NOTE, value: '{}' })
    .onConflict()
    .ignore();
  return true;
}

export async function showsKyt(db: Knex): Promise<boolean> {
  return (await db('watermarks').where(NOTE).first()) !== undefined;
}
