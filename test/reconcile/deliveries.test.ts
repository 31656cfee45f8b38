import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recoverNow } from '../../src/reconcile/schedule/recover-now.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { countMissed, listDeliveries } from '../../src/records/deliveries/list-deliveries.js';
import { recordHeartbeat } from '../../src/records/process-heartbeats.js';
import type { Faults } from '../../src/sandbox/faults.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { until } from '../support/drill.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isAll } from '../support/sizes.js';

let flow: DeliveryFlow;

const database = resettableDatabase();
afterEach(() => flow.close());

const classes = async () => {
  const counts: Record<string, number> = {};
  for (const { class: name } of (await listDeliveries(flow.db, { take: 500 })).items)
    counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
const breaks = async (status?: string) => (await listBreaks(flow.db, { take: 500, status })).items;
const inbox = () => flow.db('inbox').select('source', 'status');

describe('one endpoint', () => {
  beforeEach(async () => {
    flow = await startDeliveryFlow({ database });
    flow.addEndpoint('live');
  });

  test('what arrived is received, nothing is missed, and the next reading stops at the mark', async () => {
    expect(await countMissed(flow.db)).toBeNull();
    await flow.pay(3);
    const run = await flow.run();
    expect(run).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 0 });
    const { received = 0, ...others } = await classes();
    expect(received).toBeGreaterThan(6);
    expect(others).toEqual({});
    expect(await countMissed(flow.db)).toBe(0);
    const row = await flow.db('deliveries').first();
    expect(row.payload).toBeNull();
  });

  test.each([
    ['drop', 'never_reached', 'missed_webhook', 'high', null],
    ['phantom', 'phantom', 'phantom_delivery', 'critical', null],
    ['corrupt', 'rejected', 'rejected_delivery', 'high', 'invalid_signature'],
  ] as const)(
    '%s: %s, listed, recovered, applied, and then no break any more',
    async (fault, name, kind, severity, reason) => {
      flow.sandbox.control.setFaults({ [fault]: 1 });
      await flow.pay(1);
      // Bytes may change so that the signature is all that is wrong, or so that it is no JSON either.
      const run = await flow.run();
      expect(run.complete).toBe(true);
      const counts = await classes();
      expect(Object.keys(counts)).toEqual([name]);
      const all = counts[name] ?? 0;
      const open = await breaks('open');
      expect(open).toHaveLength(all);
      expect(open[0]).toMatchObject({
        kind,
        severity,
        entity: { kind: 'delivery' },
        evidence: {
          class: name,
          ours: { held: false, refusal: reason, source: { type: 'inbox' } },
          theirs: { attempts: '1', source: { type: 'poll', ref: run.id } },
        },
      });
      expect(await inbox()).toEqual(
        Array.from({ length: all }, () => ({ source: 'delivery_history', status: 'received' })),
      );
      expect(await countMissed(flow.db)).toBe(all);
      // Not applied yet: the break stays, and nothing is recovered twice.
      expect((await flow.run()).proof['recovered']).toBe(0);
      expect(await breaks('open')).toHaveLength(all);
      await flow.apply();
      await flow.run();
      expect(await breaks('open')).toEqual([]);
      expect(await breaks('auto_resolved')).toHaveLength(all);
      expect(await countMissed(flow.db)).toBe(0);
      expect(await classes()).toEqual({ [name]: all });
      const [intent] = await flow.db('payment_intents').select('status');
      expect(intent.status).toBe('completed');
      const { items } = await listDeliveries(flow.db, { class: name });
      expect(items[0]).toMatchObject({
        recoveredAt: expect.any(String),
        eventId: expect.any(String),
        reason: reason ?? 'recovered',
      });
    },
  );

  test('within the grace it is no break and nothing is recovered; after it, without the service saying anything new, it is', async () => {
    flow.sandbox.control.setFaults({ drop: 1 });
    await flow.pay(1);
    flow.deps.settings.missedGraceMs = 900_000;
    await flow.run();
    expect([await breaks(), await inbox(), await countMissed(flow.db)]).toEqual([[], [], 0]);
    // Below the mark by now: it is judged by what is written down. The service's clock is known to within two seconds.
    flow.deps.settings.missedGraceMs = -2_000;
    await flow.db('watermarks').update({ value: JSON.stringify({ at: Date.now() + 60_000 }) });
    const run = await flow.run();
    expect(run.proof['recovered']).toBeGreaterThan(0);
    expect(await breaks('open')).toHaveLength((await inbox()).length);
  });

  test('history: what was delivered before adoption is listed, never recovered, never a break', async () => {
    flow.sandbox.control.setFaults({ drop: 1 });
    await flow.pay(1);
    flow.deps.adoptedAt = new Date(Date.now() + 60_000);
    const run = await flow.run('deliveries', { full: true });
    expect(run).toMatchObject({ complete: true, breaksOpened: 0, proof: { recovered: 0 } });
    expect([Object.keys(await classes()), await breaks(), await inbox()]).toEqual([['never_reached'], [], []]);
  });

  test('a dry run writes nothing, and a break that a person closed stays closed', async () => {
    flow.sandbox.control.setFaults({ drop: 1 });
    await flow.pay(1);
    await flow.run('deliveries', { dryRun: true });
    expect([await classes(), await breaks(), await inbox()]).toEqual([{}, [], []]);
    await flow.run();
    await flow.db('breaks').update({ status: 'written_off' });
    await flow.run();
    expect(await breaks('written_off')).not.toEqual([]);
    expect(await breaks('open')).toEqual([]);
  });

  test('deliveries to another system are listed and nothing else', async () => {
    flow.sandbox.control.addEndpoint({ url: 'http://127.0.0.1:9/elsewhere' });
    await flow.pay(1);
    await flow.run();
    const { received, other_endpoint, ...others } = await classes();
    expect(received).toBe(other_endpoint);
    expect(others).toEqual({});
    expect(await breaks()).toEqual([]);
  });
});

