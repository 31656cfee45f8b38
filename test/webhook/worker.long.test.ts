import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { completed, storeEvents } from '../support/events.js';
import { redisKind } from '../support/redis.js';
import { events, load, openQueueStage, type QueueStage, soon } from './queue-stage.js';

const MANY = 600;

let stage: QueueStage;

describe.skipIf(redisKind !== 'own')('without Redis', () => {
  beforeEach(async () => {
    stage = await openQueueStage('Redis');
  });
  afterEach(() => stage.close());

  it('stopped before the start: events are applied all the same, and through the queue once it is there', async () => {
    const queue = stage.startQueue();
    stage.startWorker({ scanEveryMs: 200 });
    const started = performance.now();
    queue.enqueue(await storeEvents(stage.database.db, events(0, 50)));
    expect(performance.now() - started).toBeLessThan(1_000);
    await stage.allApplied(50);
    await stage.redis?.start();
    await soon(async () => {
      const before = await stage.count('applied');
      queue.enqueue(await storeEvents(stage.database.db, [completed(`q-${performance.now()}`)]));
      await vi.waitFor(async () => expect(await stage.count('applied')).toBeGreaterThan(before), { timeout: 1_000 });
    });
  });

  it('killed and started again during load: all applied, once', async () => {
    await stage.redis?.start();
    const queue = stage.startQueue();
    stage.startWorker({ scanEveryMs: 200 });
    const during = async () => {
      await stage.redis?.stop();
      await delay(300);
      await stage.redis?.start();
    };
    await load(stage, queue, { total: MANY, during });
    await stage.allApplied(MANY);
    await stage.expectOnce(MANY);
  });
});
