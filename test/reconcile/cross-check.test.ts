import { LosslessNumber } from 'lossless-json';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { crossCheck } from '../../src/reconcile/cross-check.js';
import { crossCheckAll } from '../../src/reconcile/cross-check-all.js';
import { decideBreak } from '../../src/records/decide-break.js';
import { saveFilterListing } from '../../src/records/filter-listings.js';
import { getBreak, listBreaks } from '../../src/records/list-breaks.js';
import { registerOrder } from '../../src/records/orders.js';
import { at, claim, context, intent, invoice, paidIntent, payin, payout, reading, save } from '../records/observed.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

let database: TestDatabase;
let clock = at(HOUR);
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  clock = at(HOUR);
});
afterAll(() => database.drop());

const check = () => crossCheck({ db: database.db, now: () => new Date(clock), adoptedAt: context.adoptedAt });
const later = (seconds: number) => {
  clock += seconds * 1000;
  return check();
};

async function ran(second: number): Promise<void> {
  const startedAt = new Date(at(second));
  const run = {
    kind: 'payment-intents',
    full: false,
    status: 'succeeded',
    started_at: startedAt,
    heartbeat_at: startedAt,
  };
  await database.db('runs').insert(run);
}

async function breaksOf(id: string, status = 'open'): Promise<string[]> {
  const { items } = await listBreaks(database.db, { status, entityId: id });
  return items.map(({ kind }) => kind).sort();
}

async function breakOf(id: string, kind: string) {
  const { items } = await listBreaks(database.db, { entityId: id, kind });
  return getBreak(database.db, items[0]?.id ?? '');
}

function register(reference: string, amount: string, currency = 'EUR') {
  return database.db.transaction((trx) => registerOrder(trx, { reference, amount, currency }));
}

describe('orders against what the store registered', () => {
  test('too little, once nothing more can come; a payment that still confirms is awaited', async () => {
    await register('order-u1', '50.00');
    await save(database, [
      reading('payment_intent', paidIntent('u1', 'pu1'), 10),
      reading('payment_intent', intent('u1b', { merchantReference: 'order-u1', status: 'confirming' }), 10),
    ]);
    await check();
    expect(await breaksOf('order-u1')).toEqual([]);
    await save(database, [
      reading('payment_intent', intent('u1b', { merchantReference: 'order-u1', status: 'expired' }), 20),
    ]);
    await check();
    expect(await breaksOf('order-u1')).toEqual(['order_underpaid']);
    expect(await breakOf('order-u1', 'order_underpaid')).toMatchObject({
      severity: 'high',
      evidence: {
        'paymentIntent u1': {
          ours: { amount: '50', currency: 'EUR' },
          theirs: { status: 'completed', amountRequested: '25.00', currencyRequested: 'EUR' },
          source: { kind: 'payment_intent', id: 'u1', verified: true, type: 'poll' },
        },
      },
    });
    await save(database, [
      reading('payment_intent', paidIntent('u1c', 'pu1c', { merchantReference: 'order-u1' }), 30),
      reading('payin', payin('pu1', 'u1'), 30),
      reading('payin', payin('pu1c', 'u1c'), 30),
    ]);
    await check();
    expect(await breaksOf('order-u1')).toEqual([]);
    expect(await breaksOf('order-u1', 'auto_resolved')).toEqual(['order_underpaid']);
  });

  test('too much; a payment that asks for more, or for other money, than the store expects', async () => {
    await register('order-o1', '20.00');
    await register('order-o2', '20.00');
    await register('order-o3', '25.00', 'USD');
    await save(database, [
      reading('payment_intent', paidIntent('o1', 'po1'), 10),
      reading('payment_intent', intent('o2'), 10),
      reading('payment_intent', intent('o3'), 10),
    ]);
    await check();
    expect(await breaksOf('order-o1')).toEqual(['order_overpaid']);
    expect(await breaksOf('order-o2')).toEqual(['order_amount_mismatch']);
    expect((await breakOf('order-o2', 'order_amount_mismatch'))?.evidence).toMatchObject({ reason: 'more_requested' });
    expect((await breakOf('order-o3', 'order_amount_mismatch'))?.evidence).toMatchObject({ reason: 'other_currency' });
    await save(database, [reading('payment_intent', intent('o2', { status: 'expired' }), 20)]);
    await check();
    expect(await breaksOf('order-o2')).toEqual([]);
  });

  test('money for an order that the store never registered, where it registers its orders, after a grace', async () => {
    const shop = await createTestDatabase();
    try {
      const created = new Date(Date.now() + 5 * 60_000).toISOString();
      const paid = () => reading('payment_intent', paidIntent('n1', 'pn1', { createdAt: created }), 10);
      const checkAt = (ms: number) =>
        crossCheck({ db: shop.db, now: () => new Date(Date.now() + ms), adoptedAt: context.adoptedAt });
      const open = async () => (await listBreaks(shop.db, { status: 'open' })).items;
      await save(shop, [paid()]);
      await checkAt(86_400_000);
      expect(await open()).toEqual([]);
      await shop.db.transaction((trx) => registerOrder(trx, { reference: 'ORDER-n1', amount: '25', currency: 'EUR' }));
      await save(shop, [
        reading('payment_intent', paidIntent('n1', 'pn1', { createdAt: created, returnUrl: null }), 20),
      ]);
      await checkAt(0);
      expect(await open()).toEqual([]);
      await checkAt(40 * 60_000);
      expect(await open()).toMatchObject([
        {
          kind: 'order_unknown_reference',
          severity: 'medium',
          entity: { kind: 'order', id: 'order-n1' },
          evidence: { reason: 'not_registered', similarReferences: ['ORDER-n1'] },
        },
      ]);
    } finally {
      await shop.drop();
    }
  });
});

