import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { DRILL_MS, until } from '../support/drill.js';
import { type OrderWatch, watchOrders } from '../support/site/order-watch.js';
import type { Fields } from '../support/site/read-api.js';
import { EAGER, SESSION, type Site, startSite } from '../support/site/site.js';

const ASSET = 'USDT.TRC20';
const ADDRESS = 'TXYZcustomerZrefundZaddressZ00001';
/** In which a call of our own is known, whichever process made it. */
const OWN_CALL_MS = 60_000;
/** Long before the attack: whether such a record is there needs no waiting for a list that lags. */
const LONG_AGO = new Date(Date.now() - 86_400_000).toISOString();
/** In which the match follows what was saved. */
const MATCHED_MS = 20_000;
const REFUNDED = ['refunded', 'partially_refunded', 'refund_in_progress', 'refund_unlinked'];

let site: Site;
let orders: OrderWatch;
/** How the service shows records otherwise than they are, each those of its own test. */
const looks: ((record: JsonObject) => JsonObject)[] = [];

beforeAll(async () => {
  site = await startSite({
    env: EAGER,
    before: ({ control }) => {
      for (const merchantReference of ['8-old', '8-left'])
        control.pay(control.createPayment({ amount: '100', currency: ASSET, merchantReference }));
    },
  });
  site.lens.look((record) => looks.reduce((seen, look) => look(seen), record));
  orders = watchOrders(site);
}, DRILL_MS);
afterAll(() => site?.close());

function request(merchantReference: string | undefined, amount = '100', currency = ASSET): string {
  return site.sandbox.control.createPayment({ amount, currency, merchantReference });
}

function pay(merchantReference: string | undefined, amount = '100'): string {
  const id = request(merchantReference, amount);
  site.sandbox.control.pay(id);
  return id;
}

async function advance(payout: string, ...steps: ('approve' | 'broadcast' | 'confirm')[]): Promise<void> {
  for (const step of steps) site.sandbox.control.advancePayout(payout, { step });
}

/** A refund by a person at the dashboard, whose answer we never see. */
async function refundAtDashboard(paymentIntentId: string, amount?: string): Promise<string> {
  const body = { paymentIntentId, destinationAddress: ADDRESS, totpCode: SESSION.totpCode, ...(amount && { amount }) };
  return String((await site.call('/v1/payouts/refund', body, SESSION.token))['id']);
}

const refundByOwnCall = async (paymentIntentId: string) =>
  String((await site.ownCall('createRefund', { paymentIntentId, destinationAddress: ADDRESS }))['id']);

async function invoiceByOwnCall(merchantReference: string, amount: string): Promise<string> {
  const body = { customerEmail: 'ann@example.com', customerName: 'Ann', amount, currency: 'USD', merchantReference };
  return String((await site.ownCall('createInvoice', body))['id']);
}

