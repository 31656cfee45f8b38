import type { Knex } from 'knex';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { textField } from '../../src/domain/records.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { inTransaction } from '../../src/records/database/statements.js';
import { declareLeaked, type LeakAnswer } from '../../src/records/deliveries/leaked-secrets.js';
import { restoreSecret } from '../../src/records/deliveries/secrets.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import {
  type Forger,
  forger,
  informedForger,
  itemsOf,
  otherHistory,
  refundAtDashboard,
  seconds,
} from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isAll } from '../support/sizes.js';

const ASSET = 'USDT.TRC20';
const LONG_AGO = new Date(Date.now() - 86_400_000).toISOString();
const RULES = { adoptedAt: new Date(0) };
let flow: DeliveryFlow;
let who: Forger;

const reasonOf = async (reference: string, db = flow.db) => (await getOrder(db, reference))?.release.reason;
const open = async () => (await listBreaks(flow.db, { status: 'open', take: 500 })).items.map(({ kind }) => kind);

const leakIn = (trx: Knex.Transaction): Promise<LeakAnswer> =>
  declareLeaked(trx, { label: 'live', fingerprint: 'f', by: 'ann', note: 'found in a paste', now: new Date() }, RULES);
const leak = (dryRun = false): Promise<LeakAnswer> => inTransaction(flow.db, dryRun, leakIn);

function refundSaid(payout: string, paymentIntentId: string, more: object = {}): Promise<string> {
  const data = { id: payout, status: 'pending', payoutType: 'refund', paymentIntentId, amount: '1', assetCode: ASSET };
  return who.send('live', { event: 'payout.pending', timestamp: seconds(), data: { ...data, ...more } });
}

async function paidOrder(merchantReference: string): Promise<string> {
  const id = flow.sandbox.control.createPayment({ amount: '12.5', currency: ASSET, merchantReference });
  flow.sandbox.control.pay(id, { percent: 100 });
  await flow.sandbox.control.deliveriesIdle();
  return id;
}

async function refunded(paymentIntentId: string): Promise<string> {
  const payout = await refundAtDashboard(flow, paymentIntentId);
  await flow.sandbox.control.deliveriesIdle();
  return payout;
}

