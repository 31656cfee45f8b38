import type { Sandbox } from '../../../src/sandbox/start-sandbox.js';
import { Random } from '../../reconcile/random.js';

type PayoutCourse = 'auto' | 'failed' | 'internal' | 'wallet';

/** What customers, the dashboard and other programs of the merchant do at the service, past Tallyhook. */
export interface Service {
  createPayment: Sandbox['control']['createPayment'];
  pay(id: string, percent: number): void;
  cancel(id: string): void;
  dispute(id: string): void;
  decide(id: string, decision: 'encash' | 'refund'): void;
  refund(paymentIntentId: string): Promise<void>;
  createInvoice(invoice: {
    amount: string;
    reference: string;
    customerEmail: string;
    expiresInSeconds: number;
  }): Promise<string>;
  payInvoice(id: string): Promise<void>;
  cancelInvoice(id: string): Promise<void>;
  createPayout(course: PayoutCourse, cents: number, reference: string): string;
  failPayout(id: string): void;
  depositToWallet(seed: number): void;
  transfer(seed: number): Promise<void>;
}

const KEY = 'sandbox-api-key';
const ASSET = 'USDT.TRC20';

/** `prefix`: of the references of its sub-wallets. */
export function createService({ url, control }: Sandbox, prefix: string): Service {
  const send = async (path: string, body: object = {}): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  let wallets: string[] | null = null;
  const walletOf = (random: Random): string => {
    wallets ??= Array.from({ length: 4 }, (_, n) =>
      control.createAccount({ label: `drill ${n}`, externalRef: `${prefix}wallet-${n}` }),
    );
    return random.pick(wallets);
  };
  const fund = (accountId: string, amount: string) => control.deposit(accountId, ASSET, amount);

  return {
    createPayment: (input) => control.createPayment(input),
    pay: (id, percent) => void control.pay(id, { percent }),
    cancel: (id) => void control.cancel(id),
    dispute: (id) => control.dispute(id),
    decide: (id, decision) => control.decide(id, decision),
    refund: async (paymentIntentId) =>
      void (await send('/v1/payouts/refund', { paymentIntentId, destinationAddress: 'TDrillRefund0001' })),
    createInvoice: async ({ amount, reference, customerEmail, expiresInSeconds }) => {
      const expiresAt = new Date(control.now() + expiresInSeconds * 1000).toISOString();
      const meta = { items: [{ name: 'thing', quantity: 1, unitPrice: amount }], notes: 'drill' };
      const rest = { amount, currency: 'USD', customerEmail, customerName: 'Customer', expiresAt, meta };
      return String((await send('/v1/invoices', { ...rest, merchantReference: reference }))['id']);
    },
    payInvoice: async (id) => void (await send(`/sandbox/invoices/${id}/pay`, { assetCode: ASSET })),
    cancelInvoice: async (id) => void (await send(`/sandbox/invoices/${id}/cancel`)),
    createPayout(course, cents, merchantReference) {
      const amount = `${2 + (cents % 7)}.${String(cents % 100).padStart(2, '0')}`;
      const rest = { assetCode: ASSET, amount, merchantReference };
      if (course === 'internal') {
        return control.createPayout({
          ...rest,
          destinationType: 'merchant_account',
          destinationAddress: 'mer_elsewhere',
        });
      }
      const accountId = course === 'wallet' ? walletOf(new Random(cents)) : null;
      if (accountId !== null) fund(accountId, '50');
      return control.createPayout({ ...rest, destinationAddress: 'TDrillPayout0001', accountId });
    },
    failPayout: (id) => control.advancePayout(id, { step: 'fail', reason: 'drill' }),
    depositToWallet: (seed) => {
      const random = new Random(seed);
      fund(walletOf(random), `${5 + random.below(95)}.${10 + random.below(90)}`);
    },
    async transfer(seed) {
      const random = new Random(seed);
      const from = walletOf(random);
      const to = walletOf(random);
      fund(from, '10');
      const where = to === from ? { toOperating: true } : { toWalletAccountId: to };
      const fee = random.below(3) === 0 ? { feeAmount: '0.25' } : {};
      await send(`/v1/accounts/${from}/transfers`, { assetCode: ASSET, amount: '7.5', ...where, ...fee });
    },
  };
}
