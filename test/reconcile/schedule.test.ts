import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { type Kind, kinds } from '../../src/reconcile/deps.js';
import { type Lock, LockTimeoutError, takeLock, tryLock } from '../../src/reconcile/schedule/leader.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { type Scheduler, startScheduler } from '../../src/reconcile/schedule/schedule.js';
import { listRuns } from '../../src/records/runs/runs.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, FakeService } from './fake-service.js';
import { MovingList } from './moving-list.js';
import { Random } from './random.js';

const kind = kinds[0];
const within = { timeout: 15_000, interval: 50 };

const database = resettableDatabase();
let toClose: { close(): Promise<void> }[];

beforeEach(async () => {
  toClose = [];
});

afterEach(async () => {
  for (const opened of toClose) await opened.close();
});

function newService(): FakeService {
  const list = new MovingList(new Random(3), { semantics: 'key', pageCap: 100, deletes: false, grainMs: 1 });
  list.restlessness = 0;
  list.grow(130, 86_400_000);
  return new FakeService(list);
}

/** The other kinds are left out. */
function only(cron: string): Partial<Record<Kind, string>> {
  return { ...Object.fromEntries(kinds.map((other) => [other, 'off'])), [kind]: cron };
}

function start(service: FakeService, cron: string): Scheduler {
  const scheduler = startScheduler({ ...depsOf(database, service), crons: only(cron), standbyMs: 100 });
  toClose.push(scheduler);
  return scheduler;
}

function lockDeps() {
  return depsOf(database, newService());
}

