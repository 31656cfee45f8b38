import type { Knex } from 'knex';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { logFailure, repeat } from '../../records/database/repeat.js';
import type { Trx } from '../../records/database/statements.js';
import { fillSkeletons } from '../../records/family/references.js';
import { rederiveSlice } from '../../records/orders/rederive-releases.js';
import { addedColumns, fillColumn, showSliceAgain } from '../../records/saving/show-again.js';
import type { ReconcileDeps } from '../deps.js';
import { saveContext, whilePassing } from '../write-fenced.js';
import { type CrossCheckDeps, crossCheck } from './cross-check.js';
import { goRound } from './go-round.js';

const EVERY_MS = 60_000;
const AFTER_FAILURE_MS = 10_000;

/** What the leader does beside its runs, each minute, until the signal aborts. Failures are logged and tried again. */
export async function crossCheckLoop(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const failed = logFailure(deps.log, 'cross-check loop failed', { pause: AFTER_FAILURE_MS });
  const times = { everyMs: EVERY_MS, afterFailureMs: AFTER_FAILURE_MS };
  await repeat({ signal, failed, ...times }, () => checkOnce(deps, signal));
}

/**
 * Every order is derived again where the rules of the release are others than before: by settings, or because the account shows
 * results of its screening for the first time. Then columns are filled that rows of an older program lack, and what events
 * changed is cross-checked and what has come to the end of its grace. Last, all records go round.
 */
export async function checkOnce(deps: CrossCheckDeps & ReleaseRules, signal?: AbortSignal): Promise<void> {
  await rederiveReleases(deps, signal);
  await fillColumns(deps, signal);
  await crossCheck(deps, signal);
  await goRound(deps, {}, signal);
}

export async function fillColumns({ db }: Pick<ReconcileDeps, 'db'>, signal?: AbortSignal): Promise<void> {
  await inSlices(db, fillSkeletons, signal);
  for (const column of addedColumns) await inSlices(db, (trx) => fillColumn(trx, column), signal);
}

/** Orders keep the release that they were derived with: where its rules changed, all that hang on them go anew. */
export async function rederiveReleases(
  deps: Pick<ReconcileDeps, 'db' | 'now' | 'adoptedAt' | keyof ReleaseRules>,
  signal?: AbortSignal,
): Promise<void> {
  const work = async (trx: Trx): Promise<boolean> => {
    const context = saveContext(deps);
    return (await showSliceAgain(trx, context)) || rederiveSlice(trx, context);
  };
  await inSlices(deps.db, work, signal);
}

/** In transactions of their own, until `work` says that nothing is left. */
async function inSlices(
  db: Knex,
  work: (trx: Trx) => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let more = true; more; more = await whilePassing(() => db.transaction(work))) signal?.throwIfAborted();
}
