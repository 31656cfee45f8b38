import type { Knex } from 'knex';
import { jsonbText } from '../database/database-text.js';

/** The checks of the doctor, by whomever they are run. */
export const DOCTOR = 'doctor';

/** What something that is run now and then found last. */
export interface NewestResult<Result> {
  at: Date;
  /** Who ran it, as in the audit. */
  actor: string;
  result: Result;
}

/** In place of what it found before, unless that is newer. */
export async function keepResult<Result extends object>(
  db: Knex,
  name: string,
  { at, actor, result }: NewestResult<Result>,
): Promise<void> {
  await db('newest_results')
    .insert({ name, at, actor, result: jsonbText(result) })
    .onConflict('name')
    .merge()
    .whereRaw('newest_results.at <= excluded.at');
}

export async function newestResult<Result>(db: Knex, name: string): Promise<NewestResult<Result> | null> {
  return (await db<NewestResult<Result> & { name: string }>('newest_results').where({ name }).first()) ?? null;
}
