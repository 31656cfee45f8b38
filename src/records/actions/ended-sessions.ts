import type { Knex } from 'knex';
import { rowOf } from '../database/statements.js';

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
