import { randomBytes } from 'node:crypto';
import { parse } from 'lossless-json';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { collectGauges } from '../../src/wiring/collect-gauges.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { resettableDatabase } from '../support/resettable-database.js';

let flow: DeliveryFlow;
let now: number;
/** What the service shows, newest first. */
let shown: object[];
const pages = { size: 100 };

beforeEach(async () => {
  now = Date.now();
  shown = [];
  pages.size = 100;
  flow = await startDeliveryFlow({
    database,
    client: {
      serviceNow: () => now,
      reply: async (_operation, { query }) => {
        const at = Number(query?.['cursor'] ?? 0);
        const items = shown.slice(at, at + pages.size);
        const nextCursor = at + pages.size < shown.length ? String(at + pages.size) : null;
        return { data: parse(JSON.stringify({ items, nextCursor })) as Json, from: now, to: now };
      },
    },
  });
});
const database = resettableDatabase();
afterEach(() => flow.close());

const delivery = (id: string, ageSeconds: number, changes: object = {}): JsonObject & { id: string } => {
  const at = new Date(now - ageSeconds * 1_000).toISOString();
  return {
    id,
    endpointId: 'we_1',
    endpointUrl: flow.url,
    eventType: 'payment_intent.completed',
    status: 'failed',
    createdAt: at,
    lastAttemptAt: at,
    nextRetryAt: null,
    payload: {
      event: 'payment_intent.completed',
      timestamp: Math.floor(now / 1_000) - ageSeconds,
      data: { id: `pi_${id}` },
    },
    ...(changes as JsonObject),
  } as never;
};

test('a payload as a text enters the inbox byte for byte; its time is no later than its delivery allows', async () => {
  const future = Math.floor(now / 1_000) + 86_400;
  const payload = `{"event":"payment_intent.completed", "timestamp": ${future}, "data":{"id":"pi_1","n":1.10}}`;
  shown = [delivery('d1', 30, { payload })];
  await flow.run();
  const row = await flow.db('inbox').first();
  expect(row.body.toString()).toBe(payload);
  expect(row.event_timestamp).toBe(Math.floor((now - 30_000) / 1_000) + 60);
  const kept = await flow.db('deliveries').first();
  expect(kept).toMatchObject({ inbox_id: row.id, payload: null, class: 'never_reached' });
});

test('without a payload nothing can be recovered: it is listed, and the records it names are read', async () => {
  shown = [
    delivery('d1', 30, { payload: null, paymentIntentId: 'pi_named' }),
    delivery('d2', 40, { payload: { paymentIntentId: 'pi_wrapped', half: true } }),
    delivery('d3', 50, { payload: 'not json' }),
  ];
  await flow.run();
  expect(await flow.db('inbox')).toEqual([]);
  const { items } = await listBreaks(flow.db, { status: 'open' });
  expect(items.map(({ kind, evidence }) => [kind, (evidence as { ours: object }).ours])).toEqual(
    Array.from({ length: 3 }, () => ['missed_webhook', expect.objectContaining({ recoverable: false, held: false })]),
  );
  expect((await flow.db('reading_marks').orderBy('id').pluck('id')) as string[]).toEqual(['pi_named', 'pi_wrapped']);
});

test('a word, or an id, that is longer than an index can hold is kept short, and two ids stay two', async () => {
  const long = (end: string) => `${randomBytes(3_000).toString('base64').slice(0, 3_900)}${end}`;
  const [start, at] = [long(''), long('')];
  shown = [
    delivery(`${start}1`, 30, { status: long(''), endpointId: `${at}1`, payload: { paymentIntentId: long('') } }),
    delivery(`${start}2`, 40, { status: 'failed', endpointId: `${at}2`, payload: null }),
  ];
  expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: true });
  expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: true });
  const kept = await flow.db('deliveries').select('id', 'status', 'endpoint_id');
  expect(new Set(kept.map(({ status }) => status.length))).toEqual(new Set([6, 100]));
  for (const column of ['id', 'endpoint_id']) {
    const ids: string[] = kept.map((row) => row[column]);
    expect(new Set(ids).size).toBe(2);
    expect(Math.max(...ids.map((id) => Buffer.byteLength(id)))).toBeLessThan(1_000);
  }
  expect((await listBreaks(flow.db, { status: 'open' })).items.map(({ kind }) => kind)).toEqual([
    'missed_webhook',
    'missed_webhook',
  ]);
});