async function cutLocks(): Promise<void> {
  await database.db.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'tallyhook lock'`,
  );
}

const release = async (lock: Lock | null) => lock?.release();

test('a lock has one holder; releasing it lets the next one in', async () => {
  const deps = lockDeps();
  const first = await tryLock(deps, 'a');
  expect(first).not.toBeNull();
  expect(await tryLock(deps, 'a')).toBeNull();
  const other = await tryLock(deps, 'b');
  expect(other).not.toBeNull();
  const onWaiting = vi.fn();
  await expect(takeLock(deps, 'a', { timeoutMs: 300, onWaiting: onWaiting })).rejects.toBeInstanceOf(LockTimeoutError);
  expect(onWaiting).toHaveBeenCalledTimes(1);
  const waiting = takeLock(deps, 'a', { timeoutMs: 10_000 });
  await release(first);
  const second = await waiting;
  expect(await tryLock(deps, 'a')).toBeNull();
  await release(second);
  await release(other);
});

test('a lock whose connection is cut is lost, and says so', async () => {
  const deps = lockDeps();
  const lock = await tryLock(deps, 'a');
  await cutLocks();
  await vi.waitFor(() => expect(lock?.signal.aborted).toBe(true), within);
  const next = await tryLock(deps, 'a');
  expect(next).not.toBeNull();
  await release(next);
  await release(lock);
});

test('a lock of a process that stands still is given up by the server', async () => {
  // It is asked for no sign of life in that time, as one that is stopped gives none.
  const still = await tryLock({ ...lockDeps(), idleMs: 400 }, 'a');
  expect(await tryLock(lockDeps(), 'a')).toBeNull();
  const next = await takeLock(lockDeps(), 'a', { timeoutMs: 10_000 });
  await vi.waitFor(() => expect(still?.signal.aborted).toBe(true), within);
  await release(next);
  await release(still);
});

test('a wait for a lock can be called off', async () => {
  const deps = lockDeps();
  const lock = await tryLock(deps, 'a');
  const stop = new AbortController();
  const waiting = takeLock(deps, 'a', { timeoutMs: 60_000, signal: stop.signal, onWaiting: () => stop.abort() });
  await expect(waiting).rejects.toThrow();
  await release(lock);
});

test('the leader runs once at its start and then at its times; others stand by until its connection is gone', async () => {
  const services = [newService(), newService()];
  for (const service of services) start(service, '* * * * * *');
  const asked = () => services.map((service) => service.asked.length > 0);
  await vi.waitFor(() => expect(asked()).toContain(true), within);
  const leader = asked().indexOf(true);
  const runs = async () => (await listRuns(database.db, { kind })).items;
  await vi.waitFor(async () => expect((await runs()).filter((run) => run.complete).length).toBeGreaterThan(1), within);
  expect(asked()[1 - leader]).toBe(false);

  // Both may apply again, so it is cut until the other one has it.
  const calls = () => services.reduce((sum, service) => sum + service.asked.length, 0);
  for (let cuts = 0; cuts < 20 && !asked()[1 - leader]; cuts += 1) {
    const before = calls();
    await cutLocks();
    await vi.waitFor(() => expect(calls()).toBeGreaterThan(before), within);
  }
  expect(asked()[1 - leader]).toBe(true);
  await vi.waitFor(
    async () => expect((await runs())[0]).toMatchObject({ status: 'succeeded', complete: true }),
    within,
  );
  expect((await runs()).slice(1).filter((run) => run.status === 'running')).toEqual([]);
});

test('losing the connection that holds the lock aborts the run', async () => {
  const service = newService();
  const deps = depsOf(database, service);
  let cut = false;
  const reply = service.reply.bind(service);
  service.reply = async (...request) => {
    if (!cut) {
      cut = true;
      await cutLocks();
    }
    const answer = await reply(...request);
    await vi.waitFor(async () => expect(await locksHeld()).toBe(0), within);
    return answer;
  };
  const run = await runReconcile(deps, { kind, full: false });
  expect(run).toMatchObject({ status: 'aborted', complete: false });
  expect(run.error).toContain('lock_lost');
});

test('a run beside another one waits for it, and says so', async () => {
  const service = newService();
  const deps = depsOf(database, service);
  const held = await takeLock(deps, `reconcile ${kind}`, { timeoutMs: 1_000 });
  const onWaiting = vi.fn(() => void held.release());
  const run = await runReconcile(deps, { kind, full: false, onWaiting: onWaiting });
  expect(onWaiting).toHaveBeenCalledTimes(1);
  expect(run).toMatchObject({ status: 'succeeded', complete: true });
  const again = await takeLock(deps, `reconcile ${kind}`, { timeoutMs: 1_000 });
  const impatient = runReconcile(deps, { kind, full: false, lockTimeoutMs: 300 });
  await expect(impatient).rejects.toBeInstanceOf(LockTimeoutError);
  await release(again);
});

test('closing ends the run under way and leaves nothing running', async () => {
  const service = newService();
  let asked = false;
  service.reply = (_, { signal }) => {
    asked = true;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  const scheduler = start(service, '0 0 1 1 *');
  await vi.waitFor(() => expect(asked).toBe(true), within);
  await scheduler.close();
  const [run] = (await listRuns(database.db, { kind })).items;
  expect(run).toMatchObject({ status: 'aborted', complete: false });
  await vi.waitFor(async () => expect(await locksHeld()).toBe(0), within);
});

test('a kind that is off is not run, and a time that is none is refused', async () => {
  const service = newService();
  start(service, 'off');
  await vi.waitFor(async () => expect(await locksHeld()).toBe(1), within);
  expect((await listRuns(database.db, { kind })).items).toEqual([]);
  const wrong = () => startScheduler({ ...depsOf(database, service), crons: only('every now and then') });
  expect(wrong).toThrow(ConfigError);
});

async function locksHeld(): Promise<number> {
  const { rows } = await database.db.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE locktype = 'advisory' AND classid = ? AND datname = current_database()`,
    [0x7448],
  );
  return Number(rows[0]?.count);
}

test('a run that the database had no room for is made again soon, not at its next time', async () => {
  const deps = depsOf(database, newService());
  let failures = 0;
  // At the run alone: the other loops of the leader, which also ask the database, are left alone.
  const client = new Proxy(deps.client, {
    get(service, name, itself) {
      const own: unknown = Reflect.get(service, name, itself);
      if (typeof own !== 'function' || failures === 2) return own;
      return () => {
        failures += 1;
        return Promise.reject(Object.assign(new Error('sorry, too many clients already'), { code: '53300' }));
      };
    },
  });
  const scheduler = startScheduler({
    ...deps,
    client,
    crons: only('0 0 1 1 *'),
    standbyMs: 100,
    againMs: [10, 10, 10],
  });
  toClose.push(scheduler);
  await vi.waitFor(async () => {
    const { items } = await listRuns(database.db, {});
    expect(items.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed']);
  }, within);
});
