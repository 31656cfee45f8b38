import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ScheduledTask, schedule, validate } from 'node-cron';
import { CRON_OFF, defaultCrons } from '../../domain/run-kinds.js';
import { ConfigError } from '../../errors.js';
import { describeError, isPassing } from '../../records/database/database-errors.js';
import { logFailure, repeat, untilClosed } from '../../records/database/repeat.js';
import { applyRetention } from '../../records/retention/apply-retention.js';
import type { RetentionDays } from '../../records/retention/delete-rows.js';
import type { RefreshKind } from '../../records/runs/refresh-requests.js';
import { UnavailableError } from '../../service-api/service-errors.js';
import { crossCheckLoop } from '../cross-check/cross-check-loop.js';
import { type Kind, kinds, type ReconcileDeps } from '../deps.js';
import { newRefreshMemory, type RefreshRound } from '../refresh/refresh-list.js';
import { refreshReaders } from '../refresh/refresh-readers.js';
import { createCallShare } from '../take-turns.js';
import { type Lock, tryLock } from './leader.js';
import { runReconcile } from './run.js';

export interface SchedulerDeps extends ReconcileDeps {
  /** When each kind runs: a cron expression, or `off`. A kind that is not named has its default. */
  crons?: Partial<Record<Kind, string>>;
  /** How long what is kept; left out: for ever. */
  retention?: RetentionDays;
  /** What else the leader does until the signal, which never throws, and how it learns that a run has ended. `ask`: a run of the kind now, unless one is under way. */
  beside?: { loop(signal: AbortSignal, ask: (kind: Kind) => void): Promise<void>; wake(): void };
  /** When a run is made again that the database's condition ended, in ms after each time. */
  againMs?: readonly number[];
  /** How often one that stands by asks for leadership. Default 1 s. */
  standbyMs?: number;
}

export interface Scheduler {
  /** Ends the run under way between two pages, gives leadership away, and waits for both. */
  close(): Promise<void>;
}

const LEADER = 'scheduler';
const STANDBY_MS = 1_000;
/** A restart or a failover is over by then; what lasts longer waits for its cron. */
const AGAIN_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];
/** Pages of what is long, in one run: a first poll of a million records does not keep out what is new meanwhile. */
const PAGES_PER_RUN = 1_000;

/**
 * One of many: leads or stands by, and takes over within seconds when the leader's connection is gone. The leader runs
 * every kind that is not off once, then at its times, and polls at once what events report. Throws a ConfigError for a
 * time that is no cron expression.
 */
export function startScheduler(deps: SchedulerDeps): Scheduler {
  const crons = kinds.map((kind) => ({ kind, cron: deps.crons?.[kind] ?? defaultCrons[kind] }));
  for (const { kind, cron } of crons) {
    if (cron === CRON_OFF || validate(cron)) continue;
    throw new ConfigError(`the times of ${kind}: given "${cron}"; accepted is a cron expression, or off`);
  }
  const on = crons.filter(({ cron }) => cron !== CRON_OFF);
  return untilClosed((signal) => standBy(deps, on, signal));
}

interface Timed {
  kind: Kind;
  cron: string;
}

