import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { openDatabase } from '../../src/records/database.js';
import { createCommandQueue, createCommandWorker } from '../../src/webhook/command-queue.js';
import { createEventQueue, type EventQueue } from '../../src/webhook/queue.js';
import type { QueueSettings } from '../../src/webhook/queue-backend.js';
import { replayEvents } from '../../src/webhook/replay-events.js';
import { createWorker, type WorkerSettings } from '../../src/webhook/worker.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';
import { createTestRedis, redisKind, type TestRedis } from '../support/redis.js';

const NEVER_MS = 3_600_000;
/** Events of a load: seven bursts. */
const MANY = process.env['TALLYHOOK_LONG'] ? 600 : 140;
const log = pino({ level: 'silent' });

let database: TestDatabase;
let redis: TestRedis | null;
let queueSettings: QueueSettings;
let closing: (() => Promise<unknown>)[];

async function setUp(backend: 'Postgres' | 'Redis'): Promise<void> {
  closing = [];
  database = await createTestDatabase();
  redis = backend === 'Redis' ? await createTestRedis() : null;
  queueSettings = { databaseUrl: database.url, redisUrl: redis?.url, redisPrefix: redis?.prefix, log };
}

async function tearDown(): Promise<void> {
  await Promise.all(closing.map((close) => close()));
  await redis?.close();
  await database.drop();
}

function startQueue(): EventQueue {
  const queue = createEventQueue(queueSettings);
  closing.push(() => queue.close());
  return queue;
}

/** A worker with connections of its own; the sweep only where a test asks for it. */
function startWorker(options: Partial<WorkerSettings> = {}): { close(): Promise<void> } {
  const db = openDatabase(database.url);
  const rest = { db, now: () => new Date(), metrics: createMetrics(), adoptedAt: new Date(0) };
  const worker = createWorker({ ...queueSettings, ...rest, sweepEveryMs: NEVER_MS, ...options });
  closing.push(() => worker.close().then(() => db.destroy()));
  return worker;
}

const events = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => completed(`${from + i}`));
const count = async (status: string) => Number((await database.db('inbox').where({ status }).count())[0]?.['count']);
const soon = (check: () => Promise<void>, timeout = 15_000) => vi.waitFor(check, { timeout, interval: 20 });
const allApplied = (total: number, timeout?: number) =>
  soon(async () => expect(await count('applied')).toBe(total), timeout);

/** Every record was brought up to date by one event, once: it became known, and what the event reports of it. */
async function expectOnce(total: number): Promise<void> {
  const changes = database.db('changes').where({ entity_kind: 'payment_intent' });
  const counts = await changes.groupBy('field').orderBy('field').select('field').count('* AS changes');
  expect(counts).toEqual(['*', 'reported'].map((field) => ({ field, changes: `${total}` })));
  const paid = await database.db('payment_intents').where({ reported_paid: true, known: false }).pluck('id');
  expect(paid).toHaveLength(total);
}

/** Stores and announces `total` events in bursts, `during` in the middle of it. */
async function load(queue: EventQueue, total: number, during: () => Promise<void>): Promise<void> {
  for (let from = 0; from < total; from += 20) {
    queue.enqueue(await storeEvents(database.db, events(from, from + 20)));
    if (from === Math.floor(total / 40) * 20) await during();
  }
}

const backends = [
  { backend: 'Postgres' as const, skip: false },
  { backend: 'Redis' as const, skip: redisKind === 'none' },
];

