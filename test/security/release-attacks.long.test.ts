import { afterEach, describe, expect, test } from 'vitest';
import { DRILL_MS, until } from '../support/drill.js';
import type { Fields } from '../support/site/read-api.js';
import { ASSET, attackedSite, DESTINATION } from './attacked-site.js';

/** In which a call of our own is known, whichever process made it. */
const OWN_CALL_MS = 60_000;
/** In which the match follows what was saved. */
const MATCHED_MS = 20_000;
const REFUNDED = ['refunded', 'partially_refunded', 'refund_in_progress', 'refund_unlinked'];

const at = attackedSite({
  before: ({ control }) => {
    for (const merchantReference of ['8-old', '8-left'])
      control.pay(control.createPayment({ amount: '100', currency: ASSET, merchantReference }));
  },
});

/** At once: none knows of another’s records. */
describe.concurrent('what an attacker with one signing secret says', { timeout: DRILL_MS }, () => {
  test('case 1: a real paid invoice gets a reference that was made up', async () => {
    const invoice = await at.site.call('/v1/invoices', {
      customerEmail: 'b@example.com',
      amount: '40',
      currency: 'USD',
    });
    await at.site.call(`/sandbox/invoices/${String(invoice['id'])}/pay`, {});
    const paid = (await at.site.api.list(`invoices?take=50`)).find(({ id }) => id === invoice['id']);
    await at.site.report('invoice.paid', { ...invoice, ...paid, status: 'paid', merchantReference: '1-made-up' });
    await at.orders.wasNeverSafe('1-made-up');
  });

  test('case 10: a pending refund is said to have failed', async () => {
    const payments = ['10-own', '10-dashboard'].map((reference) => at.pay(reference));
    await Promise.all([at.orders.becomesSafe('10-own'), at.orders.becomesSafe('10-dashboard')]);
    const own = await at.refundByOwnCall(payments[0]!);
    const atDashboard = await at.refundAtDashboard(payments[1]!);
    await at.orders.becomesHeld('10-own', ['refund_in_progress']);
    await at.orders.becomesHeld('10-dashboard', ['refund_unlinked', 'refund_in_progress']);
    await at.site.quiet();
    const since = [await at.orders.place('10-own'), await at.orders.place('10-dashboard')];
    for (const id of [own, atDashboard]) {
      await at.site.report('payout.failed', { id, status: 'failed', failureReason: 'no' });
      await at.site.report(
        'payout.failed',
        { id, status: 'failed', failureReason: 'no', payoutType: 'withdrawal' },
        59,
      );
    }
    await Promise.all(['10-own', '10-dashboard'].map((one, n) => at.orders.wasNeverSafe(one, since[n])));
  });

  test('case 10: an invoice of 500 is said to be cancelled, 10 were paid', async () => {
    const invoice = await at.invoiceByOwnCall('10-invoice', '500');
    await at.site.quiet();
    const small = at.site.sandbox.control.createPayment({
      amount: '10',
      currency: 'USD',
      merchantReference: '10-invoice',
    });
    at.site.sandbox.control.pay(small);
    await at.orders.becomesHeld('10-invoice', ['underpaid', 'awaiting_payment']);
    await at.site.report('invoice.cancelled', { id: invoice, status: 'cancelled', amount: '10', currency: 'USD' });
    await at.site.report('invoice.expired', { id: invoice, status: 'expired' }, 59);
    await at.orders.wasNeverSafe('10-invoice');
  });
});

describe.concurrent('what the service itself shows', { timeout: DRILL_MS }, () => {
  test('case 2: a refund by our library in a process of the shop is known within a minute', async () => {
    const payment = at.pay('2-library');
    await at.orders.becomesSafe('2-library');
    const { data } = await at.site.shop.createRefund({ paymentIntentId: payment, destinationAddress: DESTINATION });
    await at.orders.becomesHeld('2-library', REFUNDED);
    const since = await at.orders.place('2-library');
    at.advance(data.id, 'approve', 'broadcast', 'confirm');
    const isLinked = async () => {
      const order = await at.site.api.order('2-library');
      return (order?.status === 'refunded' && order.refunds.includes(data.id)) || order;
    };
    await until('its refund stands in the order', isLinked, { timeoutMs: OWN_CALL_MS });
    await at.orders.wasNeverSafe('2-library', since);
  });

  test('case 8: an order that was paid before adoption says so, and registering it releases it', async () => {
    await at.orders.becomesHeld('8-old', ['before_adoption']);
    await at.orders.becomesHeld('8-left', ['before_adoption']);
    const { status } = await at.site.api.send('PUT', 'orders/8-old', { amount: '100', currency: ASSET });
    expect(status).toBe(201);
    await at.orders.becomesSafe('8-old');
    await at.orders.wasNeverSafe('8-left');
  });

  test('case 11: 10 were paid, a second request of 500 is open', async () => {
    at.request('11-open', '500');
    at.pay('11-open', '10');
    await at.orders.wasNeverSafe('11-open');
  });
});

