import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createState, statusNow } from '../../src/console/status.js';
import { conditions } from '../../src/domain/alerts/alerts.js';
import { type AlertDeps, checkAlerts } from '../../src/notify/alert-loop.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import { useDatabase } from '../support/database.js';
import { startReceiver } from '../support/receiver.js';
import { eventBody, SECRET, signedHeaders } from '../support/signed.js';
import { isAll } from '../support/sizes.js';
import { alertDeps } from './alert-deps.js';

const database = useDatabase();
let deps: AlertDeps;
let now: number;
beforeEach(() => {
  now = Date.now();
  deps = alertDeps(database.db, () => new Date(now));
});
afterEach(() => database.db.raw('TRUNCATE alerts, rejections, rejection_counts, signs_of_life'));

const later = (seconds: number) => {
  now += seconds * 1_000;
};
const namesFired = async () => (await checkAlerts(deps)).fired.map(({ name }) => name);
const status = () =>
  statusNow(
    createState({
      db: database.db,
      log: deps.log,
      now: () => new Date(),
      runKinds: [],
      runEverySeconds: {},
      secretsStatus: async () => ({ items: [] }),
    }),
  );
const statusLine = async () => (await status()).items.map(({ text }) => text);
const ofQueue = async () => (await statusLine()).filter((text) => text.startsWith('The queue'));

test('a queue that does not answer, from the start or later, is shown by alert and status; one that answers is not', async () => {
  const { db } = database;
  const fails = { ...deps, askQueue: () => Promise.reject(new Error('connect ECONNREFUSED')) };
  await checkAlerts(fails);
  await db('signs_of_life')
    .where({ part: 'queue' })
    .update({ seen_at: db.raw("now() - interval '95 seconds'") });
  await checkAlerts(fails);
  later(30);
  const { fired } = await checkAlerts(fails);
  expect(fired).toMatchObject([
    { name: 'TallyhookQueueDown', severity: 'warning', detail: expect.stringContaining('Nothing is lost') },
  ]);
  expect(await ofQueue()).toEqual(['The queue does not answer']);

  await checkAlerts(deps);
  later(121);
  expect((await checkAlerts(deps)).resolved).toMatchObject([{ name: 'TallyhookQueueDown' }]);
  expect(await ofQueue()).toEqual([]);
  // Where nobody checks, that is the alert: nobody knows anything of the queue.
  await db('signs_of_life').update({ seen_at: db.raw("now() - interval '10 minutes'") });
  expect(await ofQueue()).toEqual([]);
});

test.each(conditions)(
  '$name: while it fires the status line is not green, and says what it is',
  async ({ name, severity, summary, page }) => {
    const { db } = database;
    const row = { name, subject: 'x', severity, summary, detail: 'd', since: new Date(), seen_at: new Date() };
    await db('alerts').insert(row);
    expect((await statusLine()).join(), 'it waits whether the condition stays').not.toContain(summary);
    await db('alerts').update({ fired_at: new Date() });
    const { tone, items } = await status();
    expect(items).toContainEqual({
      tone: severity === 'critical' ? 'bad' : 'warn',
      text: `${summary}: x`,
      href: page.endsWith('=') ? `${page}x` : page,
    });
    expect(tone).toBe(severity === 'critical' ? 'bad' : 'warn');
    await db('alerts').update({ resolved_at: new Date() });
    expect((await statusLine()).join()).not.toContain(summary);
  },
);

test('a lost refund of ours and a refund that holds orders are alerted; a lost invoice is no such thing', async () => {
  const { db } = database;
  const calls = createServiceWriteLog<'createRefund' | 'createInvoice'>(db);
  for (const operation of ['createRefund', 'createInvoice'] as const) {
    const write = { operation, key: 'k', hash: 'h', request: null };
    await calls.begin(write, { leaseMs: 0, withinMs: 1_000 });
    await calls.end(write, 'lost', null);
  }
  await db('orders').insert({ reference: 'A', status: 'paid', release_safe: false, release_reason: 'refund_unlinked' });
  expect((await checkAlerts(deps)).fired).toMatchObject([
    { name: 'TallyhookLostCall', subject: 'createRefund', severity: 'critical' },
  ]);
  later(900);
  expect((await checkAlerts(deps)).fired).toMatchObject([{ name: 'TallyhookRefundUnlinked', severity: 'warning' }]);
  expect(await statusLine()).toEqual(
    expect.arrayContaining([
      'Nobody knows whether a call of ours moved money: createRefund: 1',
      'Orders wait until a refund is assigned: 1',
    ]),
  );
  await db('service_writes').del();
  await db('orders').del();
});

describe('requests that are rejected for their signature', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeEach(async () => {
    receiver = await startReceiver(database.db, { now: () => new Date(now) });
  });
  afterEach(async () => {
    await receiver.close();
    for (const table of ['inbox', 'secret_matches', 'secrets']) await database.db(table).del();
  });

  /** A delivery as the service sends it; `changes` of its headers. */
  const deliver = (id: string, secret: string, changes: Record<string, string> = {}) => {
    const timestamp = Math.floor(now / 1000);
    const body = eventBody(id, { timestamp });
    return receiver.post(body, {
      ...signedHeaders(body, secret),
      'x-service-timestamp': `${timestamp}`,
      ...changes,
    });
  };
  const written = (counted: number) =>
    vi.waitFor(async () => {
      const [row] = await database.db('rejection_counts').sum('count as n');
      expect(Number(row?.n)).toBe(counted);
    }, 5_000);
  const sent = async (n: number, send: (id: string) => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: n }, async (_, i) => (await send(`pi_${now}_${i}`)).status));

  test('a secret that is wrong from one moment on is alerted with the next check, however many were taken before', async () => {
    expect(new Set(await sent(60, (id) => deliver(id, SECRET)))).toEqual(new Set([200]));
    await vi.waitFor(async () => expect(await database.db('secrets').pluck('last_match_at')).not.toEqual([]), 5_000);
    expect(await namesFired()).toEqual([]);
    later(20);
    expect(await sent(3, (id) => deliver(id, 'whsec_rotated'))).toEqual([401, 401, 401]);
    await written(3);
    expect(await namesFired()).toEqual(['TallyhookInvalidSignatures']);
  });

  test('noise alerts nobody, and hides nothing; who imitates the headers pages once in half an hour at most', async () => {
    const noise = [
      { 'x-service-signature': '' },
      { 'x-service-signature': 'sha256=12' },
      { 'x-service-timestamp': '' },
      { 'x-service-timestamp': '1' },
      { 'content-type': 'text/plain' },
    ];
    for (const changes of noise) await sent(20, (id) => deliver(id, 'whsec_none', changes));
    await written(100);
    expect(await namesFired()).toEqual([]);
    await sent(3, (id) => deliver(id, 'whsec_none'));
    await written(103);
    expect(await namesFired()).toEqual(['TallyhookInvalidSignatures']);
    const refires: number[] = [];
    const step = isAll ? 1 : 3;
    // Each is written a second later.
    const imitated = isAll ? [9, 18, 27, 36] : [9, 27];
    for (let minute = step, counted = 103; minute < 40; minute += step) {
      later(step * 60);
      if (minute % 12 === 0) await deliver(`pi_${minute}`, SECRET);
      if (imitated.includes(minute)) {
        await sent(3, (id) => deliver(id, 'whsec_none'));
        await written((counted += 3));
      }
      if ((await namesFired()).includes('TallyhookInvalidSignatures')) refires.push(minute);
    }
    expect(refires).toEqual([30]);
  });
});
