import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Knex } from 'knex';
import { troubleOf, unready } from '../records/database/database-trouble.js';
import { schemaState } from '../records/database.js';

export interface Readiness {
  ok: boolean;
  problems: string[];
  /** Waiting does not help. */
  lasting?: boolean;
}

const ANSWER_MS = 3_000;
/** However often a probe asks, the database is asked once in this time. */
const FRESH_MS = 1_000;

export const readinessOf = (problems: string[]): Readiness => ({ ok: problems.length === 0, problems });

/**
 * Whether the database answers, takes writes and has both schemas; never throws. Asking often costs no more than asking
 * seldom.
 */
export function createReadiness(db: Knex, now: () => number = Date.now): () => Promise<Readiness> {
  const inTime = timeout(ANSWER_MS, TimeoutStrategy.Aggressive);
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<Readiness> | null = null;
  return () => {
    if (!answer || now() - asked > FRESH_MS) {
      asked = now();
      answer = inTime.execute(() => schemaState(db)).catch(afterFailure);
    }
    return answer;
  };
}

export function afterFailure(error: unknown): Readiness {
  const trouble = troubleOf(error);
  if (trouble) return unready(trouble);
  return { ok: false, problems: [`database: ${error instanceof Error ? error.message || error.name : String(error)}`] };
}
