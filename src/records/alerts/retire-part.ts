import type { Knex } from 'knex';
import { lateSeconds } from '../../domain/alerts/condition.js';
import { rowsOf } from '../database/statements.js';
import type { LivingPart } from '../process-heartbeats.js';

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
export async function retirePart(trx: Knex.Transaction, part: RetirablePart): Promise<RetirePartResult> {
  const row = await lockedHeartbeat(trx, part);
  if (row === undefined || row.retired) return { outcome: 'not_expected' };
  if (row.secondsAgo < STOPPED_SECONDS) return { outcome: 'at_work', secondsAgo: Math.round(row.secondsAgo) };
  await trx('signs_of_life')
    .where({ part })
    .update({ seen_at: trx.raw(NEVER) });
  return { outcome: 'retired', lastSignAt: row.seenAt.toISOString() };
}

/** Expects heartbeats of it again, from now on. False: it was not retired. */
export async function restorePart(trx: Knex.Transaction, part: RetirablePart): Promise<boolean> {
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

async function lockedHeartbeat(trx: Knex.Transaction, part: RetirablePart): Promise<Heartbeat | undefined> {
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
