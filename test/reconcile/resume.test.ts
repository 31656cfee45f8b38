import { beforeEach, expect, test } from 'vitest';
import type { Run } from '../../src/domain/views/proof-shapes.js';
import { kinds } from '../../src/reconcile/deps.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, type FakeService, rateLimited, serviceWith } from './fake-service.js';

const PAGES = 12;
const PAYMENTS = PAGES * 100;
const whole = { kind: kinds[0], full: true } as const;

const database = resettableDatabase();
let service: FakeService;

beforeEach(async () => {
  service = serviceWith(PAYMENTS);
});

const run = (options: { resume?: boolean } = {}): Promise<Run> =>
  runReconcile(depsOf(database, service), { ...whole, ...options });

/** A full reading that ends after so many pages of the list that is read from its head to its end. */
async function cutAfter(pages: number, list: 'head' | 'sweep:all'): Promise<void> {
  let left = pages;
  service.list.beforeCall = () => {
    if (service.asked.at(-1)?.status === undefined) left -= 1;
    if (left < 0) throw rateLimited();
  };
  expect(await run()).toMatchObject({ status: 'failed', complete: false });
  service.list.beforeCall = () => {};
  const part = await database.db('unread_intervals').where({ list }).whereNotNull('newer_id').first();
  expect(part).toBeDefined();
}

const sweepOf = ({ proof }: Run) => (proof as { sweep: { name: string; calls: number; complete: boolean } }).sweep;
const readBefore = async (moment: number) =>
  Number((await database.db('payment_intents').where('poll_from', '<', moment).count().first())?.['count']);

test('a full reading that was cut off is gone on with where it was, if that is asked for, without a gap', async () => {
  expect(await run()).toMatchObject({ status: 'succeeded', complete: true });
  service.list.clock += 60_000;
  const began = service.list.clock;
  await cutAfter(8, 'sweep:all');
  const stale = await readBefore(began);
  expect(stale).toBeGreaterThan(200);
  expect(stale).toBeLessThan(PAYMENTS);

  const resumed = await run({ resume: true });
  expect(resumed).toMatchObject({ status: 'succeeded', complete: true, full: true });
  expect(sweepOf(resumed)).toMatchObject({ name: 'sweep:all', complete: true });
  expect(sweepOf(resumed).calls).toBeLessThan((3 * PAGES) / 4);
  expect(await readBefore(began)).toBe(0);
  expect(await database.db('unread_intervals').where('list', 'sweep:all')).toEqual([]);

  // Without it, a full reading is one from the beginning.
  await cutAfter(8, 'sweep:all');
  expect(sweepOf(await run()).calls).toBeGreaterThanOrEqual(PAGES);
});

test('a first reading that was cut off is gone on with: every payment is read, each page but a few once', async () => {
  await cutAfter(8, 'head');
  const resumed = await run({ resume: true });
  expect(resumed).toMatchObject({ status: 'succeeded', complete: true });
  const { head } = resumed.proof as { head: { calls: number }[] };
  expect(head.reduce((calls, scan) => calls + scan.calls, 0)).toBeLessThan(PAGES);
  expect(Number((await database.db('payment_intents').where({ verified: true }).count().first())?.['count'])).toBe(
    PAYMENTS,
  );
  expect(await database.db('unread_intervals').whereNotNull('newer_id')).toEqual([]);
});
