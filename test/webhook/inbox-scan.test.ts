import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { type ApplyDeps, applyEvents } from '../../src/webhook/apply-events.js';
import { applyOrphaned } from '../../src/webhook/worker.js';
import { completed, storeEvents } from '../support/events.js';
import { resettableDatabase } from '../support/resettable-database.js';

const database = resettableDatabase();
let deps: ApplyDeps;
const going = new AbortController().signal;

beforeEach(async () => {
  const { db } = database;
  deps = {
    db,
    log: pino({ level: 'silent' }),
    now: () => new Date(),
    metrics: createMetrics(),
    adoptedAt: new Date(0),
  };
});

const statuses = (): Promise<string[]> => database.db('inbox').orderBy('id').pluck('status');
const names = (count: number) => Array.from({ length: count }, (_, i) => `${i}`.padStart(3, '0'));

describe('the scan of the inbox', () => {
  const age = (seconds: number) =>
    database.db('inbox').update({ next_attempt_at: database.db.raw(`now() - interval '${seconds} seconds'`) });

  it('applies what was stored and never queued, but leaves the young to the queue', async () => {
    await storeEvents(
      database.db,
      names(450).map((name) => completed(name)),
    );
    expect(await applyOrphaned(deps, going)).toBe(0);
    await age(10);
    expect(await applyOrphaned(deps, going)).toBe(450);
    expect(new Set(await statuses())).toEqual(new Set(['applied']));
  });

  it('leaves to jobs in hand what they speak of, but not for longer than a minute', async () => {
    const busy = { ...deps, isBusy: () => true };
    await storeEvents(database.db, [completed('a')]);
    await age(59);
    expect(await applyOrphaned(busy, going)).toBe(0);
    await age(61);
    expect(await applyOrphaned(busy, going)).toBe(1);
    expect(await statuses()).toEqual(['applied']);
  });

  it('by several processes at once takes each event once', async () => {
    await storeEvents(
      database.db,
      names(400).map((name) => completed(name)),
    );
    await age(10);
    const taken = await Promise.all([1, 2, 3].map(() => applyOrphaned(deps, going)));
    expect(taken.reduce((sum, one) => sum + one, 0)).toBe(400);
    expect(new Set(await statuses())).toEqual(new Set(['applied']));
  });

  it('leaves a row to whoever applies it, and finds it again when that fails', async () => {
    const [id] = await storeEvents(database.db, [completed('a')]);
    const holder = await database.db.transaction();
    await holder('inbox').where({ id }).forUpdate();
    await age(10)
      .timeout(500)
      .catch(() => {});
    expect(await applyEvents(deps, [id ?? ''])).toEqual({ applied: 0, unhandled: 0, failed: 0 });
    await holder.rollback();
    await age(10);
    expect(await applyOrphaned(deps, going)).toBe(1);
    expect(await statuses()).toEqual(['applied']);
  });
});
