import type { Knex } from 'knex';
import { rowsOf, run } from './database/statements.js';

/** What says that it is at work: a role; `alerts`, the check of every condition; `queue`, which each check asks. */
export type LivingPart = 'receiver' | 'worker' | 'alerts' | 'queue';
/** Given by a receiver that accepts no secret: its silence is good. */
export const NO_SECRET = 'no_secret';

export interface ProcessHeartbeat {
  part: LivingPart;
  seenAt: Date;
  /** By the database's clock alone. */
  secondsAgo: number;
}

/** However many processes of a part there are: one heartbeat of any of them counts for it. It takes a retirement back. */
export async function recordHeartbeat(db: Knex, parts: readonly (LivingPart | typeof NO_SECRET)[]): Promise<void> {
  await run(db)`
    INSERT INTO signs_of_life AS sign (part, seen_at) SELECT part, now() FROM unnest(${parts}::text[]) AS part ORDER BY part
    ON CONFLICT (part) DO UPDATE SET seen_at = greatest(sign.seen_at, excluded.seen_at)`;
}

/** From now on each without any heartbeat is as silent as one that ceased to. */
export async function expectHeartbeats(db: Knex, parts: readonly LivingPart[]): Promise<void> {
  await run(db)`
    INSERT INTO signs_of_life (part, seen_at) SELECT part, now() FROM unnest(${parts}::text[]) AS part ORDER BY part
    ON CONFLICT (part) DO NOTHING`;
}

/** Of every part that was ever at work, or expected to be, and is not retired since. */
export async function processHeartbeats(db: Knex): Promise<ProcessHeartbeat[]> {
  return rowsOf<ProcessHeartbeat>(db)`
    SELECT part, seen_at AS "seenAt", greatest(extract(epoch FROM now() - seen_at), 0)::float8 AS "secondsAgo"
    FROM signs_of_life WHERE isfinite(seen_at) AND part <> ${NO_SECRET} ORDER BY part`;
}

/** Heartbeats come every quarter of a minute. */
const FRESH = "interval '45 seconds'";

/** Whether a receiver at work accepts no secret, as each is retired. */
export async function acceptsNoSecret(db: Knex): Promise<boolean> {
  const heartbeat = await db('signs_of_life').where({ part: NO_SECRET }).whereRaw(`seen_at > now() - ${FRESH}`).first();
  return heartbeat !== undefined;
}
