import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from '../records/database/database-errors.js';

const MAX_ATTEMPTS = 4;
const DEADLINE_MS = 6_000;
/** The last is what sessions hear when Postgres is restarted. */
const LOST = new Set(['ECONNRESET', 'EPIPE', '57P01']);

/**
 * Writes a batch so that one bad item does not fail its neighbours: what the database refuses as a whole is tried item by
 * item. Deadlocks are retried; a connection that was lost meanwhile is retried once, on another. Whoever still waits
 * after 6 s gets that error. The write must be idempotent: a lost connection does not show whether it was committed.
 */
export async function flushSafely<T, R>(
  items: T[],
  write: (items: T[]) => Promise<R[]>,
): Promise<PromiseSettledResult<R>[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not written within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([attempt(items, write), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T, R>(items: T[], write: (items: T[]) => Promise<R[]>): Promise<PromiseSettledResult<R>[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const results = await write(items);
      return results.map((value) => ({ status: 'fulfilled', value }));
    } catch (error) {
      const kind = kindOf(error);
      if (tries < (kind === 'conflict' ? MAX_ATTEMPTS : kind === 'lost' ? 2 : 1)) {
        await delay(Math.random() * 20 * tries);
        continue;
      }
      if (kind !== 'refused' || items.length === 1) throw error;
      return oneByOne(items, write);
    }
  }
}

async function oneByOne<T, R>(items: T[], write: (items: T[]) => Promise<R[]>): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  for (const item of items) {
    const [outcome] = await attempt([item], write).catch((reason: unknown) => [
      { status: 'rejected', reason } as const,
    ]);
    if (outcome) outcomes.push(outcome);
  }
  return outcomes;
}

/**
 * `conflict`: deadlock or serialization failure. `lost`: the connection broke. `refused`: the database checked the rows
 * and said no. `unavailable`: anything else, such as a database that is down, full or too slow.
 */
function kindOf(error: unknown): 'conflict' | 'lost' | 'refused' | 'unavailable' {
  if (!(error instanceof Error)) return 'unavailable';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '40P01' || code === '40001') return 'conflict';
  if (LOST.has(code) || /^Connection terminated|not queryable$/.test(error.message)) return 'lost';
  return /^[0-9A-Z]{5}$/.test(code) && !isPassing(error) ? 'refused' : 'unavailable';
}
