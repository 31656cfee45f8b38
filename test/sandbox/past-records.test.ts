import { describe, expect, it } from 'vitest';
import { amountOf } from '../../src/sandbox/base/money.js';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.js';
import { openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

const COUNT = process.env.TALLYHOOK_LONG ? 20_000 : 500;
/** With so few payments not every past holds each state that a record may have. */
const SEED = 60;

interface Past {
  sandbox: TestSandbox;
  intents: Row[];
  invoices: Row[];
  payouts: Row[];
  products: Row[];
}

async function past(options: SandboxOptions = {}): Promise<Past> {
  const sandbox = await openSandbox({ payments: COUNT, seed: SEED, ...options });
  sandbox.control.setFaults({ links: true });
  interface Truth extends Record<'invoices' | 'payouts' | 'products', Row[]> {
    paymentIntents: Row[];
  }
  const { body } = await sandbox.call<Truth>('GET', '/sandbox/truth');
  const { paymentIntents: intents, invoices, payouts, products } = body;
  return { sandbox, intents, invoices, payouts, products };
}

/** One for all who only read its records: its sandbox ends with the first of them. */
let kept: Promise<Past> | undefined;
const untouched = (): Promise<Past> => (kept ??= past());

const at = (time: unknown): number => Date.parse(String(time));
const byId = (rows: Row[]): Map<unknown, Row> => new Map(rows.map((row) => [row.id, row]));

describe('past invoices', () => {
  it('are twelve for a hundred payments, or as many as asked for, newest first', async () => {
    expect((await untouched()).invoices).toHaveLength(COUNT * 0.12);
    const { invoices, sandbox } = await past({ payments: 200, invoices: 133 });
    expect(invoices).toHaveLength(133);
    const times = invoices.map(({ createdAt }) => at(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(times[0]).toBeLessThan(sandbox.control.now() - 60_000);
    const [shown] = (await sandbox.call<Row[]>('GET', '/v1/invoices?take=1')).body;
    expect(shown).toEqual(invoices[0]);
    expect((await past({ payments: 0, invoices: 50 })).invoices).toHaveLength(50);
  });

  it('are there for each payment that came from one, and name the payment that paid them', async () => {
    const { intents, invoices } = await untouched();
    const invoiceOf = byId(invoices);
    const fromInvoice = intents.filter(({ invoiceId }) => invoiceId !== null);
    expect(fromInvoice.length).toBeGreaterThan(COUNT / 15);
    for (const intent of fromInvoice) {
      const invoice = invoiceOf.get(intent.invoiceId);
      const paid = intent.status === 'completed';
      expect(invoice).toMatchObject({ amount: intent.amountRequested, currency: intent.currencyRequested });
      expect([invoice?.status === 'paid', invoice?.paymentIntentId]).toEqual([paid, paid ? intent.id : null]);
    }
    const paid = invoices.filter(({ status }) => status === 'paid');
    expect(new Set(paid.map(({ paymentIntentId }) => paymentIntentId)).size).toBe(paid.length);
    const states = new Set(invoices.map(({ status }) => status));
    expect(states).toEqual(new Set(['draft', 'sent', 'paid', 'expired', 'cancelled']));
  });

  it('have items that sum up to the amount, deadlines that fit their state, and none without invoices', async () => {
    const { sandbox, invoices } = await untouched();
    for (const { meta, amount, status, expiresAt } of invoices) {
      const items = meta === null ? [] : rowsOf(meta as Row, 'items');
      const sum = items.reduce(
        (total, one) => total + BigInt(Number(one.quantity)) * amountOf(String(one.unitPrice)),
        0n,
      );
      if (items.length > 0) expect(sum).toBe(amountOf(String(amount)));
      if (status === 'expired') expect(at(expiresAt)).toBeLessThanOrEqual(sandbox.control.now());
      if (status === 'sent') expect(at(expiresAt)).toBeGreaterThan(sandbox.control.now());
    }
    const none = await past({ payments: 200, invoices: 0 });
    expect(none.invoices).toEqual([]);
    expect(none.intents.filter(({ invoiceId, source }) => invoiceId !== null || source === 'invoice')).toEqual([]);
  });

  it('still open can be paid, or expire by the clock', async () => {
    const { sandbox, invoices } = await past({ payments: 200, invoices: 400 });
    const open = invoices.filter(({ status }) => status === 'sent');
    const [first, ...others] = open;
    const paid = await sandbox.call('POST', `/sandbox/invoices/${first?.id}/pay`, { assetCode: 'USDT.TRC20' });
    expect([paid.status, paid.body.status]).toEqual([200, 'paid']);
    sandbox.control.advance(100 * 86_400);
    const { body } = await sandbox.call<{ invoices: Row[] }>('GET', '/sandbox/truth');
    const now = byId(body.invoices);
    expect(others.length).toBeGreaterThan(5);
    expect(new Set(others.map(({ id }) => now.get(id)?.status))).toEqual(new Set(['expired']));
  });
});

describe('past payouts', () => {
  it('are six for a hundred payments, or as many as asked for, newest first', async () => {
    const { payouts, sandbox } = await untouched();
    expect(payouts).toHaveLength(COUNT * 0.06);
    const times = payouts.map(({ createdAt }) => at(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    for (const { updatedAt } of payouts) expect(at(updatedAt)).toBeLessThan(sandbox.control.now());
    expect((await past({ payments: 200, payouts: 90 })).payouts).toHaveLength(90);
    expect((await past({ payments: 0, payouts: 80 })).payouts).toHaveLength(80);
    const none = await past({ payments: 200, payouts: 0 });
    expect(none.payouts).toEqual([]);
    expect(none.intents.filter(({ irregularRefundPayoutId: id }) => id !== null)).toEqual([]);
  });

  it('gave payments back: what a dispute decided, and what was collected, once each and never more than its net', async () => {
    const { intents, payouts } = await untouched();
    const refunds = payouts.filter(({ payoutType }) => payoutType === 'refund');
    const intentOf = byId(intents);
    const decided = intents.map(({ irregularRefundPayoutId: id }) => id).filter((id) => id !== null);
    const own = refunds.filter(({ id }) => !decided.includes(id));
    expect(refunds.length - own.length).toBe(decided.length);
    expect(own.length).toBeGreaterThan(COUNT / 150);
    expect(new Set(refunds.map(({ paymentIntentId }) => paymentIntentId)).size).toBe(refunds.length);
    for (const refund of refunds) {
      const intent = intentOf.get(refund.paymentIntentId);
      expect(refund).toMatchObject({ assetCode: intent?.assetCode, merchantReference: intent?.merchantReference });
      expect(at(refund.createdAt)).toBeGreaterThan(at(intent?.createdAt));
    }
    for (const refund of own) {
      const intent = intentOf.get(refund.paymentIntentId);
      expect([intent?.status, intent?.irregularStatus]).toEqual(['completed', 'none']);
      expect(amountOf(String(refund.amount))).toBeLessThanOrEqual(amountOf(String(intent?.amountNetMerchant)));
    }
  });

  it('keep to the facts of their states', async () => {
    const { payouts } = await past({ payments: 200, payouts: 600 });
    const states = new Set(payouts.map(({ status }) => status));
    expect(states).toEqual(new Set(['pending', 'under_review', 'approved', 'broadcast', 'confirmed', 'failed']));
    for (const payout of payouts) {
      const { status, txid, networkFeeAmount, networkFeeUsdEquivalent, failureReason, destinationType } = payout;
      const sent = status === 'broadcast' || status === 'confirmed';
      if (!sent || destinationType !== 'blockchain') expect([txid, networkFeeAmount]).toEqual([null, null]);
      expect(networkFeeUsdEquivalent !== null).toBe(status === 'confirmed' && txid !== null);
      expect(failureReason !== null).toBe(status === 'failed' || status === 'under_review');
      expect(payout.destinationMemo !== null).toBe(
        payout.assetCode === 'XRP.XRPL' && payout.payoutType === 'withdrawal',
      );
      const history = rowsOf(payout, 'statusHistory');
      expect([history[0]?.status, history.at(-1)?.status]).toEqual(['pending', status]);
      expect(history.at(-1)?.timestamp).toBe(payout.updatedAt);
    }
    const byHand = payouts.filter(
      (one) => one.status === 'confirmed' && one.payoutType === 'withdrawal' && one.txid === null,
    );
    expect(byHand.length).toBeGreaterThan(0);
    expect(payouts.filter(({ payoutType }) => payoutType === 'internal_transfer').length).toBeGreaterThan(5);
  });

  it('under way at the start freeze what they will debit, and go on', async () => {
    const { sandbox, payouts } = await past({ payments: 200, payouts: 200, payoutStepSeconds: 10 });
    const open = payouts.filter(({ status }) => !['confirmed', 'failed'].includes(String(status)));
    expect(open).toHaveLength(6);
    for (const { assetCode } of open) {
      const { body } = await sandbox.call('GET', `/v1/wallet/balances/${String(assetCode)}`);
      expect(body.frozen).not.toBe('0');
    }
    sandbox.control.advance(60);
    expect(sandbox.control.ledgerProblems()).toEqual([]);
    const now = open.map(({ id }) => sandbox.control.payout(id)?.['status']);
    expect(now.filter((status) => status === 'confirmed')).toHaveLength(5);
    expect(now.filter((status) => status === 'under_review')).toHaveLength(1);
  });

  it('are found when their payment is to be given back again', async () => {
    const { sandbox, payouts } = await past();
    const refund = payouts.find(({ payoutType, feeAmount }) => payoutType === 'refund' && feeAmount === '1');
    const body = { paymentIntentId: refund?.paymentIntentId };
    const again = await sandbox.call('POST', '/v1/payouts/refund', body);
    expect([again.status, again.body.id]).toEqual([200, refund?.id]);
    const other = await sandbox.call('POST', '/v1/payouts/refund', { ...body, idempotencyKey: 'k' });
    expect([other.status, other.body.code]).toEqual([409, 'ALREADY_REFUNDED']);
    expect(() => sandbox.control.dispute(String(refund?.paymentIntentId))).toThrow(/given back/);
  });
});

describe('past disputes', () => {
  it('still open are decided: encashed, or given back', async () => {
    const { sandbox, intents } = await past();
    const open = intents.filter(({ irregularStatus }) => irregularStatus === 'pending_decision');
    expect(open.length).toBeGreaterThan(1);
    const [encashed, ...givenBack] = open;
    sandbox.control.decide(String(encashed?.id), 'encash');
    for (const { id } of givenBack) sandbox.control.decide(id, 'refund');
    expect(sandbox.control.ledgerProblems()).toEqual([]);
    for (const { id } of givenBack) {
      const payoutId = String(sandbox.control.paymentIntent(id)?.['irregularRefundPayoutId']);
      for (const step of ['approve', 'broadcast', 'confirm'] as const)
        sandbox.control.advancePayout(payoutId, { step });
    }
    expect(sandbox.control.ledgerProblems()).toEqual([]);
  });
});

describe('past products', () => {
  it('are those that payments came from, at their price, with the statistics of those payments', async () => {
    const { sandbox, intents, products } = await past();
    const sold = intents.filter(({ productId }) => productId !== null);
    expect(sold.length).toBeGreaterThan(COUNT / 20);
    const productOf = byId(products);
    for (const { productId, amountRequested: amount, currencyRequested: currency } of sold) {
      expect(productOf.get(productId)).toMatchObject({ amount, currency });
    }
    const { body } = await sandbox.call('GET', `/v1/products/${products[3]?.id}/manage`);
    const own = sold.filter(({ productId }) => productId === products[3]?.id);
    const completedIntents = own.filter(({ status }) => status === 'completed').length;
    expect(body.stats).toMatchObject({ totalIntents: own.length, completedIntents });
    expect(await sandbox.list(`productId=${products[3]?.id}&take=100`)).toHaveLength(Math.min(own.length, 100));
    expect(new Set(products.map(({ permanentLinkSlug }) => permanentLinkSlug)).size).toBe(20);
    const made = await sandbox.call('POST', '/sandbox/products', { name: 'New', amount: '1', currency: 'USD' });
    expect([made.status, products.map(({ id }) => id).includes(made.body.id)]).toEqual([201, false]);
  });
});

describe('the whole past', () => {
  it('is the same for the same seed, and another for another', async () => {
    const realNow = (): number => 1_790_000_000_000;
    const records = async (seed: number): Promise<unknown> => {
      const { intents, invoices, payouts, products } = await past({ seed, payments: 100, realNow });
      return [intents, invoices, payouts, products].map((rows) => rows.map((row) => ({ ...row, paymentLink: null })));
    };
    const first = await records(7);
    expect(await records(7)).toEqual(first);
    expect(await records(8)).not.toEqual(first);
  });
});