describe.each(backends)('the queue on $backend', ({ backend, skip }) => {
  describe.skipIf(skip)('', () => {
    beforeEach(async () => {
      await setUp(backend);
      await redis?.start();
    });
    afterEach(tearDown);

    it('has each event applied once, by two workers', async () => {
      const queue = startQueue();
      startWorker();
      startWorker();
      await load(queue, MANY, async () => {});
      queue.enqueue(await database.db('inbox').pluck('id'));
      await allApplied(MANY);
      await expectOnce(MANY);
    });

    it('is quick: an event is not kept waiting for a poll', async () => {
      const queue = startQueue();
      startWorker();
      queue.enqueue(await storeEvents(database.db, [completed('warm')]));
      await allApplied(1);
      const times: number[] = [];
      for (let i = 0; i < 11; i += 1) {
        const ids = await storeEvents(database.db, [completed(`${i}`)]);
        const start = performance.now();
        queue.enqueue(ids);
        await vi.waitFor(async () => expect(await count('applied')).toBe(i + 2), { interval: 2, timeout: 5_000 });
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      // About 10 ms on a machine that does nothing else; it hardly ever is one while tests run.
      expect(times[5]).toBeLessThan(250);
    });

    it('finds no event lost that a worker had in hand when it was closed', async () => {
      const queue = startQueue();
      const first = startWorker();
      await load(queue, MANY, () => first.close());
      const applied = await count('applied');
      expect(await count('received')).toBe(MANY - applied);
      startWorker();
      await allApplied(MANY);
      await expectOnce(MANY);
    });

    it('replays an event that is done, under a new job', async () => {
      const queue = startQueue();
      startWorker();
      const ids = await storeEvents(database.db, events(0, 3));
      for (let i = 0; i < 2; i += 1) {
        expect(await replayEvents({ db: database.db, queue }, ids)).toHaveLength(3);
        await allApplied(3);
      }
      await expectOnce(3);
    });

    it('hands over what waits when it is closed', async () => {
      const queue = createEventQueue(queueSettings);
      startWorker();
      queue.enqueue(await storeEvents(database.db, [completed('first')]));
      await allApplied(1);
      queue.enqueue(await storeEvents(database.db, events(0, 100)));
      await queue.close();
      await allApplied(101);
    });

    it('carries commands out, and fails those nobody handles', async () => {
      const got: unknown[] = [];
      const worker = createCommandWorker({
        ...queueSettings,
        handlers: { run: async (payload) => void got.push(payload) },
      });
      const commands = createCommandQueue(queueSettings);
      closing.push(
        () => worker.close(),
        () => commands.close(),
      );
      await commands.send('doctor', null);
      await commands.send('run', { kind: 'payment-intents' });
      await soon(async () => expect(got).toEqual([{ kind: 'payment-intents' }]));
    });

    it('has its connections cut and goes on', async () => {
      const queue = startQueue();
      startWorker({ sweepEveryMs: 500 });
      const cut = () =>
        database.db.raw(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        );
      await load(queue, MANY, async () => {
        await cut();
      });
      await allApplied(MANY);
      await expectOnce(MANY);
      // The queue itself recovers too, not only what the sweep finds.
      await soon(async () => {
        const before = await count('applied');
        queue.enqueue(await storeEvents(database.db, [completed(`again-${performance.now()}`)]));
        await vi.waitFor(async () => expect(await count('applied')).toBeGreaterThan(before), { timeout: 400 });
      });
    });
  });
});

describe.skipIf(redisKind !== 'own')('without Redis', () => {
  beforeEach(() => setUp('Redis'));
  afterEach(tearDown);

  it('stopped before the start: events are applied all the same, and through the queue once it is there', async () => {
    const queue = startQueue();
    startWorker({ sweepEveryMs: 200 });
    const started = performance.now();
    queue.enqueue(await storeEvents(database.db, events(0, 50)));
    expect(performance.now() - started).toBeLessThan(1_000);
    await allApplied(50);
    await redis?.start();
    await soon(async () => {
      const before = await count('applied');
      queue.enqueue(await storeEvents(database.db, [completed(`q-${performance.now()}`)]));
      await vi.waitFor(async () => expect(await count('applied')).toBeGreaterThan(before), { timeout: 1_000 });
    });
  });

  it.each([
    [
      'killed and started again',
      async () => {
        await redis?.stop();
        await delay(300);
        await redis?.start();
      },
    ],
    ['killed for good', async () => redis?.stop()],
    ['flushed', async () => redis?.flush()],
  ])('%s during load: all applied, once', async (_, during) => {
    await redis?.start();
    const queue = startQueue();
    startWorker({ sweepEveryMs: 200 });
    await load(queue, MANY, async () => {
      await during();
    });
    await allApplied(MANY);
    await expectOnce(MANY);
  });

  it('a command says that it was not queued', async () => {
    const commands = createCommandQueue(queueSettings);
    closing.push(() => commands.close());
    await expect(commands.send('run', {})).rejects.toMatchObject({ code: 'command_queue_unavailable' });
  });
});