describe('a secret that leaked, where forged events make the history seem to differ', () => {
  let payments: Record<'forged' | 'true', string>;

  beforeAll(async () => {
    flow = await startDeliveryFlow();
    who = forger(flow);
    flow.sandbox.control.setFaults({ payoutsList: false });
    flow.addEndpoint('live');
    payments = { forged: await paidOrder('L-forged'), true: await paidOrder('L-true') };
    await who.learn();
    await who.payUntil(34);
    await flow.apply();
    await flow.run('payment-intents', { full: true });
    await flow.run('payment-intents');
    expect([await reasonOf('L-forged'), await reasonOf('L-true')]).toEqual(['proven', 'proven']);
    const payout = await refunded(payments.true);
    // Somebody who knows of it says the same again.
    await refundSaid(payout, payments.true, { amount: '12' });
    for (let n = 0; n < 6; n += 1) await refundSaid(`po_forged_${n}`, payments.forged, { createdAt: LONG_AGO });
    await flow.pay(1);
    await flow.apply();
    await flow.run('deliveries');
    expect(await who.differing()).toMatchObject([{ severity: 'critical' }]);
    expect([await reasonOf('L-forged'), await reasonOf('L-true')]).toEqual(['refund_reported', 'refund_reported']);
  });
  afterAll(() => flow.close());

  /** Of what a test does here nothing is kept. */
  const undone = (work: (trx: Knex.Transaction) => Promise<void>) => inTransaction(flow.db, true, work);

  test('a person had resolved the finding before: the orders are freed all the same', async () => {
    const [finding] = await who.differing();
    await undone(async (trx) => {
      await decideBreak(trx, finding?.id ?? '', 'resolve', { actor: 'ann', note: 'seen' });
      expect(await leakIn(trx)).toMatchObject({ done: { disproved: 7, orders: ['L-forged'] } });
    });
  });

  test('where the history lacks events under another secret in use, nothing is disproved', async () => {
    await undone(async (trx) => {
      const [row] = await trx('report_checks').where({ state: 'differs' });
      await trx('report_checks').insert({ ...row, inbox_id: 999_999, secret_label: 'other' });
      expect(await leakIn(trx)).toMatchObject({
        outcome: 'refused',
        why: expect.stringContaining('under "other" too'),
      });
      expect(await reasonOf('L-forged', trx)).toBe('refund_reported');
      expect(await trx('secrets').where({ label: 'live' }).first('retired_at')).toEqual({ retired_at: null });
    });
  });

  test('where the history lacked events from the beginning on, nothing is disproved', async () => {
    await undone(async (trx) => {
      await trx('report_checks')
        .where({ state: 'differs' })
        .update({ received_at: new Date(Date.now() - 600_000) });
      expect(await leakIn(trx)).toMatchObject({ outcome: 'refused', why: expect.stringContaining('by itself') });
      expect(await reasonOf('L-forged', trx)).toBe('refund_reported');
    });
  });

  test('one action frees what its forged events hold and closes their breaks; what the service sent stays', async () => {
    const wanted = { disproved: 7, undecided: 0, orders: ['L-forged'], breaks: { history_differs: 1 } };
    expect(await leak(true)).toEqual({ outcome: 'done', done: wanted });
    expect(await reasonOf('L-forged')).toBe('refund_reported');
    expect(await leak()).toEqual({ outcome: 'done', done: wanted });
    expect([await reasonOf('L-forged'), await reasonOf('L-true')]).toEqual(['proven', 'refund_reported']);
    expect(await open()).toEqual([]);
    const [kept] = await flow.db('actions').where({ action: 'secret leaked' });
    expect(kept).toMatchObject({ actor: 'ann', target: 'secret live', reason: 'found in a paste', outcome: 'done' });
    expect(await flow.db('secrets').where({ label: 'live' }).first()).toMatchObject({ retired_by: 'ann' });

    // What came before the receivers heard of it is disproved when the history shows a later event, and opens nothing.
    await refundSaid('po_late', payments.forged);
    await flow.pay(1);
    await flow.apply();
    expect(await reasonOf('L-forged')).toBe('refund_reported');
    await flow.run('deliveries');
    expect(await reasonOf('L-forged')).toBe('proven');
    expect(await open()).toEqual([]);
    expect(await leak()).toMatchObject({ done: { disproved: 0, orders: [], breaks: {} } });

    await restoreSecret(flow.db, { label: 'live', by: 'ann', note: 'a mistake' });
    expect(await flow.db('secrets').where({ label: 'live' }).first()).toMatchObject({ leaked_at: null });
  });
});

const isOfPayout = (delivery: JsonObject) => textField(delivery, 'eventType')?.startsWith('payout.') === true;

