import { setTimeout as delay } from 'node:timers/promises';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { describeError } from '../../records/database/database-errors.js';
import { type CrossCheckDeps, crossCheck } from '../cross-check.js';
import type { ReconcileDeps } from '../deps.js';
import { makeSkeletons } from './make-skeletons.js';
import { rederiveReleases } from './rederive-releases.js';

const EVERY_MS = 60_000;
const AFTER_FAILURE_MS = 10_000;

/** What the leader does beside its runs, each minute, until the signal aborts. Failures are logged and tried again. */
export async function keepCrossChecking(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let pause = EVERY_MS;
    try {
      await lookOver(deps, signal);
    } catch (error) {
      if (signal.aborted) return;
      pause = AFTER_FAILURE_MS;
      deps.log.warn({ error: describeError(error), pause }, 'cross-check loop failed');
    }
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}

/**
 * Every order is derived again where the rules of the release are others than before: by settings, or because the account shows
 * results of its screening for the first time. Then the skeletons of references are made that are missing, and what events
 * changed is cross-checked and what has come to the end of its grace.
 */
export async function lookOver(deps: CrossCheckDeps & ReleaseRules, signal?: AbortSignal): Promise<void> {
  await rederiveReleases(deps, signal);
  await makeSkeletons(deps, signal);
  await crossCheck(deps, signal);
}
