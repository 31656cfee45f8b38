import type { Knex } from 'knex';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../support/database.js';
import { sized } from '../../support/sizes.js';
import { pruneIn } from './aged.js';

const EVENTS = sized(8_000, 100_000);
const BATCH = 1_000;

const database = useDatabase();
let db: Knex;
beforeAll(async () => {
  db = database.db;
  await db.raw(`
    INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, status, source, body, received_at, last_arrival_at)
    SELECT 'id:' || n, 'id', 'h' || n, 'payment_intent.completed', 1, 'applied', 'webhook',
           convert_to(repeat('x', 400), 'UTF8'), now() - interval '100 days', now() - interval '100 days'
    FROM generate_series(1, ${EVENTS}) AS n`);
});

test('many bodies go in small steps: no step takes long, memory stays flat, and a receiver is not held up', async () => {
  const steps: number[] = [];
  const began = new Map<string, number>();
  db.on('query', ({ sql, __knexQueryUid: uid }: { sql: string; __knexQueryUid: string }) => {
    if (sql.includes('SET body = NULL')) began.set(uid, performance.now());
  });
  db.on('query-response', (_rows: unknown, { __knexQueryUid: uid }: { __knexQueryUid: string }) => {
    const at = began.get(uid);
    if (at !== undefined) steps.push(performance.now() - at);
  });
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }, 20);
  const waits: number[] = [];
  const pruning = pruneIn(db, 0, { batch: BATCH }).finally(() => clearInterval(watch));
  for (let i = 0; i < 20; i += 1) {
    const at = performance.now();
    await db('inbox')
      .where({ key: `id:${1 + (i * EVENTS) / 20}` })
      .update({ last_arrival_at: new Date() });
    waits.push(performance.now() - at);
  }
  const { done } = await pruning;
  expect(done).toMatchObject({ bodies: EVENTS });
  expect(steps.length).toBeGreaterThanOrEqual(EVENTS / BATCH);
  expect(Math.max(...steps)).toBeLessThan(3_000);
  expect(Math.max(...waits)).toBeLessThan(3_000);
  expect(peak - before).toBeLessThan(60 * 1024 * 1024);
  expect(await db('inbox').whereNotNull('body').limit(1)).toEqual([]);
  steps.length = 0;
  await pruneIn(db, 0, { batch: BATCH });
  // What was read stays read: only what is new is read, until a whole pass is due.
  expect(steps.length).toBe(1);
});
