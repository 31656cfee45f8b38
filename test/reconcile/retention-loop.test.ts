import { beforeEach, expect, test, vi } from 'vitest';
import { kinds } from '../../src/reconcile/deps.js';
import { retentionLoop, startScheduler } from '../../src/reconcile/schedule/schedule.js';
import { checkRetention } from '../../src/wiring/doctor/check-installation.js';
import { completed, storeEvents } from '../support/events.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, FakeService } from './fake-service.js';
import { MovingList } from './moving-list.js';
import { Random } from './random.js';

const retention = { body: 90, keys: 400, personal: 400 };
const within = { timeout: 15_000, interval: 50 };
const database = resettableDatabase();

beforeEach(async () => {
  const ids = await storeEvents(database.db, [completed('a')]);
  const at = new Date(Date.now() - 91 * 86_400_000);
  await database.db('inbox').whereIn('id', ids).update({ received_at: at, last_arrival_at: at, status: 'applied' });
});
function deps() {
  const list = new MovingList(new Random(3), { semantics: 'key', pageCap: 100, deletes: false, grainMs: 1 });
  return { ...depsOf(database, new FakeService(list)), now: () => new Date() };
}

const body = async () => (await database.db('inbox').first('body')).body;
const off = Object.fromEntries(kinds.map((kind) => [kind, 'off']));
const check = async (days = 0) => {
  const now = () => new Date(Date.now() + days * 86_400_000);
  const config = { RETENTION_BODY_DAYS: 90 };
  return (await checkRetention({ db: database.db, config, now } as never))[0];
};

test('the leader does it at once, ends with it, and doctor says when', async () => {
  expect(await check()).toMatchObject({ status: 'unknown' });
  const scheduler = startScheduler({ ...deps(), crons: off, retention, standbyMs: 100 });
  try {
    await vi.waitFor(async () => expect(await check()).toMatchObject({ status: 'ok' }), within);
    expect(await body()).toBeNull();
  } finally {
    await scheduler.close();
  }
  expect(await check(4)).toMatchObject({ status: 'finding' });
});

test('doctor says what is old and had to stay', async () => {
  await database.db('inbox').update({ status: 'dead' });
  const stop = new AbortController();
  const done = retentionLoop({ ...deps(), retention }, stop.signal);
  await vi.waitFor(async () => expect(await check()).toMatchObject({ status: 'finding' }), within);
  stop.abort();
  await done;
  expect((await check())?.found).toContain('1 body stays');
  expect(await body()).not.toBeNull();
});

test('a failure is no reason to end; without days nothing is let go of', async () => {
  const stop = new AbortController();
  const now = () => {
    throw new Error('nobody is there');
  };
  const done = retentionLoop({ ...deps(), now, retention }, stop.signal);
  await retentionLoop(deps(), stop.signal);
  stop.abort();
  await done;
  expect(await body()).not.toBeNull();
});
