import { setTimeout as delay } from 'node:timers/promises';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { describeError } from '../../records/database/database-errors.js';
import { fillSkeletons } from '../../records/family/references.js';
import { rederiveSlice } from '../../records/orders/rederive-releases.js';
import { showSliceAgain } from '../../records/saving/show-again.js';
import type { ReconcileDeps } from '../deps.js';
import { NOTHING, writeFenced } from '../write-fenced.js';
import { type CrossCheckDeps, crossCheck } from './cross-check.js';

const EVERY_MS = 60_000;
const AFTER_FAILURE_MS = 10_000;

/** What the leader does beside its runs, each minute, until the signal aborts. Failures are logged and tried again. */
export async function crossCheckLoop(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let pause = EVERY_MS;
    try {
      await checkOnce(deps, signal);
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
export async function checkOnce(deps: CrossCheckDeps & ReleaseRules, signal?: AbortSignal): Promise<void> {
  await rederiveReleases(deps, signal);
  await makeSkeletons(deps, signal);
  await crossCheck(deps, signal);
}

/** Makes the skeletons of references that are missing, slice by slice. */
export async function makeSkeletons(
  { db, now }: Pick<ReconcileDeps, 'db' | 'now'>,
  signal?: AbortSignal,
): Promise<void> {
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  const left: boolean[] = [];
  do {
    signal?.throwIfAborted();
    await writeFenced({ db, now, tally, fence: null }, async (trx) => {
      left.push(await fillSkeletons(trx));
      return NOTHING;
    });
  } while (left.at(-1) === true);
}

/**
 * Orders keep the release that they were derived with until one of their records changes. So where the rules of the release
 * are others than when they were last derived, all that hang on them are derived anew: slice by slice, going on where a
 * process before stopped.
 */
export async function rederiveReleases(
  { db, now, ...rules }: Pick<ReconcileDeps, 'db' | 'now' | 'adoptedAt' | keyof ReleaseRules>,
  signal?: AbortSignal,
): Promise<void> {
  const tally = { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
  for (;;) {
    signal?.throwIfAborted();
    const left: boolean[] = [];
    await writeFenced({ db, now, tally, fence: null }, async (trx) => {
      const context = { ...rules, now: now() };
      left.push((await showSliceAgain(trx, context)) || (await rederiveSlice(trx, context)));
      return NOTHING;
    });
    if (left.at(-1) !== true) return;
  }
}
