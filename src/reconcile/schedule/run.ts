import type { Run } from '../../domain/views/proof-shapes.js';
import { describeError } from '../../records/database/database-errors.js';
import type { Trx } from '../../records/database/statements.js';
import { checkContinuity, noteDatabase } from '../../records/runs/continuity.js';
import { finishRun, holdRun, newTally, type RunTally, startRun } from '../../records/runs/runs.js';
import { writeWatermarks } from '../../records/runs/watermarks.js';
import type { Kind, Outcome, PollOptions, Progress, ReconcileDeps, RunContext } from '../deps.js';
import type { Fence } from '../write-fenced.js';
import { type Lock, takeLock } from './leader.js';
import { afterRun, reconcilers } from './reconcilers.js';

export interface RunOptions
  extends Pick<PollOptions, 'full'>,
    Partial<Pick<PollOptions, 'resume' | 'withoutPayins' | 'wanted'>> {
  kind: Kind;
  since?: Date | undefined;
  /** Reads and says what would change; writes nothing, not even a run. */
  dryRun?: boolean;
  /** Left out: to the end. */
  pages?: number | undefined;
  signal?: AbortSignal | undefined;
  /** How long to wait for a run of the same kind elsewhere. Default 10 minutes. */
  lockTimeoutMs?: number;
  /** Called once when another run of the same kind is waited for. */
  onWaiting?: () => void;
  onProgress?: (at: Progress) => void;
  /** Called with what made the run fail, which the run itself keeps in words only. */
  onFailure?: (error: unknown) => void;
}

const LOCK_TIMEOUT_MS = 600_000;
const PREREQUISITE_TIMEOUT_MS = 60_000;

/**
 * STORY of one run: lock → run row → read, save and prove → cross-check → record. Whatever stops it ends in a run that
 * `failed` or was `aborted`, with what it has read saved and the rest noted as unread; a failed run is never `complete`.
 * Throws LockTimeoutError, the signal's reason while it waits for the lock, and what the database throws.
 */
export async function runReconcile(deps: ReconcileDeps, options: RunOptions): Promise<Run> {
  if (options.dryRun) return runDry(deps, options);
  const { kind, full, signal, onWaiting } = options;
  const timeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
  const lock = await takeLock(deps, `reconcile ${kind}`, { timeoutMs, signal, onWaiting });
  try {
    await goOn(deps);
    const { id, orphaned } = await startRun(deps.db, kind, full, deps.now());
    await noteDatabase(deps.db, id);
    if (orphaned.length > 0) deps.log.warn({ kind, runs: orphaned }, 'orphaned runs aborted');
    return await perform(deps, options, id, lock);
  } finally {
    await lock.release();
  }
}

/** After a long pause, or a backup that was put back, the lists are read whole again (docs/deploy.md). */
async function goOn({ db, now, log }: ReconcileDeps): Promise<void> {
  const broken = await checkContinuity(db, now());
  if (broken !== null) log.warn(broken, 'history interrupted');
}

async function perform(deps: ReconcileDeps, options: RunOptions, id: string, lock: Lock): Promise<Run> {
  const { kind } = options;
  const signal = options.signal ? AbortSignal.any([options.signal, lock.signal]) : lock.signal;
  const log = deps.log.child({ run: id, kind });
  const context = contextOf(deps, { ...options, signal }, { dryRun: false, runId: id });
  const { tally } = context;
  try {
    const outcome = await reconcilers[kind](context);
    await afterRun(context, kind);
    const run = await record(deps, { id, kind }, tally, outcome);
    log.info({ calls: run.calls, changed: run.changed, complete: run.complete }, 'run ended');
    if (run.complete) deps.metrics?.reconcileLastSuccess.set({ kind }, deps.now().getTime() / 1_000);
    return run;
  } catch (error) {
    const status = signal.aborted ? 'aborted' : 'failed';
    if (!signal.aborted) options.onFailure?.(error);
    const reason = describeError(signal.aborted ? signal.reason : error);
    log.warn({ error: reason }, signal.aborted ? 'run aborted' : 'run failed');
    const end = { ...tally, status, complete: false, proof: {}, error: reason, now: deps.now() } as const;
    return finishRun(deps.db, id, end);
  }
}

function contextOf(deps: ReconcileDeps, options: RunOptions, fence: Fence): RunContext {
  const { full, since, resume = false, pages = null, withoutPayins = false, wanted, signal, onProgress } = options;
  return {
    deps,
    source: { type: 'poll', ref: fence.runId ?? 'dry run' },
    tally: newTally(),
    fence,
    options: { full, since: since?.getTime() ?? null, resume, pages, withoutPayins, wanted },
    signal,
    progress: onProgress ?? (() => {}),
    ...(fence.dryRun ? {} : { prerequisite: (other) => runPrerequisite(deps, options, other) }),
  };
}

/** A run within a run: it waits for another's of its kind only for so long, because this one holds a lock as well. */
function runPrerequisite(deps: ReconcileDeps, { pages, signal }: RunOptions, kind: Kind): Promise<Run> {
  const lockTimeoutMs = PREREQUISITE_TIMEOUT_MS;
  return runReconcile(deps, { kind, full: false, withoutPayins: true, lockTimeoutMs, pages, signal });
}

/** The watermarks move with the end of the run, and only if it is proven; what is due next in any case. */
async function record(
  deps: ReconcileDeps,
  { id, kind }: { id: string; kind: Kind },
  tally: RunTally,
  outcome: Outcome,
): Promise<Run> {
  return deps.db.transaction(async (trx: Trx) => {
    await holdRun(trx, id, tally, deps.now());
    if (outcome.complete) await writeWatermarks(trx, kind, id, outcome.watermarks);
    await writeWatermarks(trx, kind, id, outcome.due ?? new Map());
    const { complete, proof } = outcome;
    return finishRun(trx, id, { ...tally, status: 'succeeded', complete, proof, error: null, now: deps.now() });
  });
}

/** A dry run: the same scan, every transaction rolled back. It holds no lock, for it keeps nobody from anything. */
async function runDry(deps: ReconcileDeps, options: RunOptions): Promise<Run> {
  const context = contextOf(deps, options, { dryRun: true, runId: null });
  const startedAt = deps.now().toISOString();
  const end = () => ({
    id: null,
    kind: options.kind,
    full: options.full,
    startedAt,
    ...context.tally,
    finishedAt: deps.now().toISOString(),
  });
  try {
    const { complete, proof } = await reconcilers[options.kind](context);
    return { ...end(), status: 'succeeded', complete, proof, error: null };
  } catch (error) {
    const status = options.signal?.aborted ? 'aborted' : 'failed';
    return { ...end(), status, complete: false, proof: {}, error: describeError(error) };
  }
}
