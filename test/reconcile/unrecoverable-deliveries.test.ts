import { parse } from 'lossless-json';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { countMissed, countUnrecoverable } from '../../src/records/deliveries/list-deliveries.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { resettableDatabase } from '../support/resettable-database.js';

const DAY_MS = 86_400_000;

let flow: DeliveryFlow;
let now: number;
let shown: object[];

beforeEach(async () => {
  now = Date.now();
  shown = [];
  flow = await startDeliveryFlow({
    database,
    adoptedAt: new Date(now - 400 * DAY_MS),
    client: {
      serviceNow: () => now,
      reply: async () => ({
        data: parse(JSON.stringify({ items: shown, nextCursor: null })) as Json,
        from: now,
        to: now,
      }),
    },
  });
});
const database = resettableDatabase();
afterEach(() => flow.close());

const delivery = (id: string, days: number, changes: object = {}): object => {
  const at = new Date(now - days * DAY_MS).toISOString();
  const about = { id, endpointId: 'we_1', endpointUrl: flow.url, eventType: 'payment_intent.completed' };
  return { ...about, status: 'failed', createdAt: at, lastAttemptAt: at, nextRetryAt: null, payload: null, ...changes };
};
/** What a run knows of the delivery while the service shows nothing of it any more. */
const goOn = async (days: number) => {
  now += days * DAY_MS;
  shown = [];
  await flow
    .db('watermarks')
    .where({ kind: 'deliveries' })
    .update({ value: JSON.stringify({ at: now }) });
  return flow.run();
};
const stored = (id: string) => flow.db('deliveries').where({ id }).first();
const openBreaks = async () => (await listBreaks(flow.db, { status: 'open' })).items.map(({ entity }) => entity.id);
/** The newest reading of the whole list began so many days ago. */
const swept = (kind: string, name: string, daysAgo: number) =>
  flow
    .db('watermarks')
    .insert({ kind, name, value: JSON.stringify({ at: now - daysAgo * DAY_MS }) })
    .onConflict(['kind', 'name'])
    .merge();
const readAt = (id: string, at: number) =>
  flow.db('payment_intents').insert({
    id,
    shown: '{}',
    verified: true,
    poll_from: at,
    observed_at: new Date(at),
    observed_by_type: 'poll',
    observed_by_ref: '1',
  });

describe('a delivery that can never be recovered', () => {
  test.each([
    ['the record that it names was read since', async () => readAt('pi_1', now - 30 * DAY_MS)],
    ['the whole list was read since', async () => swept('payment-intents', 'sweep:all', 20)],
  ])('after a month is closed where %s', async (_how, read) => {
    shown = [delivery('d1', 31, { paymentIntentId: 'pi_1' })];
    await flow.run();
    expect(await stored('d1')).toMatchObject({ class: 'never_reached', missed: true, open: true });
    expect(await openBreaks()).toEqual(['d1']);
    await read();
    await goOn(4);
    expect(await stored('d1')).toMatchObject({ class: 'unrecoverable', missed: false, open: false, judge_at: null });
    expect(await openBreaks()).toEqual([]);
    expect([await countMissed(flow.db), await countUnrecoverable(flow.db)]).toEqual([0, 1]);
  });

  test.each([
    ['before it is a month old', 20, async () => swept('payment-intents', 'sweep:all', 0)],
    ['where the record was read before it was delivered', 31, async () => readAt('pi_1', now - 32 * DAY_MS)],
    ['where the list of another kind was read', 31, async () => swept('invoices', 'sweep:all', 0)],
    ['where the list was read before it was delivered', 31, async () => swept('payment-intents', 'sweep:all', 32)],
  ])('stays missed %s', async (_when, days, read) => {
    await read();
    shown = [delivery('d1', days, { paymentIntentId: 'pi_1' })];
    await flow.run();
    expect(await stored('d1')).toMatchObject({ class: 'never_reached', missed: true, open: true });
    expect(await openBreaks()).toEqual(['d1']);
    expect([await countMissed(flow.db), await countUnrecoverable(flow.db)]).toEqual([1, 0]);
  });

  test('of which nothing says what it reported stays missed for people to decide, and is judged no more', async () => {
    shown = [delivery('d1', 31, { eventType: 'payin.confirmed' })];
    await flow.run();
    expect(await stored('d1')).toMatchObject({ class: 'never_reached', missed: true, open: false, judge_at: null });
    expect(await openBreaks()).toEqual(['d1']);
    expect(await countMissed(flow.db)).toBe(1);
  });

  test('a transaction takes both its lists', async () => {
    shown = [delivery('d1', 31, { eventType: 'wallet_account.deposit.completed' })];
    await swept('transactions', 'head', 1);
    await flow.run();
    expect((await stored('d1')).class).toBe('never_reached');
    await swept('accounts', 'head', 1);
    await flow.run('deliveries', { full: true });
    expect((await stored('d1')).class).toBe('unrecoverable');
  });
});

describe('what a run costs', () => {
  /** The transaction that wrote each row last. */
  const writers = async () =>
    new Map((await flow.db('deliveries').select('id', flow.db.raw('xmin::text AS at'))).map(({ id, at }) => [id, at]));

  test('reading again what is known writes nothing', async () => {
    const event = { event: 'payment_intent.completed', timestamp: Math.floor(now / 1_000), data: { id: 'pi_1' } };
    shown = [delivery('held', 0.01, { payload: event }), delivery('lost', 0.02), delivery('retried', 0.03)];
    await flow.run();
    await flow.run();
    const before = await writers();
    expect((await flow.run()).changed).toBe(0);
    expect(await writers()).toEqual(before);
    shown = shown.map((one) => ({ ...one, attempts: 2 }));
    await flow.run();
    expect([...(await writers())].filter(([id, at]) => before.get(id) === at)).toEqual([]);
  });

  test('the older a missed one is, the seldomer it is judged', async () => {
    shown = Array.from({ length: 20 }, (_, at) => delivery(`d${at}`, 10 + at / 10));
    await flow.run();
    const before = await writers();
    await goOn(0.003);
    expect(await writers()).toEqual(before);
    await goOn(1.05);
    const classified = [...(await writers())].filter(([id, at]) => before.get(id) !== at);
    expect(classified.length).toBeGreaterThan(0);
    expect(classified.length).toBeLessThan(10);
  });

  test('one whose event was applied is made good by the next run, however old it is', async () => {
    const event = { event: 'payment_intent.completed', timestamp: Math.floor(now / 1_000), data: { id: 'pi_1' } };
    shown = [delivery('d1', 10, { payload: event })];
    await flow.run();
    expect(await stored('d1')).toMatchObject({ missed: true, open: true });
    await goOn(0.003);
    expect(await openBreaks()).toEqual(['d1']);
    await flow.apply();
    await goOn(0.003);
    expect(await stored('d1')).toMatchObject({ missed: false, open: false });
    expect(await openBreaks()).toEqual([]);
  });
});