test('a retry lies ahead: pending, no break, and received in the end', async () => {
  flow = await startDeliveryFlow({ database, sandbox: { retrySchedule: [30] } });
  flow.addEndpoint('live');
  flow.sandbox.control.setFaults({ drop: 1 });
  await flow.pay(1);
  await flow.run();
  expect(Object.keys(await classes())).toEqual(['pending_retry']);
  expect([await breaks(), await inbox()]).toEqual([[], []]);
  flow.sandbox.control.setFaults({ restamp: true });
  flow.sandbox.control.advance(31);
  await flow.sandbox.control.deliveriesIdle();
  const run = await flow.run();
  expect(run.proof['recovered']).toBe(0);
  expect(Object.keys(await classes())).toEqual(['received']);
});

test('what a person recovers is no more missed, and no break, once the workers have applied it', async () => {
  flow = await startDeliveryFlow({ database });
  flow.addEndpoint('live');
  flow.sandbox.control.setFaults({ phantom: 1 });
  await flow.pay(1);
  const from = Date.now() - 3_600_000;
  await flow.run('deliveries', { dryRun: false });
  const options = {
    kind: 'deliveries',
    full: false,
    wanted: { ids: [], range: { from, to: Date.now() + 60_000 } },
  } as const;
  // Without a worker nobody waits: it is stored, and is missed still.
  await recoverNow(flow.deps, options);
  const stored = (await inbox()).length;
  expect(stored).toBeGreaterThan(0);
  expect((await inbox()).every(({ status }) => status === 'received')).toBe(true);
  expect(await countMissed(flow.db)).toBe(stored);

  await flow.pay(1);
  await recordHeartbeat(flow.db, ['worker']);
  const recovering = recoverNow(flow.deps, {
    ...options,
    wanted: { ids: [], range: { from, to: Date.now() + 60_000 } },
  });
  await until('it is stored', async () => (await inbox()).length > stored);
  await flow.apply();
  await recovering;
  expect(await countMissed(flow.db)).toBe(0);
  expect(await breaks('open')).toEqual([]);
});

