import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../records/database/database-errors.js';
import { crossCheck } from '../cross-check.js';
import type { ReconcileDeps } from '../deps.js';
import { makeSkeletons } from './make-skeletons.js';
import { rederiveReleases } from './rederive-releases.js';

const EVERY_MS = 60_000;
const AFTER_FAILURE_MS = 10_000;

/**
 * What the leader does beside its runs, until the signal aborts: every order is derived again where the rules of the
 * release are others than before; then the skeletons of references are made that are missing, and, each minute, what events changed is cross-checked and what has come to
 * the end of its grace. Failures are logged and tried again.
 */
export async function keepCrossChecking(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  let derived = false;
  while (!signal.aborted) {
    let pause = EVERY_MS;
    try {
      if (!derived) await rederiveReleases(deps, signal);
      derived = true;
      await makeSkeletons(deps, signal);
      await crossCheck(deps, signal);
    } catch (error) {
      if (signal.aborted) return;
      pause = AFTER_FAILURE_MS;
      deps.log.warn({ error: describeError(error), pause }, 'records could not be cross-checked');
    }
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}