describe('invoices', () => {
  test('paid without a payment that was collected, after a grace; the payment resolves it', async () => {
    const paid = { status: 'paid', paymentIntentId: 'v1p', merchantReference: null };
    await save(database, [reading('invoice', invoice('v1', paid), HOUR)]);
    await check();
    await later(20 * MINUTE);
    expect(await breaksOf('v1')).toEqual([]);
    await later(15 * MINUTE);
    expect(await breaksOf('v1')).toEqual(['invoice_paid_without_intent']);
    await save(database, [
      reading('payment_intent', paidIntent('v1p', 'pv1', { invoiceId: 'v1', merchantReference: null }), HOUR + 10),
    ]);
    await check();
    expect(await breaksOf('v1')).toEqual([]);
  });

  test('of two payments of one invoice the paid one counts, whichever changed last', async () => {
    await save(database, [
      reading('invoice', invoice('v2', { status: 'paid', paymentIntentId: 'v2a' }), 10),
      reading('payment_intent', paidIntent('v2a', 'pv2', { invoiceId: 'v2' }), 10),
      reading('payment_intent', intent('v2b', { invoiceId: 'v2', status: 'pending' }), 10),
    ]);
    await check();
    await save(database, [reading('payment_intent', intent('v2b', { invoiceId: 'v2', status: 'expired' }), 20)]);
    await check();
    expect(await breaksOf('v2')).toEqual([]);
  });

  test('a payment was collected and its invoice is not paid', async () => {
    await save(database, [
      reading('invoice', invoice('v3'), HOUR - 10),
      reading('payment_intent', paidIntent('v3p', 'pv3', { invoiceId: 'v3' }), HOUR - 10),
    ]);
    await check();
    expect(await breaksOf('v3p')).toEqual([]);
    await later(31 * MINUTE);
    expect(await breaksOf('v3p')).toEqual(['intent_completed_invoice_unpaid']);
    await save(database, [reading('invoice', invoice('v3', { status: 'paid', paymentIntentId: 'v3p' }), 2 * HOUR)]);
    await check();
    expect(await breaksOf('v3p')).toEqual([]);
  });

  test('items that do not add up, exactly; an e-mail that was not sent', async () => {
    const item = (unitPrice: string, quantity: string) => ({
      name: 'x',
      unitPrice,
      quantity: new LosslessNumber(quantity),
    });
    const items = (...lines: JsonObject[]) => ({ meta: { items: lines } });
    await save(database, [
      reading('invoice', invoice('w1', items(item('8.333333333333333333', '3'))), 10),
      reading('invoice', invoice('w2', items(item('10.00', '2'), item('5', '1'))), 10),
      reading('invoice', invoice('w3', { emailDelivery: { sent: false, error: 'mailbox full' } }), 10),
    ]);
    await check();
    expect(await breakOf('w1', 'invoice_items_sum')).toMatchObject({
      status: 'open',
      evidence: { amount: { ours: '24.999999999999999999', theirs: '25.00' } },
    });
    expect(await breaksOf('w2')).toEqual([]);
    expect(await breakOf('w3', 'invoice_email_failed')).toMatchObject({ evidence: { error: 'mailbox full' } });
  });
});