describe('what came under a secret that leaked and that the service sent all the same', () => {
  let payment: string;

  const database = resettableDatabase();
  afterEach(() => flow.close());
  beforeEach(async () => {
    flow = await startDeliveryFlow({ database });
    who = forger(flow);
    flow.sandbox.control.setFaults({ payoutsList: false, links: true });
    flow.addEndpoint('live');
    payment = await paidOrder('L-true');
    await who.learn();
    await flow.apply();
    await flow.run('payment-intents', { full: true });
    await flow.run('payment-intents');
    expect(await reasonOf('L-true')).toBe('proven');
  });

  // Refused it is above as well.
  if (isAll)
    test('a history that leaves out events by itself disproves none, though the secret was said to have leaked before', async () => {
      const known = new Set<string>(await flow.db('deliveries').pluck('id'));
      await refunded(payment);
      await who.payUntil(34);
      await flow.apply();
      expect(await reasonOf('L-true')).toBe('refund_reported');
      expect(await leak()).toMatchObject({ outcome: 'done', done: { disproved: 0 } });
      flow.deps.client = otherHistory(flow.sandbox, (page) => ({
        ...page,
        items: itemsOf(page).filter(
          (one, n) => known.has(textField(one, 'id') ?? '') || (n % 2 === 0 && !isOfPayout(one)),
        ),
      }));
      await flow.run('deliveries');
      expect(await reasonOf('L-true')).toBe('refund_reported');
      const [finding, ...more] = await who.differing();
      expect([finding?.severity, more]).toEqual(['high', []]);
      expect(await leak()).toMatchObject({ outcome: 'refused', why: expect.stringContaining('by itself') });
      // Neither the next reading nor a day decides it.
      await flow.db('report_checks').update({ received_at: flow.db.raw(`received_at - interval '2 days'`) });
      await flow.run('deliveries');
      expect(await reasonOf('L-true')).toBe('refund_reported');
      expect(await who.differing()).toMatchObject([{ id: finding?.id }]);
    });

  test('a history that stopped disproves nothing, until it goes on', async () => {
    await who.payUntil(34);
    await who.learn();
    const known = new Set<string>(await flow.db('deliveries').pluck('id'));
    await refunded(payment);
    await flow.pay(2);
    await flow.apply();
    const whole = flow.deps.client;
    flow.deps.client = otherHistory(flow.sandbox, (page) => ({
      ...page,
      items: itemsOf(page).filter((one) => known.has(textField(one, 'id') ?? '')),
    }));
    await flow.run('deliveries');
    expect(await who.differing()).toHaveLength(1);
    expect(await leak()).toMatchObject({ outcome: 'refused', why: expect.stringContaining('it may have stopped') });
    expect(await reasonOf('L-true')).toBe('refund_reported');
    flow.deps.client = whole;
    await flow.run('deliveries');
    expect(await leak()).toMatchObject({ outcome: 'done', done: { disproved: 0 } });
    expect(await reasonOf('L-true')).not.toBe('proven');
  });

  test('what came under another secret as well was sent, and holds its order', async () => {
    await who.payUntil(34);
    flow.addEndpoint('next');
    await refunded(payment);
    const refund = await flow.db('inbox').where('event_type', 'like', 'payout.%').pluck('id');
    await flow.db('inbox').whereIn('id', refund).update({ secret_label: 'live' });
    expect(await flow.db('inbox_arrivals').whereIn('inbox_id', refund).pluck('secret_label')).toContain('next');
    for (let n = 0; n < 6; n += 1) await refundSaid(`po_forged_${n}`, payment, { createdAt: LONG_AGO });
    await flow.pay(1);
    await flow.apply();
    flow.deps.client = otherHistory(flow.sandbox, (page) => ({
      ...page,
      items: itemsOf(page).filter((one) => !isOfPayout(one)),
    }));
    await flow.run('deliveries');
    expect(await who.differing()).toHaveLength(1);
    expect(await leak()).toMatchObject({ outcome: 'done', done: { disproved: 6 } });
    expect(await reasonOf('L-true')).toBe('refund_reported');
  });
});

describe('a handful of forged events', () => {
  const database = resettableDatabase();
  afterEach(() => flow.close());
  beforeEach(async () => {
    flow = await startDeliveryFlow({ database });
    who = await informedForger(flow);
  });
  test('open breaks that are closed with it, and no others', async () => {
    const data = { id: 'pi_none', status: 'completed', amountRequested: '1', createdAt: LONG_AGO };
    await who.send('live', { event: 'payment_intent.completed', timestamp: seconds() - 2, data });
    await flow.apply();
    await flow.run('payment-intents', { full: true });
    await flow.run('deliveries');
    expect((await open()).sort()).toEqual(['event_not_sent', 'record_not_at_service']);
    const real = await flow.db('payment_intents').whereNot({ id: 'pi_none' }).first('id');
    await flow.db('breaks').insert({
      kind: 'record_not_at_service',
      severity: 'critical',
      entity_kind: 'payment_intent',
      entity_id: real.id,
      evidence: '{}',
    });
    expect(await leak()).toMatchObject({ done: { breaks: { event_not_sent: 1, record_not_at_service: 1 } } });
    expect(await open()).toEqual(['record_not_at_service']);
    const { items } = await listBreaks(flow.db, { status: 'resolved' });
    expect(items.map(({ kind }) => kind).sort()).toEqual(['event_not_sent', 'record_not_at_service']);
  });

  test('reported a record, which opens nothing when the service denies it later', async () => {
    const forge = (id: string) => {
      const data = { id, status: 'completed', amountRequested: '1', createdAt: LONG_AGO };
      return who.send('live', { event: 'payment_intent.completed', timestamp: seconds() - 2, data });
    };
    await forge('pi_judged');
    await flow.run('deliveries');
    await forge('pi_not_judged');
    await flow.apply();
    expect(await leak()).toMatchObject({ done: { undecided: 1, breaks: { event_not_sent: 1 } } });
    await flow.run('payment-intents', { full: true });
    const { items } = await listBreaks(flow.db, { status: 'open' });
    expect(items.map(({ entity }) => entity.id)).toEqual(['pi_not_judged']);
    await flow.run('deliveries');
    expect(await leak()).toMatchObject({ done: { undecided: 0, breaks: { record_not_at_service: 1 } } });
    expect(await open()).toEqual([]);
  });
});
