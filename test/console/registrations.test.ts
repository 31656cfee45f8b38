import fc from 'fast-check';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { changesOf } from '../../src/records/changes.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { absence, poll, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  ({ app } = testConsole(store.db));
});

const operator = bearer('operator');
const path = (reference: string) => `/api/v1/orders/${encodeURIComponent(reference)}`;
const get = (reference: string) => request(app).get(path(reference)).set(operator);
const tagOf = async (reference: string): Promise<string> => (await get(reference)).get('etag') ?? '';
const withTag = (tag?: string) => ({ ...operator, ...(tag === undefined ? {} : { 'If-Match': tag }) });
const put = (reference: string, amount: string, tag?: string) =>
  request(app).put(path(reference)).set(withTag(tag)).send({ amount, currency: 'EUR' });
const withdraw = (reference: string, tag?: string) => request(app).delete(path(reference)).set(withTag(tag));
const pays = (...observations: Observation[]) => save(store, observations);

async function versions(reference: string): Promise<unknown[]> {
  const rows = await store.db('order_registrations').where({ reference }).orderBy('id');
  return rows.map(({ action, amount, actor }) => [action, amount === null ? null : Number(amount), actor]);
}

describe('a registration, while nothing was received,', () => {
  it('is changed by who has seen the order as it is, and withdrawn; every version is kept, each change is in its history', async () => {
    expect((await put('c1', '10')).status).toBe(201);
    const changed = await put('c1', '12', await tagOf('c1'));
    expect([changed.status, changed.body.expected]).toEqual([200, { amount: '12', currency: 'EUR' }]);
    expect((await put('c1', '12.0')).status).toBe(200);
    const withdrawn = await withdraw('c1');
    expect([withdrawn.status, withdrawn.body.expected, withdrawn.body.registeredAt]).toEqual([200, null, null]);
    expect((await withdraw('c1')).status).toBe(200);
    expect((await put('c1', '13')).status).toBe(201);
    expect(await versions('c1')).toEqual([
      ['registered', 10, 'omar'],
      ['changed', 12, 'omar'],
      ['withdrawn', null, 'omar'],
      ['registered', 13, 'omar'],
    ]);
    const history = await changesOf(store.db, { kind: 'order', id: 'c1' });
    const changes = history.filter(({ field }) => field === 'expected');
    expect(changes.map(({ from, to }) => [from, to])).toEqual([
      [null, { amount: '10', currency: 'EUR' }],
      [
        { amount: '10', currency: 'EUR' },
        { amount: '12', currency: 'EUR' },
      ],
      [{ amount: '12', currency: 'EUR' }, null],
      [null, { amount: '13', currency: 'EUR' }],
    ]);
    expect(new Set(changes.map(({ source }) => source.type))).toEqual(new Set(['store']));
    const { body } = await request(app).get('/api/v1/actions?take=20').set(operator);
    const kept = (body.items as { actor: string; action: string; details: object; outcome: string }[]).toReversed();
    expect(kept.map(({ action, details, outcome }) => [action, details, outcome])).toEqual([
      ['register order', { role: 'operator', amount: '10', currency: 'EUR', outcome: 'created' }, 'done'],
      ['register order', { role: 'operator', amount: '12', currency: 'EUR', outcome: 'changed' }, 'done'],
      ['register order', { role: 'operator', amount: '12.0', currency: 'EUR', outcome: 'unchanged' }, 'done'],
      ['withdraw registration', { role: 'operator', outcome: 'withdrawn' }, 'done'],
      ['withdraw registration', { role: 'operator', outcome: 'unchanged' }, 'done'],
      ['register order', { role: 'operator', amount: '13', currency: 'EUR', outcome: 'created' }, 'done'],
    ]);
  });

  it('stays by who has seen it otherwise, or does not say: 412, 409', async () => {
    await put('c2', '10');
    const tag = await tagOf('c2');
    expect((await put('c2', '11')).status).toBe(409);
    await put('c2', '11', tag);
    const stale = await put('c2', '12', tag);
    expect([stale.status, stale.body.existing]).toEqual([412, { amount: '11', currency: 'EUR' }]);
    expect((await withdraw('c2', tag)).status).toBe(412);
    expect((await put('c2', '12', '"made-up"')).status).toBe(412);
    const viewers = await request(app).get(path('c2')).set(bearer('viewer'));
    expect((await put('c2', '12', viewers.get('etag'))).status).toBe(412);
    expect((await put('c2', '11', tag)).status).toBe(200);
    expect((await withdraw('c2', await tagOf('c2'))).status).toBe(200);
    expect(await versions('c2')).toHaveLength(3);
  });

  it('of an order that is not there asks for none: 412, 404, and none is made', async () => {
    expect((await put('c3', '10', '*')).status).toBe(412);
    expect((await withdraw('c3')).status).toBe(404);
    expect((await get('c3')).status).toBe(404);
  });

  it('is taken for the first time by who has seen the order without one, and from a payment that waits on', async () => {
    await pays(poll('payment_intent', intent('c4'), 0));
    expect((await put('order-c4', '25', '"made-up"')).status).toBe(412);
    expect((await put('order-c4', '20', await tagOf('order-c4'))).status).toBe(201);
    expect((await put('order-c4', '25', await tagOf('order-c4'))).status).toBe(200);
    const expired = poll('payment_intent', intent('c4', { status: 'expired' }), 10);
    await pays(expired);
    expect((await withdraw('order-c4')).status).toBe(200);
  });

  it('two that change it at once: one does, the other is refused', async () => {
    await put('c5', '10');
    const tag = await tagOf('c5');
    const answers = await Promise.all(['11', '12', '13'].map((amount) => put('c5', amount, tag)));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '412', '412']);
    expect(await versions('c5')).toHaveLength(2);
    const both = await Promise.all([put('c5', '20', await tagOf('c5')), withdraw('c5', await tagOf('c5'))]);
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '412']);
    expect(await versions('c5')).toHaveLength(3);
  });

  it('is for operators alone', async () => {
    const asViewer = bearer('viewer');
    await request(app).delete(path('c5')).set(asViewer).expect(403);
  });

  it('of a program that kept no versions is the first of them', async () => {
    await put('c6', '10');
    await store.db.raw('ALTER TABLE order_registrations DISABLE TRIGGER USER');
    await store.db('order_registrations').where({ reference: 'c6' }).delete();
    await store.db.raw('ALTER TABLE order_registrations ENABLE TRIGGER USER');
    await put('c6', '12', await tagOf('c6'));
    await withdraw('c6');
    expect(await versions('c6')).toEqual([
      ['registered', 10, null],
      ['changed', 12, 'omar'],
      ['withdrawn', null, 'omar'],
    ]);
    await expect(store.db('order_registrations').delete()).rejects.toThrow('append-only');
  });
});