test('refunds of more than the net are critical; a failed one gives nothing back', async () => {
  await save(database, [
    reading('payment_intent', paidIntent('r1', 'pr1'), 10),
    reading('payout', payout('r1a', { paymentIntentId: 'r1', amount: '20', status: 'confirmed' }), 10),
    reading('payout', payout('r1b', { paymentIntentId: 'r1', amount: '5.84', status: 'pending' }), 10),
  ]);
  await check();
  expect(await breakOf('r1', 'refund_exceeds_net')).toMatchObject({
    severity: 'critical',
    evidence: { amountNetMerchant: { ours: '25.84', theirs: '25.839' } },
  });
  await save(database, [
    reading('payout', payout('r1b', { paymentIntentId: 'r1', amount: '5.84', status: 'failed' }), 20),
  ]);
  await check();
  expect(await breaksOf('r1')).toEqual([]);
});

test('a screening that holds a collected payment for longer than an hour', async () => {
  const held = { kytStatus: 'Manual Review', createdAt: '2026-03-01T00:50:00.000Z' };
  await save(database, [
    reading('payment_intent', paidIntent('k1', 'pk1'), 10),
    reading('payin', payin('pk1', 'k1', held), 10),
  ]);
  await check();
  expect(await breaksOf('pk1')).toEqual([]);
  await later(51 * MINUTE);
  expect(await breakOf('pk1', 'kyt_hold')).toMatchObject({ status: 'open', evidence: { verdict: 'pending' } });
  await save(database, [reading('payin', payin('pk1', 'k1'), 2 * HOUR)]);
  await check();
  expect(await breaksOf('pk1')).toEqual([]);
});

test('what is open and not read for a day is stale; a reading ends it, though it shows nothing new', async () => {
  const open = (second: number) => reading('payment_intent', intent('s1', { expiresAt: null }), second);
  await save(database, [open(HOUR)]);
  await check();
  await later(20 * HOUR);
  await save(database, [open(10 * HOUR)]);
  await later(10 * HOUR);
  expect(await breaksOf('s1')).toEqual([]);
  await later(5 * HOUR);
  // Nothing was read meanwhile, so it is no record's doing.
  expect(await breaksOf('s1')).toEqual([]);
  await ran(34 * HOUR);
  await later(HOUR);
  expect(await breakOf('s1', 'stale_record')).toMatchObject({
    status: 'open',
    evidence: { reason: 'not_read', readAt: new Date(at(10 * HOUR)).toISOString() },
  });
  await save(database, [open(37 * HOUR)]);
  await later(HOUR);
  expect(await breaksOf('s1')).toEqual([]);
  await save(database, [claim('payment_intent', 's1', { status: 'confirming' }, 38 * HOUR)]);
  await ran(60 * HOUR);
  await later(25 * HOUR);
  expect(await breaksOf('s1')).toEqual(['stale_record']);
});

