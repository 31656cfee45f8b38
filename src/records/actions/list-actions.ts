import type { Knex } from 'knex';
import { type ActionView, actionShape } from '../../domain/views/operation-shapes.js';
import { jsonbText } from '../database/database-text.js';
import { type Filters, given, type Page, type PageQuery, pageById, viewById, within } from '../database/paging.js';
import { rowOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

export type ActionFilters = Filters<'actor' | 'action' | 'target' | 'outcome'>;

/** Newest first, paged by key. Throws `CursorError`. */
export async function listActions(db: Knex, query: PageQuery & ActionFilters): Promise<Page<ActionView>> {
  return pageById(
    within(db('actions').where(given(query, 'actor', 'action', 'target', 'outcome')), query, 'at'),
    query,
    actionOf,
  );
}

export async function getAction(db: Knex, id: string): Promise<ActionView | null> {
  return viewById(db('actions'), id, actionOf);
}

const actionOf = (row: RowOf<ActionView>): ActionView => viewOf(actionShape, row);

/** A session of the console by digests: neither its cookie nor its token can be had from them. */
export interface SessionKey {
  owner: string;
  session: string;
  /** When it ends by itself. */
  until: Date;
}

/** So many rows of one token; then one row ends all of its sessions that there were. */
const MOST_OF_OWNER = 100;
const ALL = '*';

export async function endSession(db: Knex, { owner, session, until }: SessionKey): Promise<void> {
  await db.transaction(async (trx) => {
    await trx('ended_sessions').insert({ owner, session, until }).onConflict(['owner', 'session']).ignore();
    const { count, last } = await rowOf<{ count: number; last: Date }>(trx)`
      SELECT count(*)::integer AS count, max(until) AS last FROM ended_sessions WHERE owner = ${owner}`;
    if (count <= MOST_OF_OWNER) return;
    await trx('ended_sessions').insert({ owner, session: ALL, until: last }).onConflict(['owner', 'session']).merge();
    await trx('ended_sessions').where({ owner }).whereNot({ session: ALL }).delete();
  });
}

export async function isEnded(db: Knex, { owner, session, until }: SessionKey): Promise<boolean> {
  const row = await db('ended_sessions')
    .where({ owner })
    .whereRaw('(session = :session OR (session = :all AND until >= :until))', { session, until, all: ALL })
    .first('until');
  return row !== undefined;
}

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