describe('once money was received', () => {
  const shows: [string, (id: string) => Observation[]][] = [
    ['a completed payment', (id) => [poll('payment_intent', paidIntent(id, `p-${id}`), 10)]],
    ['a part', (id) => [poll('payment_intent', intent(id, { totalAmountReceived: '1' }), 10)]],
    ['a payin', (id) => [poll('payment_intent', intent(id), 10), poll('payin', payin(`p-${id}`, id), 10)]],
    ['a dispute', (id) => [poll('payment_intent', intent(id, { irregularStatus: 'pending_decision' }), 10)]],
    [
      'a refund',
      (id) => [poll('payment_intent', intent(id), 10), poll('payout', payout(`r-${id}`, { paymentIntentId: id }), 10)],
    ],
    [
      'a paid invoice',
      (id) => [
        poll('payment_intent', intent(id, { invoiceId: `i-${id}` }), 10),
        poll('invoice', invoice(`i-${id}`, { status: 'paid', paymentIntentId: id }), 10),
      ],
    ],
  ];

  it.each(shows)('%s: what is registered stands, and the first registration is taken', async (what, records) => {
    const id = what.replaceAll(' ', '');
    await put(`order-${id}`, '25');
    await pays(...records(id));
    const tag = await tagOf(`order-${id}`);
    const changed = await put(`order-${id}`, '26', tag);
    expect([changed.status, changed.body.existing]).toEqual([409, { amount: '25', currency: 'EUR' }]);
    expect((await withdraw(`order-${id}`, tag)).status).toBe(409);
    expect((await withdraw(`order-${id}`)).status).toBe(409);
    expect((await put(`order-${id}`, '25')).status).toBe(200);
    expect(await versions(`order-${id}`)).toHaveLength(1);
    await pays(...records(`late${id}`));
    expect((await put(`order-late${id}`, '25')).status).toBe(201);
    expect((await put(`order-late${id}`, '25')).status).toBe(200);
  });

  it('a webhook alone changes nothing of it: it may be changed until a poll shows the money, and who saw the order before sees it again first', async () => {
    await put('order-reported', '25');
    await pays(poll('payment_intent', intent('reported'), 0));
    const before = await tagOf('order-reported');
    await pays(report('payment_intent', 'reported', paidIntent('reported', 'p-reported'), 10));
    expect((await get('order-reported')).body).toMatchObject({ release: { safe: false } });
    expect((await put('order-reported', '24', '"made-up"')).status).toBe(412);
    expect((await put('order-reported', '26', await tagOf('order-reported'))).status).toBe(200);
    await pays(poll('payment_intent', paidIntent('reported', 'p-reported'), 20));
    expect((await put('order-reported', '27', await tagOf('order-reported'))).status).toBe(409);
    expect((await withdraw('order-reported')).status).toBe(409);
    expect((await put('order-reported', '26', before)).status).toBe(200);
    expect((await get('order-reported')).body).toMatchObject({ expected: { amount: '26' } });
  });

  it('what the service denies is no money', async () => {
    await put('order-denied', '25');
    await pays(report('payment_intent', 'denied', paidIntent('denied', 'p-denied'), 10));
    await pays(absence('payment_intent', 'denied', 100));
    expect((await put('order-denied', '26', await tagOf('order-denied'))).status).toBe(200);
  });
});

it('whatever comes in whatever order: what is expected never changes after money came, and no version is lost', async () => {
  let number = 0;
  const step = fc.constantFrom('put', 'change', 'stale', 'delete', 'money');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.constantFrom('10', '11', '12')), { maxLength: 9 }), async (steps) => {
      number += 1;
      const reference = `order-any${number}`;
      let [received, expected, done] = [false, null as string | null, 0];
      for (const [what, amount] of steps) {
        if (what === 'money') {
          await pays(poll('payment_intent', paidIntent(`any${number}`, `p${number}`), number));
          received = true;
        } else if (what === 'delete') await withdraw(reference);
        else if (what === 'put') await put(reference, amount);
        else await put(reference, amount, what === 'stale' ? '"stale"' : await tagOf(reference));
        const { body, status } = await get(reference);
        const now = status === 404 ? null : ((body.expected?.amount as string | undefined) ?? null);
        if (now !== expected) {
          done += 1;
          expect(what).not.toBe('stale');
          expect([received && expected !== null, what === 'put' && expected !== null]).toEqual([false, false]);
        }
        expected = now;
      }
      expect(await versions(reference)).toHaveLength(done);
    }),
    { numRuns: sized(12, 100) },
  );
});
