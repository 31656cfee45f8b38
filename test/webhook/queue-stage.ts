import { Client } from 'pg';
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { openDatabase } from '../../src/records/database.js';
import { LISTENER } from '../../src/webhook/hear-events.js';
import { createEventQueue, type EventQueue } from '../../src/webhook/queue.js';
import type { QueueSettings } from '../../src/webhook/queue-backend.js';
import { createWorker, type WorkerSettings } from '../../src/webhook/worker.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';
import { createTestRedis, type TestRedis } from '../support/redis.js';

const NEVER_MS = 3_600_000;
/** Holds the workers' lock of listening: what is applied here is what the queue names. */
export const NOBODY_LISTENS = 'nobody listens';
const log = pino({ level: 'silent' });

export const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => completed(`${from + i}`));
export const soon = (check: () => Promise<void>, timeout = 15_000) => vi.waitFor(check, { timeout, interval: 20 });

/** A database, a queue of its kind, and workers on it, in this process. */
export interface QueueStage {
  database: TestDatabase;
  /** Not started; null where the queue lives in Postgres. */
  redis: TestRedis | null;
  queueSettings: QueueSettings;
  startQueue(): EventQueue;
  /** With connections of its own; the inbox scan only where a test asks for it. */
  startWorker(options?: Partial<WorkerSettings>): { close(): Promise<void> };
  /** Of events in the inbox. */
  count(status: string): Promise<number>;
  allApplied(total: number, timeout?: number): Promise<void>;
  /** Every record was brought up to date by one event, once: it became known, and what the event reports of it. */
  expectOnce(total: number): Promise<void>;
  /** Called when the stage is closed. */
  atEnd(...close: (() => Promise<unknown>)[]): void;
  close(): Promise<void>;
}

/** `shared`: a database that whoever asks resets and drops. */
export async function openQueueStage(backend: 'Postgres' | 'Redis', shared?: TestDatabase): Promise<QueueStage> {
  const closing: (() => Promise<unknown>)[] = [];
  const database = shared ?? (await createTestDatabase());
  const redis = backend === 'Redis' ? await createTestRedis() : null;
  const holder = new Client({ connectionString: database.url, application_name: NOBODY_LISTENS });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock($1, $2)', [...LISTENER]);
  closing.push(() => holder.end());
  const queueSettings = { databaseUrl: database.url, redisUrl: redis?.url, redisPrefix: redis?.prefix, log };
  const count = async (status: string) => Number((await database.db('inbox').where({ status }).count())[0]?.['count']);
  return {
    database,
    redis,
    queueSettings,
    count,
    startQueue() {
      const queue = createEventQueue(queueSettings);
      closing.push(() => queue.close());
      return queue;
    },
    startWorker(options = {}) {
      const db = openDatabase(database.url);
      const rest = { db, now: () => new Date(), metrics: createMetrics(), adoptedAt: new Date(0) };
      const worker = createWorker({ ...queueSettings, ...rest, scanEveryMs: NEVER_MS, ...options });
      closing.push(() => worker.close().then(() => db.destroy()));
      return worker;
    },
    allApplied: (total, timeout) => soon(async () => expect(await count('applied')).toBe(total), timeout),
    async expectOnce(total) {
      const changes = database.db('changes').where({ entity_kind: 'payment_intent' });
      const counts = await changes.groupBy('field').orderBy('field').select('field').count('* AS changes');
      expect(counts).toEqual(['*', 'reported'].map((field) => ({ field, changes: `${total}` })));
      const paid = await database.db('payment_intents').where({ reported_paid: true, known: false }).pluck('id');
      expect(paid).toHaveLength(total);
    },
    atEnd: (...close) => void closing.push(...close),
    async close() {
      await Promise.all(closing.map((close) => close()));
      await redis?.close();
      if (shared === undefined) await database.drop();
    },
  };
}

/** Stores and announces `total` events in bursts, `during` in the middle of it. */
export async function load(
  { database }: QueueStage,
  queue: EventQueue,
  { total, during }: { total: number; during?: () => Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < total; from += 20) {
    queue.enqueue(await storeEvents(database.db, events(from, from + 20)));
    if (from === Math.floor(total / 40) * 20) await during?.();
  }
}
