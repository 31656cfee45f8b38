import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { openDatabase } from '../../src/records/database.js';
import { createEventQueue } from '../../src/webhook/queue.js';
import { createWorker } from '../../src/webhook/worker.js';

/** Nobody listens there. */
const places = ['redis://127.0.0.1:1', 'redis://127.0.0.1:1,127.0.0.1:2'];
const databaseUrl = 'postgres://nobody:x@127.0.0.1:1/none';

function createLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }) };
}

test.each(places)(
  'while the queue is away (%s) what waits for it is bounded, and closing is quick',
  async (redisUrl) => {
    const { lines, log } = createLog();
    const queue = createEventQueue({ databaseUrl, redisUrl, log });
    for (let i = 0; i < 100; i += 1) queue.replay([`${i}`]);
    queue.enqueue(Array.from({ length: 20_000 }, (_, i) => `${i}`));
    expect(lines.join()).not.toContain('waiting already');
    queue.replay(['one too many']);
    expect(lines.join()).toContain('100 replays are waiting already');
    const start = performance.now();
    await queue.close();
    expect(performance.now() - start).toBeLessThan(4_000);
  },
);

test('ids beyond what may wait are left to the inbox scan', async () => {
  const { lines, log } = createLog();
  const queue = createEventQueue({ databaseUrl, redisUrl: places[0], log });
  for (let i = 0; i < 101; i += 1) queue.enqueue(Array.from({ length: 200 }, (_, place) => `${i}${place}`));
  expect(lines.join()).toContain('20000 ids are waiting already');
  await queue.close();
});

test.each(places)('a worker whose queue never came (%s) closes quickly', async (redisUrl) => {
  const { log } = createLog();
  const db = openDatabase(databaseUrl);
  const worker = createWorker({
    databaseUrl,
    redisUrl,
    log,
    db,
    metrics: createMetrics(),
    now: () => new Date(),
    adoptedAt: new Date(0),
    scanEveryMs: 3_600_000,
  });
  const start = performance.now();
  await worker.close();
  expect(performance.now() - start).toBeLessThan(4_000);
  await db.destroy();
});