test('a payment that the service still shows as waiting two days after it ended', async () => {
  const waiting = (second: number) =>
    reading('payment_intent', intent('s2', { expiresAt: '2026-03-01T02:00:00.000Z' }), second);
  await save(database, [waiting(HOUR)]);
  await check();
  for (const hours of [12, 24, 36, 48]) {
    await save(database, [waiting(hours * HOUR)]);
    await later(12 * HOUR);
  }
  expect(await breaksOf('s2')).toEqual([]);
  await save(database, [waiting(50 * HOUR)]);
  await later(2 * HOUR);
  expect((await breakOf('s2', 'stale_record'))?.evidence).toMatchObject({ reason: 'not_ended' });
});

test('what adds up for twenty payments in a row is an identity of the account; then what does not is a break', async () => {
  const many = Array.from({ length: 20 }, (_, index) => `f${index}`);
  const odd = { amountNetMerchant: '25' };
  await save(database, [reading('payment_intent', paidIntent('odd1', 'podd1', odd), 10)]);
  await check();
  expect(await breaksOf('odd1')).toEqual([]);
  await save(
    database,
    many.map((id) => reading('payment_intent', paidIntent(id, `p${id}`), 10)),
  );
  await check();
  await save(database, [reading('payment_intent', paidIntent('odd2', 'podd2', odd), 20)]);
  await check();
  expect(await breakOf('odd2', 'fee_identity')).toMatchObject({
    status: 'open',
    evidence: { 'amountNetMerchant (intent_net)': { ours: '25.839', theirs: '25' } },
  });
  expect(await breaksOf('odd1')).toEqual([]);
  const old = { ...odd, createdAt: '2025-05-01T00:00:00Z' };
  await save(database, [reading('payment_intent', paidIntent('odd3', 'podd3', old), 20)]);
  await check();
  expect(await breaksOf('odd3')).toEqual([]);
});

test('a deposit that two payments list is critical', async () => {
  await save(database, [
    reading('payment_intent', paidIntent('l1', 'pl'), 10),
    reading('payment_intent', paidIntent('l2', 'pl'), 10),
    reading('payin', payin('pl', 'l1'), 10),
  ]);
  await check();
  expect(await breakOf('pl#paymentIntentId', 'contract_violation')).toMatchObject({
    severity: 'critical',
    evidence: { paymentIntentId: { ours: ['l1', 'l2'], theirs: 'l1' } },
  });
});

test('an open dispute that the filter irregular does not list', async () => {
  const disputed = (id: string, second: number) =>
    reading('payment_intent', paidIntent(id, `p${id}`, { irregularStatus: 'pending_decision' }), second);
  const listing = (from: number, ids: string[]) =>
    database.db.transaction((trx) =>
      saveFilterListing(trx, 'payment_intent', 'irregular', { from: at(from), to: at(from + 5), ids: new Set(ids) }),
    );
  await save(database, [disputed('d1', 10), disputed('d2', 10)]);
  await listing(20, ['d2']);
  await check();
  // Nothing has read it since the filter was: it may have been decided by then.
  expect(await breaksOf('d1')).toEqual([]);
  await save(database, [disputed('d1', 40), disputed('d2', 40)]);
  await listing(30, ['d2']);
  await check();
  expect(await breaksOf('d1')).toEqual(['dispute_outside_irregular']);
  expect(await breaksOf('d2')).toEqual([]);
  await save(database, [reading('payment_intent', paidIntent('d1', 'pd1', { irregularStatus: 'encashed' }), 50)]);
  await check();
  expect(await breaksOf('d1')).toEqual([]);
});

