import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Knex } from 'knex';
import { nameDatabase, troubleOf, unready } from '../records/database/database-trouble.js';
import type { DatabaseState } from '../records/database.js';

export type Readiness = DatabaseState;

const ANSWER_MS = 3_000;
/** However often a probe asks, the database is asked once in this time. */
const FRESH_MS = 1_000;

export const readinessOf = (problems: string[]): Readiness => ({ ok: problems.length === 0, problems });

export interface KeptReadiness {
  ready: () => Promise<Readiness>;
  /** Something failed that needs what the kept answer says is there: the next one is asked for anew. */
  doubt: () => void;
}

/** Whether it answers, takes writes, and has both schemas; never throws. Asking often costs no more than seldom. */
export function createReadiness(db: Knex, now: () => number = Date.now): KeptReadiness {
  const inTime = timeout(ANSWER_MS, TimeoutStrategy.Aggressive);
  let asked = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let answer: Promise<Readiness> | null = null;
  const ask = async (): Promise<Readiness> => {
    isAsking = true;
    // Loaded when it is needed: it brings the driver, and the embedded database can be made meanwhile.
    const { addressOf, storingState } = await import('../records/database.js');
    try {
      return await inTime.execute(() => storingState(db));
    } catch (error) {
      return afterFailure(error, addressOf(db));
    } finally {
      isAsking = false;
    }
  };
  return {
    ready: () => {
      if (!answer || (!isAsking && now() - asked > FRESH_MS)) {
        asked = now();
        answer = ask();
      }
      return answer;
    },
    doubt: () => {
      void answer?.then(({ ok }) => {
        if (ok && !isAsking) answer = null;
      });
    },
  };
}

export function afterFailure(error: unknown, url: string): Readiness {
  const trouble = troubleOf(error);
  if (trouble) return unready(trouble, url);
  const said = error instanceof Error ? error.message || error.name : String(error);
  return { ok: false, problems: [`${nameDatabase(url)} can’t be asked: ${said}`] };
}
