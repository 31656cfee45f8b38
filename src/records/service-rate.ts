import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { AppError } from '../errors.js';

const LONGEST_WAIT_MS = 60_000;
const QUERY_MS = 10_000;

/** So many calls wait already that this one would wait too long. */
export class RateWaitError extends AppError {
  readonly code = 'rate_wait';
  override readonly retryable = true;
}

export interface ServiceRate {
  perSecond: number;
  /** What shares the rate; by default everything that calls the payment service. */
  name?: string;
  /** A call that would wait longer is refused at once. */
  longestWaitMs?: number;
}

/**
 * One rate for all processes on the database. The function that it returns resolves when its caller's turn has come: turns
 * are evenly spaced, first come first served, none is saved up. Rejects with a RateWaitError where the turn is too far off,
 * with the signal's reason when aborted; an aborted caller's turn is lost.
 */
export function createServiceRate(db: Knex, rate: ServiceRate): (signal?: AbortSignal) => Promise<void> {
  const { perSecond, name = 'merchant-api', longestWaitMs = LONGEST_WAIT_MS } = rate;
  const interval = 1_000 / perSecond;
  return async (signal) => {
    signal?.throwIfAborted();
    const wait = await reserve(db, { name, interval, longestWaitMs });
    if (wait === null)
      throw new RateWaitError(`A call to the service would wait more than ${longestWaitMs} ms for its turn`);
    // An aborted delay rejects with an error of its own.
    if (wait > 0) await delay(wait, undefined, signal ? { signal } : {}).catch(() => {});
    signal?.throwIfAborted();
  };
}

/**
 * Takes the next turn; returns how long it is off, in ms. A turn further off than anybody may reserve was left behind by
 * a slower rate, or by a clock that was set back: it does not count.
 */
async function reserve(
  db: Knex,
  { name, interval, longestWaitMs }: { name: string; interval: number; longestWaitMs: number },
): Promise<number | null> {
  const { rows } = await db
    .raw<{ rows: { wait: string }[] }>(
      `WITH given AS (SELECT make_interval(secs => :step) AS step, make_interval(secs => :longest) AS longest)
       INSERT INTO service_rate AS rate (name, next_at)
       SELECT :name, clock_timestamp() + step FROM given
       ON CONFLICT (name) DO UPDATE SET next_at = (SELECT step FROM given) + CASE
         WHEN rate.next_at > clock_timestamp() + (SELECT longest + step FROM given) THEN clock_timestamp()
         ELSE greatest(rate.next_at, clock_timestamp())
       END
       WHERE rate.next_at <= clock_timestamp() + (SELECT longest FROM given)
          OR rate.next_at > clock_timestamp() + (SELECT longest + step FROM given)
       RETURNING extract(epoch FROM next_at - (SELECT step FROM given) - clock_timestamp()) * 1000 AS wait`,
      { name, step: interval / 1_000, longest: longestWaitMs / 1_000 },
    )
    .timeout(QUERY_MS);
  const wait = rows[0]?.wait;
  return wait === undefined ? null : Math.max(0, Math.ceil(Number(wait)));
}
