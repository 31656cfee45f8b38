import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Knex } from 'knex';
import { schemaState } from '../records/database.js';

export interface Readiness {
  ok: boolean;
  problems: string[];
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
      answer = inTime
        .execute(() => problemsOf(db))
        .catch((error: unknown) => [
          `database: ${error instanceof Error ? error.message || error.name : String(error)}`,
        ])
        .then(readinessOf);
    }
    return answer;
  };
}

/** After a fail-over the old primary still answers, and takes no event. */
async function problemsOf(db: Knex): Promise<string[]> {
  const { problems } = await schemaState(db);
  const { rows } = await db.raw<{ rows: { standby: boolean; refuses: boolean }[] }>(
    `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS refuses`,
  );
  const [said] = rows;
  if (said?.standby) return [...problems, 'database: read-only, it is a standby'];
  return said?.refuses ? [...problems, 'database: read-only'] : problems;
}
