import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../log.js';
import { rowsOf } from '../database/statements.js';
import { deleteKeys } from './delete-keys.js';
import { rowTasks } from './delete-rows.js';
import { maskTasks } from './mask-records.js';
import { beginPass, EVERYTHING, endPass, notePlace } from './retention-state.js';
import type { RetentionDays, RetentionTask, StepQuery } from './retention-task.js';

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
  const report = { done, left: await countLeft(deps), isCutShort: options.signal?.aborted ?? false };
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
    await trx.raw(STEP_LIMITS);
    const step = await task.step(trx, query);
    if (step.next !== null || step.done > 0) await notePlace(trx, task.name, step.next, step.done);
    return step;
  });
}

async function countLeft({ db, now, days }: RetentionDeps): Promise<RetentionReport['left']> {
  return countLeftBodies(db, cutoffOf(now(), days.body));
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

export function cutoffOf(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/**
 * Bodies of events that are applied, or that are nothing to apply. One that waits, failed or is dead is all that is left
 * of what it says: it stays. Rows were numbered as they came, so a pass ends where all are young, and the next begins
 * before the first young one. Whoever works on a row is not waited for.
 */
export const pruneBodies: RetentionTask = {
  name: 'bodies',
  days: ({ body }) => body,
  step: async (trx, { cutoff, place, limit }) => {
    const { rows } = await trx.raw<{ rows: [Scanned] }>(PRUNE, { place: place ?? '0', cutoff, limit });
    const { done, last, aged, before_young } = rows[0];
    const more = last !== null && aged > 0;
    return { done, next: more ? last : null, end: before_young ?? last ?? place };
  },
};

interface Scanned {
  done: number;
  last: string | null;
  /** How many of those read are old enough. */
  aged: number;
  /** The id before the first that is not; null: there is none. */
  before_young: string | null;
}

const PRUNE = `
WITH scanned AS MATERIALIZED (
  SELECT id, received_at < CAST(:cutoff AS timestamptz) AS aged FROM inbox WHERE id > CAST(:place AS bigint) ORDER BY id LIMIT :limit
), locked AS MATERIALIZED (
  SELECT id FROM inbox
  WHERE id IN (SELECT id FROM scanned WHERE aged) AND body IS NOT NULL AND status IN ('applied', 'unhandled')
  ORDER BY id FOR UPDATE SKIP LOCKED
), pruned AS (
  UPDATE inbox SET body = NULL FROM locked WHERE inbox.id = locked.id RETURNING inbox.id
)
SELECT (SELECT CAST(count(*) AS integer) FROM pruned) AS done,
       max(id) AS last,
       CAST(count(*) FILTER (WHERE aged) AS integer) AS aged,
       min(id) FILTER (WHERE NOT aged) - 1 AS before_young
FROM scanned`;

/** Deliveries before keys: what no delivery needs any more can go in the same pass. */
const retentionTasks: readonly RetentionTask[] = [pruneBodies, ...rowTasks, deleteKeys, ...maskTasks];