async function standBy(deps: SchedulerDeps, on: Timed[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const lock = await tryLock(deps, LEADER).catch((error: unknown) => {
      deps.log.warn({ error: describeError(error) }, 'leadership not requested');
      return null;
    });
    if (lock) await lead(deps, on, lock, signal);
    await delay(deps.standbyMs ?? STANDBY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Each loop of the leader, each run and each call under way waits for the one signal: more than Node takes for a leak. */
const MOST_WAITING = 100;

async function lead(given: SchedulerDeps, on: Timed[], lock: Lock, stop: AbortSignal): Promise<void> {
  const share = createCallShare(given.client);
  const deps = { ...given, share, client: share.others };
  const signal = AbortSignal.any([stop, lock.signal]);
  setMaxListeners(MOST_WAITING, signal);
  deps.log.info('leadership acquired');
  const answers = createAnswers();
  const runs = createRuns(deps, signal, answers);
  const tasks = on.map(({ kind, cron }) => tick(deps, cron, () => runs.ask(kind)));
  try {
    for (const { kind } of on) runs.ask(kind);
    await Promise.all([
      refreshLoop(deps, signal, answers),
      crossCheckLoop(deps, signal),
      retentionLoop(deps, signal),
      deps.beside?.loop(signal, (kind) => runs.ask(kind)),
    ]);
    await runs.settled();
  } finally {
    for (const task of tasks) await task.destroy();
    await lock.release();
  }
}

/** A process that stood still for longer leaves a run out; a shorter pause only makes it late. */
const LATEST_TICK_MS = 90_000;

/** node-cron only gives the time: who runs is the lock's business, and what still runs is not started again. */
function tick({ log }: SchedulerDeps, cron: string, onTick: () => void): ScheduledTask {
  const logger = {
    info: (text: string) => log.debug(text),
    warn: (text: string) => log.debug(text),
    error: (text: string | Error) => log.error({ err: text }, 'cron failed'),
    debug: (text: string | Error) => log.trace({ text }, 'ticker'),
  };
  const options = { suppressMissedWarning: true, missedExecutionTolerance: LATEST_TICK_MS };
  return schedule(cron, onTick, { logger, ...options });
}

/** Tells whoever waits because the service was away that it answers again. */
interface Answers {
  next(): AbortSignal;
  heard(): void;
}

export function createAnswers(): Answers {
  let waiting = new AbortController();
  const heard = () => {
    waiting.abort();
    waiting = new AbortController();
  };
  return { next: () => waiting.signal, heard };
}

/**
 * Each kind in a lane of its own, so that none waits for another's run. One that runs is not started again. Once a run has
 * its answers, those that failed because the service was away are made again.
 */
function createRuns(
  deps: SchedulerDeps,
  signal: AbortSignal,
  answers: Answers,
): { ask(kind: Kind): void; settled(): Promise<unknown> } {
  const running = new Map<Kind, Promise<void>>();
  const unanswered = new Set<Kind>();
  const note = (kind: Kind, failure: unknown): void => {
    unanswered.delete(kind);
    if (failure instanceof UnavailableError) unanswered.add(kind);
    if (failure !== null || signal.aborted) return;
    answers.heard();
    for (const other of unanswered) ask(other);
  };
  const attempt = async (kind: Kind): Promise<unknown> => {
    let failure: unknown = null;
    const onFailure = (error: unknown) => (failure = error);
    const options = { kind, full: false, pages: PAGES_PER_RUN, withoutPayins: true, signal, onFailure };
    await runReconcile(deps, options).catch((error: unknown) => {
      failure = error;
      if (!signal.aborted) deps.log.error({ kind, error: describeError(error) }, 'run not recorded');
    });
    note(kind, failure);
    return failure;
  };
  const perform = async (kind: Kind): Promise<void> => {
    try {
      for (const pauseMs of [...(deps.againMs ?? AGAIN_MS), null]) {
        if (signal.aborted || !isPassing(await attempt(kind)) || pauseMs === null) return;
        deps.log.warn({ kind, pauseMs }, 'run retried');
        await delay(pauseMs, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      running.delete(kind);
      deps.beside?.wake();
    }
  };
  const ask = (kind: Kind): void => {
    if (!running.has(kind)) running.set(kind, perform(kind));
  };
  return { ask, settled: () => Promise.all(running.values()) };
}

/** Claims that come within this time are read by the same calls. */
const GATHER_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * What events reported, each kind in a lane of its own. Failures are tried again, ever more slowly, and at once where the service was
 * away and answers again.
 */
export async function refreshLoop(
  deps: ReconcileDeps,
  signal: AbortSignal,
  answers: Answers = createAnswers(),
): Promise<void> {
  const memory = newRefreshMemory();
  await Promise.all(refreshReaders.map(({ kind, read }) => readLoop({ deps, memory, signal, answers }, kind, read)));
}

async function readLoop(
  round: RefreshRound & { signal: AbortSignal; answers: Answers },
  kind: RefreshKind,
  read: (round: RefreshRound) => Promise<void>,
): Promise<void> {
  const { deps, signal, answers } = round;
  let pause = GATHER_MS;
  let isAway = false;
  const failed = (error: unknown) => {
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    isAway = error instanceof UnavailableError;
    deps.log.warn({ kind, error: describeError(error), pause }, 'refresh failed');
  };
  await repeat({ signal, everyMs: () => pause, failed, sooner: () => (isAway ? answers.next() : null) }, async () => {
    await read(round);
    pause = GATHER_MS;
    isAway = false;
  });
}

const DAY_MS = 86_400_000;
/** After a failure, such as a database that was away. */
const RETRY_MS = 15 * 60_000;

/** Lets go of what was kept long enough (docs/retention.md), at once and then every day. Never throws. */
export async function retentionLoop(
  deps: Pick<SchedulerDeps, 'db' | 'log' | 'now' | 'retention'>,
  signal: AbortSignal,
): Promise<void> {
  const { retention: days, log } = deps;
  if (days === undefined) return;
  const failed = logFailure(log, 'retention failed');
  const times = { everyMs: DAY_MS, afterFailureMs: RETRY_MS };
  await repeat({ signal, failed, ...times }, () => applyRetention({ ...deps, days }, { signal }));
}
