import type { Knex } from 'knex';
import { textArray } from '../database/array-parameter.js';

/** Of these ids, and of those made in the range (ms; both ends belong to it). */
export interface Wanted {
  ids: readonly string[];
  range: { from: number; to: number } | null;
}

/** Ids of the deliveries whose event is not here and could enter the inbox from what the service shows, newest first. */
export async function recoverableIds(db: Knex, { ids, range }: Wanted): Promise<string[]> {
  const rows = db('deliveries')
    .where('open', true)
    .whereNull('inbox_id')
    .whereNotNull('payload')
    .andWhere((wanted) => {
      void wanted.whereRaw('id = ANY (?::text[])', [textArray(ids)]);
      if (range !== null) void wanted.orWhereBetween('created_at', [new Date(range.from), new Date(range.to)]);
    })
    .orderByRaw('created_at DESC NULLS FIRST, id DESC');
  return rows.pluck('id');
}
