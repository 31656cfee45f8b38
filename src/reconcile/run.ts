import type { Knex } from 'knex';
import { describeError } from '../records/database-errors.js';
import { finishRun, holdRun, type Run, type RunTally, startRun } from '../records/runs.js';
import { writeWatermarks } from '../records/watermarks.js';
import type { Kind, ReconcileDeps } from './deps.js';
import { newReading } from './intent-reading.js';
import { type Lock, takeLock } from './leader.js';
import { type Outcome, reconcilePaymentIntents } from './payment-intents.js';
import { intentPages } from './read-intents.js';
import { readPayins } from './read-payins.js';
import { assertSameList } from './same-list.js';
import { createIntentStore } from './sql-intent-store.js';
import type { Fence } from './write-fenced.js';

export interface RunOptions {
  kind: Kind;
  /** Also reads the whole list again, whatever is due. */
  full: boolean;
  /** Also reads again what was created since. */
  since?: Date;
  /** Reads and tells what would change; writes nothing, not even a run. */
  dryRun?: boolean;
  /** Goes on with a full reading that an earlier run left unfinished, instead of starting it over. */
  resume?: boolean;
  /** Deposits are left to the loop of the scheduler that reads what events claim. */
  withoutPayins?: boolean;
  signal?: AbortSignal;
  /** How long to wait for a run of the same kind elsewhere. Default 10 minutes. */
  lockTimeoutMs?: number;
  /** Called once when another run of the same kind is waited for. */
  onWaiting?: () => void;
}

const LOCK_TIMEOUT_MS = 600_000;
const PAYINS_PER_RUN = 500;

/**
 * STORY of one run: lock → run row → page and save → prove → record. Whatever stops it ends in a run that `failed` or was
 * `aborted`, with what it has read saved and the rest noted as unread; a failed run is never `complete`. Throws
 * LockTimeoutError, the signal's reason while it waits for the lock, and what the database throws.
 */
export async function runReconcile(deps: ReconcileDeps, options: RunOptions): Promise<Run> {
  if (options.dryRun) return rehearse(deps, options);
  const { kind, full, signal, onWaiting } = options;
  const lock = await takeLock(deps, `reconcile ${kind}`, {
    timeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
    ...(onWaiting ? { onWaiting } : {}),
  });
  try {
    const { id, buried } = await startRun(deps.db, kind, full, deps.now());
    if (buried.length > 0) deps.log.warn({ kind, runs: buried }, 'runs of processes that went away are aborted');
    return await perform(deps, options, id, lock);
  } finally {
    await lock.release();
  }
}

async function perform(deps: ReconcileDeps, options: RunOptions, id: string, lock: Lock): Promise<Run> {
  const { kind } = options;
  const tally = newTally();
  const signal = options.signal ? AbortSignal.any([options.signal, lock.signal]) : lock.signal;
  const log = deps.log.child({ run: id, kind });
  try {
    const outcome = await read(deps, { ...options, signal }, { dryRun: false, runId: id }, tally);
    const run = await record(deps, { id, kind }, tally, outcome);
    log.info({ calls: run.calls, changed: run.changed, complete: run.complete }, 'run ended');
    if (run.complete) deps.metrics?.reconcileLastSuccess.set({ kind }, deps.now().getTime() / 1_000);
    return run;
  } catch (error) {
    const status = signal.aborted ? 'aborted' : 'failed';
    const reason = describeError(signal.aborted ? signal.reason : error);
    log.warn({ error: reason }, `run ${status}`);
    const end = { ...tally, status, complete: false, proof: {}, error: reason, now: deps.now() } as const;
    return finishRun(deps.db, id, end);
  }
}

async function read(deps: ReconcileDeps, options: RunOptions, fence: Fence, tally: RunTally): Promise<Outcome> {
  const { signal } = options;
  const source = { type: 'poll', ref: fence.runId ?? 'dry run' } as const;
  const store = createIntentStore(deps, { source, tally, fence });
  const reading = newReading({
    read: intentPages(deps.client, tally, signal),
    store,
    tally,
    now: () => deps.now().getTime(),
    ...(signal ? { signal } : {}),
  });
  await assertSameList(reading.read, store);
  const since = options.since?.getTime() ?? null;
  const outcome = await reconcilePaymentIntents(reading, {
    full: options.full,
    since,
    resume: options.resume ?? false,
  });
  if (!options.withoutPayins && !fence.dryRun) {
    const limit = PAYINS_PER_RUN;
    await readPayins(deps, { source, tally, fence, limit, ...(signal ? { signal } : {}) });
  }
  return outcome;
}

/** The watermarks move with the end of the run, and only if it is proven. */
async function record(
  deps: ReconcileDeps,
  { id, kind }: { id: string; kind: Kind },
  tally: RunTally,
  outcome: Outcome,
): Promise<Run> {
  return deps.db.transaction(async (trx: Knex.Transaction) => {
    await holdRun(trx, id, tally, deps.now());
    if (outcome.complete) await writeWatermarks(trx, kind, id, outcome.watermarks);
    const { complete, proof } = outcome;
    return finishRun(trx, id, { ...tally, status: 'succeeded', complete, proof, error: null, now: deps.now() });
  });
}

/** A dry run: the same reading, every transaction rolled back. It holds no lock, for it keeps nobody from anything. */
async function rehearse(deps: ReconcileDeps, options: RunOptions): Promise<Run> {
  const tally = newTally();
  const startedAt = deps.now().toISOString();
  const base = { id: null, kind: options.kind, full: options.full, startedAt };
  try {
    const { complete, proof } = await read(deps, options, { dryRun: true, runId: null }, tally);
    const finishedAt = deps.now().toISOString();
    return { ...base, ...tally, status: 'succeeded', complete, proof, finishedAt, error: null };
  } catch (error) {
    const status = options.signal?.aborted ? 'aborted' : 'failed';
    const finishedAt = deps.now().toISOString();
    return { ...base, ...tally, status, complete: false, proof: {}, finishedAt, error: describeError(error) };
  }
}

function newTally(): RunTally {
  return { calls: 0, seen: 0, changed: 0, breaksOpened: 0 };
}
