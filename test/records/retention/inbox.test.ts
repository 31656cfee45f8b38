import type { Knex } from 'knex';
import { beforeEach, expect, test } from 'vitest';
import { createMetrics } from '../../../src/metrics.js';
import { listBreaks } from '../../../src/records/breaks/list-breaks.js';
import { getEvent } from '../../../src/records/inbox/events.js';
import { keysGoneBefore, retentionState } from '../../../src/records/retention/retention-state.js';
import { applyEvents } from '../../../src/webhook/apply-events.js';
import { replayEvents } from '../../../src/webhook/queue.js';
import { completed, storeEvents, type TestEvent } from '../../support/events.js';
import { resettableDatabase } from '../../support/resettable-database.js';
import { age, log, pruneIn } from './aged.js';

const database = resettableDatabase();
let db: Knex;
beforeEach(async () => {
  db = database.db;
});

const apply = (ids: string[]) =>
  applyEvents({ db, log, now: () => new Date(), metrics: createMetrics(), adoptedAt: new Date(0) }, ids);
const named = (event: TestEvent, id: string): TestEvent => ({ ...event, id });
/** In the order of the ids: of those that have a body their status. */
async function bodies(ids: readonly string[]): Promise<(string | null)[]> {
  const rows = await db('inbox').select('id', 'status', 'body');
  const byId = new Map(rows.map(({ id, status, body }) => [id, body === null ? null : status]));
  return ids.map((id) => byId.get(id));
}

async function storeAndApply(...events: TestEvent[]): Promise<string[]> {
  const ids = await storeEvents(db, events);
  await apply(ids);
  return ids;
}

test('only bodies that are old and dealt with go; what waits, failed or is dead stays and is said so', async () => {
  const ids = await storeEvents(
    db,
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => completed(name)),
  );
  const all = ['applied', 'unhandled', 'received', 'failed', 'dead', 'applied'];
  for (const [i, id] of ids.entries()) await db('inbox').where({ id }).update({ status: all[i] });
  await age(db, ids.slice(0, 5), 91);
  await age(db, ids.slice(5), 89);
  const report = await pruneIn(db, 0);
  expect(report).toMatchObject({ done: { bodies: 2 }, left: { received: 1, failed: 1, dead: 1 } });
  expect(await bodies(ids)).toEqual([null, null, 'received', 'failed', 'dead', 'applied']);
  expect(await db('inbox_documents').whereNull('document')).toHaveLength(2);
  expect(await pruneIn(db, 0)).toMatchObject({ done: {} });
});

test('an event that was dead for long loses its body once it was applied after all', async () => {
  const [id = ''] = await storeEvents(db, [completed('a')]);
  await age(db, [id], 200);
  await db('inbox').where({ id }).update({ status: 'dead' });
  await pruneIn(db, 0);
  await replayEvents({ db, queue: { replay() {} } }, [id]);
  await apply([id]);
  await pruneIn(db, 8);
  expect(await bodies([id])).toEqual([null]);
});

test('a duplicate that comes after its body is gone is a duplicate still, and applies nothing', async () => {
  const event = named(completed('a'), 'evt_1');
  const [id = ''] = await storeAndApply(event);
  await age(db, [id], 100);
  await pruneIn(db, 0);
  const changes = await db('changes').orderBy('seq');
  expect(await storeAndApply(event)).toEqual([id]);
  expect(await db('inbox').first()).toMatchObject({ arrivals: 2, status: 'applied', body: null });
  expect(await db('changes').orderBy('seq')).toEqual(changes);
  expect(await getEvent(db, id)).toMatchObject({ body: null, arrivals: 2, status: 'applied' });
});

test('it can not be applied again, and stays applied', async () => {
  const ids = await storeAndApply(completed('a'), completed('b'));
  await age(db, ids.slice(0, 1), 100);
  await pruneIn(db, 0);
  const queued: string[] = [];
  const queue = { replay: (revived: string[]) => void queued.push(...revived) };
  expect(await replayEvents({ db, queue }, ids)).toEqual([ids[1]]);
  expect(queued).toEqual([ids[1]]);
  expect(await db('inbox').where({ status: 'received' }).pluck('id')).toEqual([ids[1]]);
});