test('a list that ends early, or has a hole, is not proven, and the mark stays', async () => {
  pages.size = 2;
  const all = [1, 2, 3, 4, 5].map((age) => delivery(`d${age}`, age * 60));
  flow.deps.adoptedAt = new Date(now - 3_600_000);
  shown = all;
  expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: true });
  const mark = async () => (await flow.db('watermarks').where({ kind: 'deliveries' }).first()).value.at;
  const before = await mark();
  now += 3_600_000;
  // Twenty minutes later than the mark allows for disorder, so that each of them has to be shown.
  await flow.db('watermarks').update({ value: JSON.stringify({ at: before - 1_800_000 }) });
  for (const lacking of [all.slice(0, 3), all.filter((_, at) => at !== 2), []]) {
    shown = lacking;
    const run = await flow.run();
    expect(run.complete).toBe(false);
    expect(run.proof['reason']).toContain('did not show');
    expect(await mark()).toBe(before - 1_800_000);
  }
  shown = all;
  expect(await flow.run()).toMatchObject({ complete: true });
  expect(await mark()).toBeGreaterThan(before);
});

test('the mark waits below what is not final; the next run reads down to it', async () => {
  shown = [
    delivery('new', 5),
    delivery('open', 7_200, { status: 'pending', nextRetryAt: new Date(now + 60_000).toISOString() }),
    delivery('old', 7_300),
  ];
  flow.deps.adoptedAt = new Date(now - 86_400_000);
  await flow.run();
  const { value } = await flow.db('watermarks').where({ kind: 'deliveries' }).first();
  expect(value.at).toBeLessThan(now - 7_200_000);
  shown = shown.map((one) => ({ ...one, status: 'failed', nextRetryAt: null }));
  await flow.run();
  expect((await flow.db('deliveries').where({ id: 'open' }).first()).class).toBe('never_reached');
  expect((await flow.db('watermarks').where({ kind: 'deliveries' }).first()).value.at).toBeGreaterThan(now - 1_200_000);
});

test('what lies below the mark is judged again all the same: once its grace is over it is recovered', async () => {
  flow.deps.settings.missedGraceMs = 3_600_000;
  flow.deps.adoptedAt = new Date(now - 86_400_000);
  const recent = delivery('young', 600);
  shown = [recent];
  await flow.run();
  expect(await flow.db('inbox')).toEqual([]);
  now += 7_200_000;
  pages.size = 1;
  shown = [delivery('newer', 5), recent];
  await flow.db('watermarks').update({ value: JSON.stringify({ at: now }) });
  const run = await flow.run();
  expect([run.seen, run.proof['recovered']]).toEqual([1, 1]);
  expect((await flow.db('deliveries').where({ id: 'young' }).first()).recovered_at).not.toBeNull();
});

test('an event that was deleted by its age was received all the same', async () => {
  shown = [delivery('d1', 30)];
  await flow.run();
  await flow.apply();
  await flow.db('inbox').update({ secret_label: 'live', source: 'webhook' });
  await flow.run('deliveries', { full: true });
  expect((await flow.db('deliveries').first()).class).toBe('received');
  await flow.db('inbox').delete();
  const run = await flow.run('deliveries', { full: true });
  expect(run.proof['recovered']).toBe(0);
  expect((await flow.db('deliveries').first()).class).toBe('received');
  expect((await listBreaks(flow.db, { status: 'open' })).items).toEqual([]);
});

test('the metric is there once it was measured', async () => {
  const metrics = createMetrics();
  collectGauges({ db: flow.db, metrics, log: createLog('silent') });
  const line = async () => /^tallyhook_missed_deliveries .*$/m.exec(await metrics.registry.metrics())?.[0];
  expect(await line()).toBeUndefined();
  shown = [delivery('d1', 30)];
  await flow.run();
  expect(await line()).toBe('tallyhook_missed_deliveries 1');
});
