import { expect, it } from 'vitest';
import { loadState } from '../../src/records/alerts/load-state.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { testConsole } from '../support/console.js';
import { session } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { until } from '../support/drill.js';

/* The numbers of one screen are of one moment. */
const database = useFreshDatabase();

const event = (key: string) => ({
  key,
  key_type: 'fingerprint',
  content_hash: key,
  event_type: 'payment_intent.completed',
  event_timestamp: 1,
  source: 'webhook',
});

it('what waits to be applied is the same number beside the chart, whatever comes meanwhile', async () => {
  const { db } = database;
  await db('inbox').insert([event('a'), event('b')]);
  const trx = await db.transaction();
  // What is counted first is read by then.
  await trx.raw('LOCK TABLE alerts IN ACCESS EXCLUSIVE MODE');
  const loading = loadState(db, { now: new Date(), runEverySeconds: {} });
  const waits = () =>
    db('pg_stat_activity').whereRaw("datname = current_database() AND wait_event_type = 'Lock'").first();
  await until('the alerts are asked for', async () => (await waits()) !== undefined, { intervalMs: 2 });
  await trx('inbox').insert(event('c'));
  await trx.commit();
  const { facts, figures } = await loading;
  expect([facts.backlog.waiting, figures.received]).toEqual([2, 2]);
});

it('the menu and the page count alike', async () => {
  const { db } = database;
  const delivery = { ours: true, missed: true, open: true, class: 'phantom', poll_from: 1, poll_ref: 'run' };
  const lost = (id: string) => db('deliveries').insert({ ...delivery, id, created_at: new Date() });
  const [run] = await db('runs').insert({ kind: 'deliveries', full: false, status: 'succeeded' }).returning('id');
  await db('watermarks').insert({ kind: 'deliveries', name: 'upTo', value: '1', run_id: run.id });
  await lost('wd_1');
  // Also what the service may just be sending.
  await db('deliveries').insert({ ...delivery, id: 'wd_0', class: 'pending_retry', missed: false });
  const omar = await session(testConsole(db).app, 'operator');
  await omar.get('/');
  await lost('wd_2');
  const { text } = await omar.get('/deliveries');
  const inMenu = /data-renew="waiting-\/deliveries"[^]*?(\d+)/.exec(text)?.[1];
  const onPage = /class="tile[^]*?(\d+)/.exec(text)?.[1];
  expect([inMenu, onPage]).toEqual([onPage, expect.stringMatching(/^[23]$/)]);
});

it('the tile of held orders says of how many no money is counted yet', async () => {
  const { db } = database;
  const order = (reference: string, status: string) => {
    return { reference, status, release_safe: false, release_reason: status, created_at: new Date() };
  };
  await db('orders').insert([order('a', 'paid'), order('b', 'paid_unverified'), order('c', 'paid_unverified')]);
  const { text } = await (await session(testConsole(db).app, 'viewer')).get('/');
  expect(text).toMatch(
    /Paid orders held[^]*?>3<[^]*?of any day; 2 only by webhooks so far, whose money is not counted/,
  );
});

it('the page of rejections counts what the menu counts', async () => {
  const { db } = database;
  const rejected = () =>
    saveRejections(db, [], [{ minute: new Date(), reason: 'missing_signature', count: 3, likeService: 0 }]);
  await rejected();
  const viewer = await session(testConsole(db).app, 'viewer');
  await viewer.get('/');
  await rejected();
  const { text } = await viewer.get('/rejections');
  const inMenu = /data-renew="waiting-\/rejections"[^]*?(\d+)/.exec(text)?.[1];
  const inTable = /<table[^]*?class="badge[^>]*>(\d+)</.exec(text)?.[1];
  expect([inMenu, inTable]).toEqual([inTable, expect.stringMatching(/^[36]$/)]);
});