/** At once: none knows of another’s records. */
describe.concurrent('what an attacker with one signing secret says', { timeout: DRILL_MS }, () => {
  test('case 1: an invoice that does not exist lends one payment to five orders', async () => {
    const bait = pay(undefined);
    for (let n = 1; n <= 5; n += 1) {
      const data = { id: `inv_x${n}`, status: 'paid', merchantReference: `1-lent-${n}`, paymentIntentId: bait };
      await site.report('invoice.paid', data);
      await site.report('invoice.paid', { ...data, amount: '100', currency: ASSET, createdAt: LONG_AGO }, 1);
    }
    await Promise.all([1, 2, 3, 4, 5].map((n) => orders.wasNeverSafe(`1-lent-${n}`)));
  });

  test('case 1: a real paid invoice gets a reference that was made up', async () => {
    const invoice = await site.call('/v1/invoices', { customerEmail: 'b@example.com', amount: '40', currency: 'USD' });
    await site.call(`/sandbox/invoices/${String(invoice['id'])}/pay`, {});
    const paid = (await site.api.list(`invoices?take=50`)).find(({ id }) => id === invoice['id']);
    await site.report('invoice.paid', { ...invoice, ...paid, status: 'paid', merchantReference: '1-made-up' });
    await orders.wasNeverSafe('1-made-up');
  });

  test('case 3: a confirmed refund is said to be of another payment', async () => {
    const [mine, other] = [pay('3-refunded'), pay('3-other')];
    await Promise.all([orders.becomesSafe('3-refunded'), orders.becomesSafe('3-other')]);
    const payout = await refundByOwnCall(mine);
    await advance(payout, 'approve', 'broadcast', 'confirm');
    await orders.becomesHeld('3-refunded', ['refunded']);
    const since = await orders.place('3-refunded');
    const data = { id: payout, status: 'confirmed', payoutType: 'refund', amount: '99', assetCode: ASSET };
    await site.report('payout.confirmed', { ...data, paymentIntentId: other, merchantReference: '3-other' });
    await orders.wasNeverSafe('3-refunded', since);
    expect(await site.api.order('3-refunded')).toMatchObject({ status: 'refunded', refunds: [payout] });
    await orders.becomesSafe('3-other');
    expect(await site.api.order('3-other')).toMatchObject({ status: 'paid', refunds: [] });
  });

  test('case 4: an address, a memo, metadata and an amount to send are never shown as if a poll showed them', async () => {
    const id = request('4-checkout');
    const evil = { depositAddress: 'TATTACKER', memo: '666', metadata: { pay: 'TATTACKER' }, amountToSend: '0.01' };
    await site.report('payment_intent.pending', { id, status: 'pending', merchantReference: '4-checkout', ...evil });
    await site.quiet();
    const { reported, ...shown } = (await site.api.get<Fields>(`payment-intents/${id}`)) ?? {};
    expect(shown).toMatchObject({ verified: true, merchantReference: '4-checkout' });
    expect(JSON.stringify(shown)).not.toContain('TATTACKER');
    expect(shown['memo'] ?? null).toBeNull();
    expect(shown['amountToSend'] ?? null).toBeNull();
    expect(reported).toMatchObject({ memo: '666', amountToSend: '0.01' });
  });

  test('case 4: the address that our own call was given stays what it is', async () => {
    const body = {
      requestedCoin: ASSET,
      amount: '100',
      customer: { email: 'c@example.com' },
      merchantReference: '4-own',
    };
    const { id, depositAddress } = await site.ownCall('createDirectPayment', body);
    const evil = { id, status: 'pending', depositAddress: 'TATTACKER', amountToSend: '0.01' };
    await site.report('payment_intent.pending', evil);
    await site.report('payment_intent.confirming', { ...evil, status: 'confirming' }, 59);
    await site.quiet();
    const { reported: _reported, ...shown } = (await site.api.get<Fields>(`payment-intents/${String(id)}`)) ?? {};
    expect(shown).toMatchObject({ depositAddress, amountToSend: '100' });
    expect(JSON.stringify(shown)).not.toContain('TATTACKER');
  });

  test('case 5: a deposit that was made up withholds a paid order for good', async () => {
    const payment = pay('5-withheld');
    await orders.becomesSafe('5-withheld');
    const made = { id: 'payin_made_up', status: 'confirming', paymentIntentId: payment, assetCode: ASSET };
    await site.report('payin.confirmed', { ...made, amountGross: '1', kytStatus: 'pending', createdAt: LONG_AGO });
    const completed = { id: payment, status: 'completed', payins: [{ id: 'payin_made_2' }] };
    await site.report('payment_intent.completed', completed);
    await site.quiet();
    await orders.becomesSafe('5-withheld');
  });

  test('case 10: a pending refund is said to have failed', async () => {
    const payments = ['10-own', '10-dashboard'].map((reference) => pay(reference));
    await Promise.all([orders.becomesSafe('10-own'), orders.becomesSafe('10-dashboard')]);
    const own = await refundByOwnCall(payments[0]!);
    const atDashboard = await refundAtDashboard(payments[1]!);
    await orders.becomesHeld('10-own', ['refund_in_progress']);
    await orders.becomesHeld('10-dashboard', ['refund_unlinked', 'refund_in_progress']);
    await site.quiet();
    const since = [await orders.place('10-own'), await orders.place('10-dashboard')];
    for (const id of [own, atDashboard]) {
      await site.report('payout.failed', { id, status: 'failed', failureReason: 'no' });
      await site.report('payout.failed', { id, status: 'failed', failureReason: 'no', payoutType: 'withdrawal' }, 59);
    }
    await Promise.all(['10-own', '10-dashboard'].map((one, n) => orders.wasNeverSafe(one, since[n])));
  });

  test('case 10: an invoice of 500 is said to be cancelled, 10 were paid', async () => {
    const invoice = await invoiceByOwnCall('10-invoice', '500');
    await site.quiet();
    const small = site.sandbox.control.createPayment({
      amount: '10',
      currency: 'USD',
      merchantReference: '10-invoice',
    });
    site.sandbox.control.pay(small);
    await orders.becomesHeld('10-invoice', ['underpaid', 'awaiting_payment']);
    await site.report('invoice.cancelled', { id: invoice, status: 'cancelled', amount: '10', currency: 'USD' });
    await site.report('invoice.expired', { id: invoice, status: 'expired' }, 59);
    await orders.wasNeverSafe('10-invoice');
  });

  test('case 12: an unknown payment under the reference of a proven order is said to be in dispute', async () => {
    pay('12-proven');
    await orders.becomesSafe('12-proven');
    const since = await orders.place('12-proven');
    const data = { status: 'completed', irregularStatus: 'pending_decision', merchantReference: '12-proven' };
    await site.report('payment_intent.dispute_opened', { id: 'pi_unknown', ...data, createdAt: LONG_AGO });
    await orders.wasAlwaysSafe('12-proven', since);
  });
});

