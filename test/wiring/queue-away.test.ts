import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { createQueueProducer } from '../../src/webhook/queue.js';
import { checkQueue } from '../../src/wiring/doctor/check-installation.js';
import { createTestRedis, redisKind, type TestRedis } from '../support/redis.js';

const log = createLog('silent');
const check = (redisUrl?: string) =>
  checkQueue({
    config: { ...loadConfig([], { env: {} }), REDIS_URL: redisUrl, SERVICE_API_KEY: 'key' },
    queues: { databaseUrl: 'postgres://127.0.0.1:1/nowhere', redisUrl, log },
  });

/** The same while time runs: as long as is waited for a Redis, nobody here waits. */
async function checkLong(redisUrl: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answer = check(redisUrl).finally(() => vi.useRealTimers());
  for (let second = 0; second < 20 && vi.isFakeTimers(); second += 1) await vi.advanceTimersByTimeAsync(1_000);
  return answer;
}
afterEach(() => void vi.useRealTimers());

test('without REDIS_URL the queue is as well as the database', async () => {
  expect(await check()).toMatchObject([{ name: 'queue', status: 'ok' }]);
});

// Said aloud in support/redis.ts where it is skipped.
describe.skipIf(redisKind !== 'own')('Redis', () => {
  let redis: TestRedis;
  let never: TestRedis;
  beforeAll(async () => {
    [redis, never] = await Promise.all([createTestRedis(), createTestRedis()]);
  });
  afterAll(() => Promise.all([redis.close(), never.close()]));

  test('away it is a finding that says what waits, and that nothing is lost', async () => {
    const away = await checkLong(never.url);
    expect(away).toMatchObject([
      {
        name: 'queue',
        status: 'finding',
        found: expect.stringContaining('nothing is lost'),
        remedy: expect.stringContaining('REDIS_URL'),
      },
    ]);
    expect(JSON.stringify(away)).not.toContain(never.url);
  });

  test('answering it is none, and one that went away is a finding again', async () => {
    await redis.start();
    expect(await check(redis.url)).toMatchObject([{ name: 'queue', status: 'ok' }]);
    const kept = createQueueProducer('events', { databaseUrl: '', redisUrl: redis.url, log });
    await kept.opened;
    await kept.state();
    await redis.stop();
    await expect(kept.state()).rejects.toThrow();
    expect(await checkLong(redis.url)).toMatchObject([{ status: 'finding' }]);
    await kept.close();
  }, 60_000);
});