test('what a person wants here is recovered before its time, by its id and by a range of time', async () => {
  const began = Date.now();
  flow = await startDeliveryFlow({ database, sandbox: { retrySchedule: [30] }, settings: { missedGraceMs: 900_000 } });
  flow.addEndpoint('live');
  flow.sandbox.control.setFaults({ drop: 1 });
  await flow.pay(1);
  await flow.run();
  const known = (await listDeliveries(flow.db, {})).items;
  expect(known.length).toBeGreaterThan(2);
  expect(known.map(({ recoverable }) => recoverable)).not.toContain(false);
  const recovered = async (ids: string[], range: { from: number; to: number } | null) =>
    (await flow.run('deliveries', { wanted: { ids, range } })).proof['recovered'];
  const range = { from: began - 60_000, to: Date.now() + 60_000 };
  expect(await recovered([known[0]?.id ?? ''], null)).toBe(1);
  expect(await inbox()).toEqual([{ source: 'delivery_history', status: 'received' }]);
  expect(await recovered([], range)).toBe(known.length - 1);
  expect(await inbox()).toEqual(known.map(() => ({ source: 'delivery_history', status: 'received' })));
  await flow.apply();
  flow.sandbox.control.setFaults({});
  flow.sandbox.control.advance(31);
  await flow.sandbox.control.deliveriesIdle();
  expect(await recovered([], range)).toBe(0);
  expect(await inbox()).toHaveLength(known.length);
  expect(await breaks('open')).toEqual([]);
});

const WORST = { eventId: 'header', restamp: true } as const;
const WORLDS: readonly (readonly [string, Partial<Faults>])[] = [
  // Without any, as it is above; in the envelope it is easier.
  ...(isAll
    ? ([
        ['no event id', {}],
        ['the event id in the envelope', { eventId: 'envelope' }],
        ['the event id in a header alone', { eventId: 'header' }],
        ['retries stamped anew alone', { restamp: true }],
      ] as const)
    : []),
  ['the event id in a header, which the history does not show, and retries stamped anew', WORST],
];

describe('two endpoints with two secrets, and everything goes wrong at once', () => {
  test.each(WORLDS)(
    '%s: every event is here in the end, each delivery has one class, nothing stays missed',
    async (_name, world) => {
      flow = await startDeliveryFlow({ database, sandbox: { retrySchedule: [0.05, 0.1], seed: 7 } });
      flow.addEndpoint('old');
      flow.addEndpoint('new');
      flow.sandbox.control.setFaults({
        drop: 0.2,
        flaky: 0.2,
        duplicate: 0.2,
        reorder: 0.3,
        reorderSeconds: 0.2,
        corrupt: 0.5,
        phantom: 0.1,
        forge: 0.1,
        ...world,
      });
      await flow.pay(15);
      await expect
        .poll(
          async () => {
            await flow.sandbox.control.deliveriesIdle();
            const run = await flow.run();
            await flow.apply();
            const pending = (await classes())['pending_retry'] ?? 0;
            return run.complete && pending === 0;
          },
          { timeout: 20_000, interval: 300 },
        )
        .toBe(true);
      await flow.apply();
      await flow.run('deliveries', { full: true });
      const counts = await classes();
      for (const name of ['received', 'received_sibling', 'never_reached', 'phantom', 'rejected']) {
        expect.soft(counts[name] ?? 0, name).toBeGreaterThan(0);
      }
      expect(await countMissed(flow.db)).toBe(0);
      expect(await breaks('open')).toEqual([]);
      const truth = await (await fetch(`${flow.sandbox.url}/sandbox/truth?changedBefore=1970-01-01T00:00:00Z`)).json();
      const sent = (truth as { deliveries: { id: string; payload: { event: string; data: object } }[] }).deliveries;
      const contents = new Set(sent.map(({ payload }) => JSON.stringify([payload.event, payload.data])));
      const rows: { body: Buffer }[] = await flow.db('inbox').select('body');
      const held = new Set(
        rows.map(({ body }) => {
          const { event, data } = JSON.parse(body.toString());
          return JSON.stringify([event, data]);
        }),
      );
      expect(held).toEqual(contents);
      expect((await flow.db('deliveries')).length).toBe(sent.length);
      const unpaired = await flow.db('deliveries').whereNull('inbox_id');
      expect(unpaired).toEqual([]);
    },
  );
});