describe.concurrent('what the service itself shows', { timeout: DRILL_MS }, () => {
  test('case 2: a refund by our library in a process of the shop is known within a minute', async () => {
    const payment = pay('2-library');
    await orders.becomesSafe('2-library');
    const { data } = await site.shop.createRefund({ paymentIntentId: payment, destinationAddress: ADDRESS });
    await orders.becomesHeld('2-library', REFUNDED);
    const since = await orders.place('2-library');
    await advance(data.id, 'approve', 'broadcast', 'confirm');
    const isLinked = async () => {
      const order = await site.api.order('2-library');
      return (order?.status === 'refunded' && order.refunds.includes(data.id)) || order;
    };
    await until('its refund stands in the order', isLinked, { timeoutMs: OWN_CALL_MS });
    await orders.wasNeverSafe('2-library', since);
  });

  test('case 8: an order that was paid before adoption says so, and registering it releases it', async () => {
    await orders.becomesHeld('8-old', ['before_adoption']);
    await orders.becomesHeld('8-left', ['before_adoption']);
    const { status } = await site.api.send('PUT', 'orders/8-old', { amount: '100', currency: ASSET });
    expect(status).toBe(201);
    await orders.becomesSafe('8-old');
    await orders.wasNeverSafe('8-left');
  });

  test('case 11: 10 were paid, a second request of 500 is open', async () => {
    request('11-open', '500');
    pay('11-open', '10');
    await orders.wasNeverSafe('11-open');
  });
});

describe.concurrent('what the service shows otherwise than it was', { timeout: DRILL_MS }, () => {
  test('case 7: a payment without requestedCurrencyType is one row of the match', async () => {
    looks.push(({ requestedCurrencyType, ...record }) =>
      record['merchantReference'] === '7-type'
        ? record
        : { ...record, ...(requestedCurrencyType && { requestedCurrencyType }) },
    );
    site.sandbox.control.pay(request('7-type', '100', 'USDT'));
    await orders.becomesSafe('7-type');
    const isOneRow = async () => {
      const found = await site.api.list<{ id: string; amounts: { asked: string; paid: string }[] }>('match?take=100');
      const amounts = found.find(({ id }) => id === '7-type')?.amounts;
      const [row] = amounts?.length === 1 ? amounts : [];
      return (row?.asked === '100' && row.paid === '100') || amounts;
    };
    await until('it is matched in one row', isOneRow, { timeoutMs: MATCHED_MS });
  });

  test('case 7: two payments that name one refund mean the same, whichever comes first', async () => {
    const { control } = site.sandbox;
    const namedBy = new Map<string, string>();
    const pairs = ['small', 'large', 'small', 'large', 'small', 'large'].map((first, n) => {
      const make = (size: string) => pay(`7-${size}-${n}`, size === 'small' ? '60' : '200');
      const one = make(first);
      const two = make(first === 'small' ? 'large' : 'small');
      return first === 'small' ? { small: one, large: two } : { small: two, large: one };
    });
    for (const { small, large } of pairs) {
      control.dispute(large, '100');
      control.decide(large, 'refund');
      namedBy.set(small, String(control.paymentIntent(large)?.['irregularRefundPayoutId']));
    }
    looks.push((record) => {
      const named = namedBy.get(record['id'] as string);
      return named === undefined ? record : { ...record, irregularRefundPayoutId: named };
    });
    await site.quiet();
    await site.quiet();
    const breaks = await site.api.list<{ entity: { id: string } }>('breaks?kind=refund_exceeds_net&take=100');
    const broken = new Set(breaks.map(({ entity }) => entity.id));
    // Counted once, with the first of the two by id: it exceeds the small one, and not the large one.
    for (const { small, large } of pairs)
      expect([broken.has(small), broken.has(large)]).toEqual([small < large, false]);
  });

  test('case 11: a deposit whose kytStatus is null waits for its word', async () => {
    pay('11-others');
    await orders.becomesSafe('11-others');
    const payment = request('11-kyt');
    const isOfIt = ({ paymentIntentId }: Fields) => paymentIntentId === payment;
    let isScreened = false;
    looks.push((record) => (isOfIt(record) && !isScreened ? { ...record, kytStatus: null } : record));
    site.sandbox.control.pay(payment);
    await orders.becomesHeld('11-kyt', ['kyt_pending']);
    await orders.wasNeverSafe('11-kyt');
    isScreened = true;
    await orders.becomesSafe('11-kyt');
  });
});

/** One after the other: each changes what the service sends. */
describe('what a person does at the dashboard', { timeout: DRILL_MS }, () => {
  afterEach(() => {
    site.sandbox.control.setFaults({});
  });

  test.each([false, true])(
    'case 2: a refund made at the dashboard withholds its order; link in events: %s',
    async (links) => {
      const reference = `2-dashboard-${String(links)}`;
      const payment = pay(reference);
      await orders.becomesSafe(reference);
      site.sandbox.control.setFaults({ links, drop: links ? 0 : 1 });
      const payout = await refundAtDashboard(payment);
      await advance(payout, 'approve', 'broadcast', 'confirm');
      site.sandbox.control.setFaults({ drop: 0 });
      await orders.becomesHeld(reference, links ? REFUNDED : ['refund_unlinked']);
      await orders.wasNeverSafe(reference, await orders.place(reference));
    },
  );
});
