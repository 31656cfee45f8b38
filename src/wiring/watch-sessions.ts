import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Logger } from '../log.js';
import { type DatabaseTrouble, unready } from '../records/database/database-trouble.js';
import { type DatabaseUrls, examineSessions } from '../records/database/examine-sessions.js';
import { afterFailure, type Readiness } from './readiness.js';

const ANSWER_MS = 3_000;
/** Who runs a pooler may change its mode: it is asked again now and then, and soon where something was wrong. */
const WELL_MS = 60_000;
const WRONG_MS = 5_000;

/**
 * Whether what needs sessions of its own has them; never throws. Once it had, a server that does not answer for a moment is
 * no news of sessions: what it takes with it says so.
 */
export function createSessionsCheck(urls: DatabaseUrls, log: Logger): () => Promise<Readiness> {
  const inTime = timeout(ANSWER_MS, TimeoutStrategy.Aggressive);
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Readiness> | null = null;
  let wasWell = false;
  let told = '';
  const judge = (trouble: DatabaseTrouble | null): Readiness => {
    wasWell ||= trouble === null;
    if (trouble === null || (wasWell && trouble.passing)) return { ok: true, problems: [] };
    const state = unready(trouble, urls.directUrl);
    const [problem] = state.problems;
    if (problem !== told) log.error({ problem }, 'database sessions unusable');
    told = problem;
    return state;
  };
  return () => {
    if (!answer || performance.now() > askAgainAt) {
      askAgainAt = Number.POSITIVE_INFINITY;
      answer = inTime
        .execute(() => examineSessions(urls))
        .then(judge)
        .catch((error: unknown) => (wasWell ? { ok: true, problems: [] } : afterFailure(error, urls.directUrl)))
        .then((said) => {
          askAgainAt = performance.now() + (said.ok ? WELL_MS : WRONG_MS);
          return said;
        });
    }
    return answer;
  };
}