test('history that does not change is never a break; what happens to it since is', async () => {
  const old = { createdAt: '2025-05-01T00:00:00Z' };
  const refund = (id: string, fields: JsonObject) =>
    payout(id, { paymentIntentId: 'h1', status: 'confirmed', ...fields });
  await save(database, [
    reading('payment_intent', paidIntent('h1', 'ph1', old), 10),
    reading('payout', refund('h1a', { ...old, amount: '26' }), 10),
    reading('payin', payin('ph1', 'h1', { ...old, kytStatus: 'blocked' }), 10),
    reading('invoice', invoice('h2', { ...old, status: 'paid', paymentIntentId: null }), 10),
  ]);
  await later(2 * HOUR);
  for (const id of ['h1', 'ph1', 'h2']) expect(await breaksOf(id)).toEqual([]);
  await save(database, [reading('payout', refund('h1b', { amount: '0.1' }), 20)]);
  await check();
  expect(await breaksOf('h1')).toEqual(['refund_exceeds_net']);
  await save(database, [reading('payin', payin('ph1', 'h1', { ...old, kytStatus: 'under review' }), 3 * HOUR)]);
  await check();
  expect(await breaksOf('ph1')).toEqual([]);
  await later(2 * HOUR);
  expect(await breaksOf('ph1')).toEqual(['kyt_hold']);
});

test('what a person closed is not opened again for the same, but for something new', async () => {
  const refund = (amount: string, second: number) =>
    save(database, [reading('payout', payout('c1a', { paymentIntentId: 'c1', amount, status: 'confirmed' }), second)]);
  await save(database, [reading('payment_intent', paidIntent('c1', 'pc1'), 10)]);
  await refund('26', 10);
  await check();
  const first = await breakOf('c1', 'refund_exceeds_net');
  await decideBreak(database.db, first?.id ?? '', 'write_off', { actor: 'Ada', note: 'goodwill' });
  await save(database, [reading('payment_intent', paidIntent('c1', 'pc1', { returnUrl: null }), 20)]);
  await check();
  await crossCheckAll({ db: database.db, now: () => new Date(clock), adoptedAt: context.adoptedAt }, 'payment-intents');
  expect(await breaksOf('c1')).toEqual([]);
  await refund('27', 30);
  await check();
  expect(await breaksOf('c1')).toEqual(['refund_exceeds_net']);
});

test('two at once open one break, and the same again changes nothing', async () => {
  await register('order-t1', '20.00');
  await save(database, [reading('payment_intent', paidIntent('t1', 'pt1'), 10)]);
  const reports = await Promise.all([check(), check(), check()]);
  expect(reports.reduce((sum, { opened }) => sum + opened, 0)).toBe(1);
  expect(await breaksOf('order-t1')).toEqual(['order_overpaid']);
  const before = await database.db('break_steps').count();
  expect(await check()).toEqual({ checked: 0, opened: 0, resolved: 0 });
  expect(await database.db('break_steps').count()).toEqual(before);
});

test('where nothing changed nothing is scanned, and where little did, little is', async () => {
  const shop = await createTestDatabase();
  try {
    const many = Array.from({ length: 1500 }, (_, index) => `e${index}`);
    await save(
      shop,
      many.flatMap((id) => [
        reading('payment_intent', paidIntent(id, `p${id}`), 10),
        reading('payin', payin(`p${id}`, id), 10),
        reading('payment_intent', intent(`open-${id}`), 10),
      ]),
    );
    const once = () => crossCheck({ db: shop.db, now: () => new Date(at(HOUR)), adoptedAt: context.adoptedAt });
    await once();
    await shop.db.raw('ANALYZE');
    const scans = async () => {
      await shop.db.raw('SELECT pg_stat_force_next_flush()');
      const { rows } = await shop.db.raw<{ rows: { name: string; scans: string }[] }>(
        `SELECT relname AS name, seq_scan AS scans FROM pg_stat_user_tables
         WHERE relname IN ('changes', 'payment_intents', 'payins', 'orders', 'check_agenda') ORDER BY relname`,
      );
      return rows;
    };
    await shop.db.raw('SELECT pg_stat_force_next_flush()');
    const before = await scans();
    expect(await once()).toEqual({ checked: 0, opened: 0, resolved: 0 });
    expect(await scans()).toEqual(before);
    await save(shop, [reading('payment_intent', paidIntent('e7', 'pe7', { returnUrl: null }), 20)]);
    const saved = await scans();
    expect(await once()).toMatchObject({ checked: 1 });
    expect(await scans()).toEqual(saved);
  } finally {
    await shop.drop();
  }
});
