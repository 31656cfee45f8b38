import type { Knex } from 'knex';
import { lateSeconds } from '../domain/alerts/condition.js';
import type { SecretsFrom } from '../domain/deliveries/last-secret.js';
import { rowsOf, run, type Trx } from './database/statements.js';

/** What says that it is at work: a role; `alerts`, the check of every condition; `queue`, which each check asks. */
export type LivingPart = 'receiver' | 'worker' | 'alerts' | 'queue';
/** Given by a receiver that accepts no secret: its silence is good. */
export const NO_SECRET = 'no_secret';
/** Given by a receiver that has its secrets from a file. */
const SECRETS_FILE = 'secrets_file';
const notes = [NO_SECRET, SECRETS_FILE] as const;
/** What a receiver that has these secrets says of them. */
export function notesOf({ accepted, fromFile }: { accepted: number; fromFile: boolean }): Note[] {
  return [...(accepted === 0 ? ([NO_SECRET] as const) : []), ...(fromFile ? ([SECRETS_FILE] as const) : [])];
}
type Note = (typeof notes)[number];

export interface ProcessHeartbeat {
  part: LivingPart;
  seenAt: Date;
  /** By the database's clock alone. */
  secondsAgo: number;
}

/** However many processes of a part there are: one heartbeat of any of them counts for it. It takes a retirement back. */
export async function recordHeartbeat(db: Knex, parts: readonly (LivingPart | Note)[]): Promise<void> {
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
    FROM signs_of_life WHERE isfinite(seen_at) AND part <> ALL (${notes}::text[]) ORDER BY part`;
}

/** When all conditions of alerts were checked last, ISO 8601; null: never. */
export async function alertsCheckedAt(db: Knex): Promise<string | null> {
  const found = (await processHeartbeats(db)).find(({ part }) => part === 'alerts');
  return found?.seenAt.toISOString() ?? null;
}

/** Heartbeats come every quarter of a minute. */
const FRESH = "interval '45 seconds'";

/** Whether a receiver at work accepts no secret, as each is retired. */
export async function acceptsNoSecret(db: Knex): Promise<boolean> {
  const heartbeat = await db('signs_of_life').where({ part: NO_SECRET }).whereRaw(`seen_at > now() - ${FRESH}`).first();
  return heartbeat !== undefined;
}

/** Those whose silence is an alert. */
export const retirableParts = ['receiver', 'worker'] as const satisfies readonly LivingPart[];
export type RetirablePart = (typeof retirableParts)[number];

export interface PartView {
  part: RetirablePart;
  /** `retired`: nothing is expected of it until its next sign. */
  status: 'at_work' | 'silent' | 'retired';
  /** Null: not known. */
  lastSignAt: string | null;
}

type RetirePartResult =
  | { outcome: 'retired'; lastSignAt: string }
  /** No database that was ever started, or it is retired already. */
  | { outcome: 'not_expected' }
  /** Its last sign is not old enough to say that it was shut down. */
  | { outcome: 'at_work'; secondsAgo: number };

/** Heartbeats come every quarter of a minute. */
const STOPPED_SECONDS = 60;
/** Older than any heartbeat, so that the next one counts again, and no start of another part puts a new one in its place. */
const NEVER = "'-infinity'::timestamptz";

/** From now on the silence of this part is no alert, until it is at work again. */
export async function retirePart(trx: Trx, part: RetirablePart): Promise<RetirePartResult> {
  const row = await lockedHeartbeat(trx, part);
  if (row === undefined || row.retired) return { outcome: 'not_expected' };
  if (row.secondsAgo < STOPPED_SECONDS) return { outcome: 'at_work', secondsAgo: Math.round(row.secondsAgo) };
  await trx('signs_of_life')
    .where({ part })
    .update({ seen_at: trx.raw(NEVER) });
  return { outcome: 'retired', lastSignAt: row.seenAt.toISOString() };
}

/** Expects heartbeats of it again, from now on. False: it was not retired. */
export async function restorePart(trx: Trx, part: RetirablePart): Promise<boolean> {
  const row = await lockedHeartbeat(trx, part);
  if (!row?.retired) return false;
  await trx('signs_of_life')
    .where({ part })
    .update({ seen_at: trx.raw('now()') });
  return true;
}

export async function listParts(db: Knex): Promise<{ items: PartView[] }> {
  const rows = await heartbeats(db);
  const items = rows.map(
    ({ part, retired, seenAt, secondsAgo }): PartView => ({
      part,
      status: retired ? 'retired' : secondsAgo > lateSeconds.heartbeat ? 'silent' : 'at_work',
      lastSignAt: retired ? null : seenAt.toISOString(),
    }),
  );
  return { items };
}

interface Heartbeat {
  part: RetirablePart;
  retired: boolean;
  /** Of no meaning where it is retired. */
  seenAt: Date;
  secondsAgo: number;
}

async function lockedHeartbeat(trx: Trx, part: RetirablePart): Promise<Heartbeat | undefined> {
  await trx('signs_of_life').where({ part }).forUpdate().first('part');
  return (await heartbeats(trx)).find((heartbeat) => heartbeat.part === part);
}

/** An infinite time can't be subtracted on every version of Postgres. */
async function heartbeats(db: Knex): Promise<Heartbeat[]> {
  return rowsOf<Heartbeat>(db)`
    SELECT part, NOT isfinite(seen_at) AS retired,
           CASE WHEN isfinite(seen_at) THEN seen_at ELSE now() END AS "seenAt",
           CASE WHEN isfinite(seen_at) THEN greatest(extract(epoch FROM now() - seen_at), 0) ELSE 0 END::float8 AS "secondsAgo"
    FROM signs_of_life WHERE part = ANY (${retirableParts}::text[]) ORDER BY part`;
}

/** As the receiver that was heard of last has them, at work or not; null: none was heard of. */
export async function secretsFrom(db: Knex): Promise<SecretsFrom> {
  const rows = await rowsOf<{ part: string; ago: number }>(db)`
    SELECT part, extract(epoch FROM now() - seen_at)::float8 AS ago FROM signs_of_life
    WHERE isfinite(seen_at) AND part IN ('receiver', ${SECRETS_FILE})`;
  const ago = (part: string) => rows.find((row) => row.part === part)?.ago;
  const [receiver, file] = [ago('receiver'), ago(SECRETS_FILE)];
  if (receiver === undefined) return null;
  return file !== undefined && file - receiver < 45 ? 'WEBHOOK_SECRETS_FILE' : 'WEBHOOK_SECRETS';
}