describe.concurrent('what the service shows otherwise than it was', { timeout: DRILL_MS }, () => {
  test('case 7: a payment without requestedCurrencyType is one row of the match', async () => {
    at.looks.push(({ requestedCurrencyType, ...record }) =>
      record['merchantReference'] === '7-type'
        ? record
        : { ...record, ...(requestedCurrencyType && { requestedCurrencyType }) },
    );
    at.site.sandbox.control.pay(at.request('7-type', '100', 'USDT'));
    await at.orders.becomesSafe('7-type');
    const isOneRow = async () => {
      const found = await at.site.api.list<{ id: string; amounts: { asked: string; paid: string }[] }>(
        'match?take=100',
      );
      const amounts = found.find(({ id }) => id === '7-type')?.amounts;
      const [row] = amounts?.length === 1 ? amounts : [];
      return (row?.asked === '100' && row.paid === '100') || amounts;
    };
    await until('it is matched in one row', isOneRow, { timeoutMs: MATCHED_MS });
  });

  test('case 7: two payments that name one refund mean the same, whichever comes first', async () => {
    const { control } = at.site.sandbox;
    const namedBy = new Map<string, string>();
    const pairs = ['small', 'large', 'small', 'large', 'small', 'large'].map((first, n) => {
      const make = (size: string) => at.pay(`7-${size}-${n}`, size === 'small' ? '60' : '200');
      const one = make(first);
      const two = make(first === 'small' ? 'large' : 'small');
      return first === 'small' ? { small: one, large: two } : { small: two, large: one };
    });
    for (const { small, large } of pairs) {
      control.dispute(large, '100');
      control.decide(large, 'refund');
      namedBy.set(small, String(control.paymentIntent(large)?.['irregularRefundPayoutId']));
    }
    at.looks.push((record) => {
      const named = namedBy.get(record['id'] as string);
      return named === undefined ? record : { ...record, irregularRefundPayoutId: named };
    });
    await at.site.quiet();
    await at.site.quiet();
    const breaks = await at.site.api.list<{ entity: { id: string } }>('breaks?kind=refund_exceeds_net&take=100');
    const broken = new Set(breaks.map(({ entity }) => entity.id));
    // Counted once, with the first of the two by id: it exceeds the small one, and not the large one.
    for (const { small, large } of pairs)
      expect([broken.has(small), broken.has(large)]).toEqual([small < large, false]);
  });

  test('case 11: a payin whose kytStatus is null waits for its word', async () => {
    at.pay('11-others');
    await at.orders.becomesSafe('11-others');
    const payment = at.request('11-kyt');
    const isOfIt = ({ paymentIntentId }: Fields) => paymentIntentId === payment;
    let isScreened = false;
    at.looks.push((record) => (isOfIt(record) && !isScreened ? { ...record, kytStatus: null } : record));
    at.site.sandbox.control.pay(payment);
    await at.orders.becomesHeld('11-kyt', ['kyt_pending']);
    await at.orders.wasNeverSafe('11-kyt');
    isScreened = true;
    await at.orders.becomesSafe('11-kyt');
  });
});

/** One after the other: each changes what the service sends. */
describe('what a person does at the dashboard', { timeout: DRILL_MS }, () => {
  afterEach(() => {
    at.site.sandbox.control.setFaults({});
  });

  test.each([false, true])(
    'case 2: a refund made at the dashboard withholds its order; link in events: %s',
    async (links) => {
      const reference = `2-dashboard-${String(links)}`;
      const payment = at.pay(reference);
      await at.orders.becomesSafe(reference);
      at.site.sandbox.control.setFaults({ links, drop: links ? 0 : 1 });
      const payout = await at.refundAtDashboard(payment);
      at.advance(payout, 'approve', 'broadcast', 'confirm');
      at.site.sandbox.control.setFaults({ drop: 0 });
      await at.orders.becomesHeld(reference, links ? REFUNDED : ['refund_unlinked']);
      await at.orders.wasNeverSafe(reference, await at.orders.place(reference));
    },
  );
});
