import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { openDatabase } from '../../src/records/database.js';
import { createWorker } from '../../src/webhook/worker.js';
import { completed, storeEvents } from '../support/events.js';
import { resettableDatabase } from '../support/resettable-database.js';

const NEVER_MS = 3_600_000;
const database = resettableDatabase();
const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

/** Nobody names events to it, and it scans no inbox. */
function startWorker() {
  const db = openDatabase(database.url);
  const rest = { db, now: () => new Date(), metrics: createMetrics(), adoptedAt: new Date(0) };
  const log = pino({ level: 'silent' });
  const worker = createWorker({ databaseUrl: database.url, log, ...rest, scanEveryMs: NEVER_MS, listenEveryMs: 50 });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= worker.close().then(() => db.destroy()));
  closing.push(close);
  return { close };
}

/** The sessions that hear of events. */
const LISTENING = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tallyhook events'
  AND (query LIKE '%LISTEN%' AND state = 'idle' OR query = 'SELECT 1')`;
const listening = async (): Promise<number[]> =>
  (await database.db.raw<{ rows: { pid: number }[] }>(`SELECT pid ${LISTENING}`)).rows.map(({ pid }) => pid);
const oneListens = () => soon(async () => expect(await listening()).toHaveLength(1));

const statuses = (): Promise<string[]> => database.db('inbox').orderBy('id').pluck('status');
const allApplied = (total: number) =>
  soon(async () => expect(await statuses()).toEqual(Array.from({ length: total }, () => 'applied')));

it('a worker applies what is stored, though no job speaks of it', async () => {
  startWorker();
  await oneListens();
  await storeEvents(database.db, [completed('a')]);
  await allApplied(1);
  for (let n = 0; n < 8; n++) {
    const some = Array.from({ length: 15 }, (_, i) => completed(`${n * 15 + i}`));
    await storeEvents(database.db, some);
  }
  await allApplied(121);
});

it('of two workers one listens, and the other once that is gone', async () => {
  const workers = [startWorker(), startWorker()];
  await oneListens();
  for (const [n, worker] of workers.entries()) {
    await storeEvents(database.db, [completed(`${n}`)]);
    await allApplied(n + 1);
    const before = await listening();
    await worker.close();
    if (n === 0) await soon(async () => expect(await listening()).toHaveLength(1));
    else expect(before).toHaveLength(1);
  }
  expect(await listening()).toEqual([]);
});

it('a listener whose connection broke listens again', async () => {
  startWorker();
  await oneListens();
  const [broken] = await listening();
  await database.db.raw(`SELECT pg_terminate_backend(pid) ${LISTENING}`);
  await soon(async () => {
    const [pid] = await listening();
    expect(pid).toBeDefined();
    expect(pid).not.toBe(broken);
  });
  await storeEvents(database.db, [completed('a')]);
  await allApplied(1);
});

it('what nobody of ours said is passed over', async () => {
  startWorker();
  await oneListens();
  for (const payload of ['', ',', '1);DROP TABLE inbox', '-1', '1e3', '99999999999999999999']) {
    await database.db.raw("SELECT pg_notify('tallyhook_events', ?)", [payload]);
  }
  await storeEvents(database.db, [completed('a')]);
  await allApplied(1);
});