test('another content under the same id is applied, and is no collision where the first body is gone', async () => {
  const [first = ''] = await storeAndApply(named(completed('a'), 'evt_1'));
  await age(db, [first], 100);
  await pruneIn(db, 0);
  await storeAndApply(named(completed('b'), 'evt_1'));
  expect(await db('payment_intents').orderBy('id').pluck('id')).toEqual(['pi_a', 'pi_b']);
  expect((await listBreaks(db, { status: 'open' })).items).toEqual([]);
  expect(await db('inbox').pluck('status')).toEqual(['applied', 'applied']);
});

test('a key goes when nothing came under it for long, with its repeats; what is needed or not applied stays', async () => {
  const ids = await storeAndApply(
    ...['gone', 'repeated', 'paired', 'broken', 'dead', 'young'].map((n) => completed(n)),
  );
  await storeEvents(db, [completed('gone')]);
  const [gone = '', repeated = '', paired = '', broken = '', dead = '', young = ''] = ids;
  await age(db, [gone, repeated, paired, broken, dead], 401);
  await age(db, [young], 399);
  await db('inbox').where({ id: repeated }).update({ last_arrival_at: new Date() });
  await db('inbox').where({ id: dead }).update({ status: 'dead' });
  const delivery = { ours: true, class: 'pending_retry', open: true, poll_from: 0, poll_ref: '1' };
  await db('deliveries').insert({ ...delivery, id: 'd1', inbox_id: paired });
  const about = { kind: 'id_collision', severity: 'critical', entity_kind: 'event', entity_id: broken, evidence: '{}' };
  await db('breaks').insert(about);
  expect(await keysGoneBefore(db)).toBeNull();
  expect((await pruneIn(db, 0)).done).toMatchObject({ keys: 1, bodies: 5 });
  expect(await db('inbox').orderBy('id').pluck('id')).toEqual([repeated, paired, broken, dead, young].toSorted());
  expect(await db('inbox_repeats').where({ inbox_id: gone })).toEqual([]);
  expect((await keysGoneBefore(db))?.getTime()).toBeGreaterThan(Date.now() - 401 * 86_400_000);
  await db('breaks').update({ status: 'resolved' });
  await db('deliveries').update({ open: false });
  expect((await pruneIn(db, 0)).done).toMatchObject({ keys: 2 });
});

test('an event that comes again after its key is gone leaves every record as it is', async () => {
  const [id = ''] = await storeAndApply(completed('a'));
  const before = await db('payment_intents').select('status', 'shown', 'verified');
  await age(db, [id], 500);
  await pruneIn(db, 0);
  expect(await db('inbox')).toEqual([]);
  const changes = await db('changes').orderBy('seq');
  await storeAndApply(completed('a'));
  expect(await db('payment_intents').select('status', 'shown', 'verified')).toEqual(before);
  expect(await db('changes').orderBy('seq')).toEqual(changes);
});

test('stopped in the middle it goes on there; a row that somebody holds is not waited for', async () => {
  const ids = await storeAndApply(...Array.from({ length: 30 }, (_, i) => completed(`${i}`)));
  await age(db, ids, 100);
  const stop = new AbortController();
  let steps = 0;
  db.on('query', ({ sql }: { sql: string }) => {
    if (!sql.includes('SET body = NULL')) return;
    steps += 1;
    if (steps === 2) stop.abort();
  });
  const cut = await pruneIn(db, 0, { batch: 5, signal: stop.signal });
  expect(cut).toMatchObject({ isCutShort: true, done: { bodies: 10 } });
  expect(await retentionState(db)).toEqual({ finishedAt: null, unfinished: ['bodies'] });
  await db.transaction(async (holder) => {
    await holder.raw('SELECT id FROM inbox WHERE id = ? FOR UPDATE', [ids[20] ?? '']);
    expect((await pruneIn(db, 0, { batch: 5 })).done).toMatchObject({ bodies: 19 });
  });
  expect((await retentionState(db)).finishedAt).toBeInstanceOf(Date);
  expect((await pruneIn(db, 8, { batch: 5 })).done).toEqual({ bodies: 1 });
});
