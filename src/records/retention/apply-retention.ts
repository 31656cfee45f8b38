import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../log.js';
import { raw, rowsOf, run } from '../database/statements.js';
import {
  deleteKeys,
  pruneBodies,
  type RetentionDays,
  type RetentionTask,
  rowTasks,
  type StepQuery,
} from './delete-rows.js';
import { maskTasks } from './mask-records.js';
import { beginPass, EVERYTHING, endPass, notePlace } from './retention-state.js';

export interface RetentionDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
  days: RetentionDays;
}

export interface RetentionOptions {
  signal?: AbortSignal;
  /** Rows read in one transaction. Default 1,000. */
  batch?: number;
  /** Pause after a transaction that wrote. Default 50 ms. */
  pauseMs?: number;
}

export interface RetentionReport {
  /** Rows by task; those with nothing to do are left out. */
  done: Record<string, number>;
  /** Bodies that are old enough and stay, because their event is not applied. */
  left: { received: number; failed: number; dead: number };
  /** Cut short: the next call goes on. */
  isCutShort: boolean;
}

const DAY_MS = 86_400_000;
const BATCH = 1_000;
const PAUSE_MS = 50;
/** Nobody waits behind a step that waits. */
const STEP_LIMITS = "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '60s'";

/**
 * Prunes, deletes and masks what is older than the days (docs/retention.md), in small transactions with a pause between.
 * May be stopped after any of them, or killed: the next call goes on there. Doing it again changes nothing. Throws what
 * the database throws.
 */
export async function applyRetention(deps: RetentionDeps, options: RetentionOptions = {}): Promise<RetentionReport> {
  const done: Record<string, number> = {};
  const began = deps.now();
  await beginPass(deps.db, EVERYTHING, { cutoff: began, now: began });
  for (const task of retentionTasks) {
    if (options.signal?.aborted) break;
    const count = await applyTask(deps, task, options);
    if (count > 0) done[task.name] = count;
  }
  if (!options.signal?.aborted) await endPass(deps.db, EVERYTHING, { place: null, now: deps.now() });
  const left = await countLeftBodies(deps.db, cutoffOf(deps.now(), deps.days.body));
  const report = { done, left, isCutShort: options.signal?.aborted ?? false };
  deps.log.info(report, 'retention finished');
  return report;
}

async function applyTask(deps: RetentionDeps, task: RetentionTask, options: RetentionOptions): Promise<number> {
  const { signal, batch: limit = BATCH, pauseMs = PAUSE_MS } = options;
  const { db, now } = deps;
  const pass = await beginPass(db, task.name, { cutoff: cutoffOf(now(), task.days(deps.days)), now: now() });
  let place = pass.place;
  let total = 0;
  for (;;) {
    if (signal?.aborted) return total;
    const { done, next, end = null } = await takeStep(db, task, { cutoff: pass.cutoff, place, limit });
    total += done;
    if (next === null) {
      await endPass(db, task.name, { place: end, now: now() });
      return total;
    }
    place = next;
    await delay(done > 0 ? pauseMs : 0, undefined, signal ? { signal } : {}).catch(() => {});
  }
}

function takeStep(db: Knex, task: RetentionTask, query: StepQuery): ReturnType<RetentionTask['step']> {
  return db.transaction(async (trx) => {
    await run(trx)`${raw(STEP_LIMITS)}`;
    const step = await task.step(trx, query);
    if (step.next !== null || step.done > 0) await notePlace(trx, task.name, step.next, step.done);
    return step;
  });
}

/** Bodies from before this moment that stay, because their event is not applied. Reads indexes of those only. */
export async function countLeftBodies(db: Knex, before: Date): Promise<RetentionReport['left']> {
  const rows = await rowsOf<{ status: 'received' | 'failed' | 'dead'; count: number }>(db)`
    SELECT status, count(*)::integer AS count FROM inbox
    WHERE status IN ('received', 'failed') AND received_at < ${before} GROUP BY status
    UNION ALL
    SELECT status, count(*)::integer FROM inbox WHERE status = 'dead' AND received_at < ${before} GROUP BY status`;
  return { received: 0, failed: 0, dead: 0, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}

export const cutoffOf = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Deliveries before keys: what no delivery needs any more can go in the same pass. */
const retentionTasks: readonly RetentionTask[] = [pruneBodies, ...rowTasks, deleteKeys, ...maskTasks];
