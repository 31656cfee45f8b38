import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createState, statusNow } from '../../src/console/status.js';
import { conditions } from '../../src/domain/alerts/alerts.js';
import { alertChannels } from '../../src/notify/alert-channels.js';
import { type AlertDeps, checkAlerts, sendNotices } from '../../src/notify/alert-loop.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import { useDatabase } from '../support/database.js';
import { startReceiver } from '../support/receiver.js';
import { eventBody, SECRET, signedHeaders } from '../support/signed.js';
import { isAll } from '../support/sizes.js';
import { alertDeps } from './alert-deps.js';
import { SECRET as STORE_SECRET, startStore, verified } from './store.js';

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

test('a burst of rejected signatures has the delivery history read, where that is older than a minute', async () => {
  const { db } = database;
  const readHistory = vi.fn();
  const runs = { ...deps, readHistory, runEverySeconds: { deliveries: 300 } };
  const at = (seconds: number) => new Date(now - seconds * 1_000);
  const ended = { status: 'succeeded', complete: true, finished_at: at(50), heartbeat_at: at(50) };
  await db('runs').insert({ kind: 'deliveries', full: false, started_at: at(55), ...ended });
  await saveRejections(db, [], [{ minute: at(30), reason: 'invalid_signature', count: 3, likeService: 3 }]);
  await checkAlerts(runs);
  expect(readHistory).not.toHaveBeenCalled();
  later(10);
  await checkAlerts(runs);
  expect(readHistory).toHaveBeenCalledTimes(1);
  await db('runs').delete();
});

test('what is sent leads to the alert’s page at the console; where that is not known, it names the command', async () => {
  const { db } = database;
  const [chat, hook] = await Promise.all([startStore(), startStore()]);
  const send = async (consoleUrl?: string) => {
    const settings = { slackUrl: chat.url, webhook: { url: hook.url, secret: STORE_SECRET }, consoleUrl };
    const channels = alertChannels(settings, { ...deps, now: () => new Date() });
    await db.raw('TRUNCATE alerts, alert_notices, alert_channels');
    await db('signs_of_life')
      .insert({ part: 'worker', seen_at: db.raw("now() - interval '5 minutes'") })
      .onConflict('part')
      .merge();
    await checkAlerts({ ...deps, channels });
    later(30);
    await checkAlerts({ ...deps, channels });
    await sendNotices({ ...deps, channels });
    const { id } = await db('alerts').where({ name: 'TallyhookDown' }).first('id');
    const text = (JSON.parse(chat.arrivals.at(-1)?.body ?? '') as { text: string }).text;
    return { id, text, data: verified(hook.arrivals.at(-1) as (typeof hook.arrivals)[number]).data };
  };
  const known = await send('https://ops.example.com/tally');
  expect(known.text).toMatch(
    new RegExp(`^What to do: Start it.*\\nOpen: https://ops.example.com/tally/alerts/${known.id}$`, 'm'),
  );
  expect(known.data).toMatchObject({ alertId: known.id, link: `https://ops.example.com/tally/alerts/${known.id}` });
  const unknown = await send();
  expect(unknown.text).toContain(`\nMore: tallyhook alerts show ${unknown.id}`);
  expect(unknown.data).not.toHaveProperty('link');
  await Promise.all([chat.close(), hook.close()]);
});

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
