import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCommandQueue, createCommandWorker } from '../../src/webhook/command-queue.js';
import { createEventQueue, replayEvents } from '../../src/webhook/queue.js';
import { completed, storeEvents } from '../support/events.js';
import { redisKind } from '../support/redis.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { sized } from '../support/sizes.js';
import { events, load, NOBODY_LISTENS, openQueueStage, type QueueStage, soon } from './queue-stage.js';

/** Events of a load: at least three bursts. */
const MANY = sized(60, 600);
/** Of which the one in the middle counts. */
const TIMES = sized(5, 11);

const database = resettableDatabase();
let stage: QueueStage;

const backends = [
  { backend: 'Postgres' as const, skip: false },
  { backend: 'Redis' as const, skip: redisKind === 'none' },
];

describe.each(backends)('the queue on $backend', ({ backend, skip }) => {
  describe.skipIf(skip)('', () => {
    beforeEach(async () => {
      stage = await openQueueStage(backend, database);
      await stage.redis?.start();
    });
    afterEach(() => stage.close());

    it('has each event applied once, by two workers', async () => {
      const queue = stage.startQueue();
      stage.startWorker();
      stage.startWorker();
      await load(stage, queue, { total: MANY });
      queue.enqueue(await stage.database.db('inbox').pluck('id'));
      await stage.allApplied(MANY);
      await stage.expectOnce(MANY);
    });

    it('is quick: an event is not kept waiting for a poll', async () => {
      const queue = stage.startQueue();
      stage.startWorker();
      queue.enqueue(await storeEvents(stage.database.db, [completed('warm')]));
      await stage.allApplied(1);
      const times: number[] = [];
      for (let i = 0; i < TIMES; i += 1) {
        const ids = await storeEvents(stage.database.db, [completed(`${i}`)]);
        const start = performance.now();
        queue.enqueue(ids);
        await vi.waitFor(async () => expect(await stage.count('applied')).toBe(i + 2), { interval: 2, timeout: 5_000 });
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      // About 10 ms on a machine that does nothing else, 500 where four others work on two cores; a poll would be seconds.
      expect(times[Math.floor(TIMES / 2)]).toBeLessThan(1_500);
    });

    it('finds no event lost that a worker had in hand when it was closed', async () => {
      const queue = stage.startQueue();
      const first = stage.startWorker();
      await load(stage, queue, { total: MANY, during: () => first.close() });
      const applied = await stage.count('applied');
      expect(await stage.count('received')).toBe(MANY - applied);
      stage.startWorker();
      await stage.allApplied(MANY);
      await stage.expectOnce(MANY);
    });

    it('replays an event that is done, under a new job', async () => {
      const queue = stage.startQueue();
      stage.startWorker();
      const ids = await storeEvents(stage.database.db, events(0, 3));
      for (let i = 0; i < 2; i += 1) {
        expect(await replayEvents({ db: stage.database.db, queue }, ids)).toHaveLength(3);
        await stage.allApplied(3);
      }
      await stage.expectOnce(3);
    });

    it('hands over what waits when it is closed', async () => {
      const queue = createEventQueue(stage.queueSettings);
      stage.startWorker();
      queue.enqueue(await storeEvents(stage.database.db, [completed('first')]));
      await stage.allApplied(1);
      queue.enqueue(await storeEvents(stage.database.db, events(0, 100)));
      await queue.close();
      await stage.allApplied(101);
    });

    it('carries commands out, and fails those nobody handles', async () => {
      const got: unknown[] = [];
      const worker = createCommandWorker({
        ...stage.queueSettings,
        handlers: { run: async (payload) => void got.push(payload) },
      });
      const commands = createCommandQueue(stage.queueSettings);
      stage.atEnd(
        () => worker.close(),
        () => commands.close(),
      );
      await commands.send('doctor', null);
      await commands.send('run', { kind: 'payment-intents' });
      await soon(async () => expect(got).toEqual([{ kind: 'payment-intents' }]));
    });

    it('has its connections cut and goes on', async () => {
      const queue = stage.startQueue();
      stage.startWorker({ scanEveryMs: 500 });
      const cut = () =>
        stage.database.db.raw(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> '${NOBODY_LISTENS}'`,
        );
      await load(stage, queue, { total: MANY, during: cut });
      await stage.allApplied(MANY);
      await stage.expectOnce(MANY);
      // The queue itself recovers too, not only what the inbox scan finds.
      await soon(async () => {
        const before = await stage.count('applied');
        queue.enqueue(await storeEvents(stage.database.db, [completed(`again-${performance.now()}`)]));
        await vi.waitFor(async () => expect(await stage.count('applied')).toBeGreaterThan(before), { timeout: 400 });
      });
    });
  });
});

describe.skipIf(redisKind !== 'own')('without Redis', () => {
  beforeEach(async () => {
    stage = await openQueueStage('Redis', database);
  });
  afterEach(() => stage.close());

  it.each([
    ['killed for good', async () => stage.redis?.stop()],
    ['flushed', async () => stage.redis?.flush()],
  ])('%s during load: all applied, once', async (_, during) => {
    await stage.redis?.start();
    const queue = stage.startQueue();
    stage.startWorker({ scanEveryMs: 200 });
    await load(stage, queue, { total: MANY, during });
    await stage.allApplied(MANY);
    await stage.expectOnce(MANY);
  });

  it('a command says that it was not queued', async () => {
    const commands = createCommandQueue(stage.queueSettings);
    stage.atEnd(() => commands.close());
    await expect(commands.send('run', {})).rejects.toMatchObject({ code: 'command_queue_unavailable' });
  });
});
