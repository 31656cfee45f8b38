import type { BookedSum, MatchFacts, MovedSum } from '../../../src/domain/books/match/match-facts.js';
import { refundOf } from '../../../src/domain/family/family.js';
import { defaultPayoutWords, ownerOfRefund, type ShownRecord } from '../../../src/domain/family/links.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { addAmounts, subtractAmounts } from '../../../src/domain/money.js';
import type { OrderFacts } from '../../../src/domain/orders/order-facts.js';

export const ASSET = 'USDT.TRON';
const CREATED = '2026-03-01T10:00:00.000Z';

export function shown(id: string, fields: JsonObject, more: Partial<ShownRecord> = {}): ShownRecord {
  return { id, fields: { id, createdAt: CREATED, ...fields }, verified: true, verifiedAt: 1, absent: false, ...more };
}

export interface Paid {
  net: string;
  fee: string;
  requested: string;
  createdAt?: string;
}

/** A payment in full by one payin, with what it moved and what is booked of it. */
export function paidPayment(id: string, { net, fee, requested, createdAt = CREATED }: Paid, date = '2026-03-01') {
  const gross = addAmounts(net, fee);
  const payinFields = {
    assetCode: ASSET,
    status: 'confirmed',
    amountNet: net,
    feeAmount: fee,
    amountGross: gross,
    createdAt,
  };
  const intent = shown(id, {
    status: 'completed',
    irregularStatus: 'none',
    amountRequested: requested,
    currencyRequested: 'EUR',
    requestedCurrencyType: 'fiat',
    amountCryptoExpected: gross,
    assetCode: ASSET,
    totalAmountReceived: gross,
    amountInRange: gross,
    amountRejected: '0',
    amountNetMerchant: net,
    feeAmountTotal: fee,
    payins: [{ id: `${id}-d`, ...payinFields }],
    createdAt,
  });
  const payin = shown(`${id}-d`, { ...payinFields, paymentIntentId: id });
  const about = { recordKind: 'payment_intent', recordId: id, assetCode: ASSET } as const;
  const moved: MovedSum[] = [{ ...about, delta: net, base: '0' }];
  const booked: BookedSum[] = [
    { ...about, account: 'operating', amount: net, date, value: '0', unpriced: 0 },
    { ...about, account: 'payments', amount: subtractAmounts('0', gross), date, value: gross, unpriced: 0 },
  ];
  return { intent, payin, moved, booked };
}

/** A refund that left the operating balance, the merchant bearing the fee. */
export function paidRefund(id: string, paymentIntentId: string, amount: string, date = '2026-03-05') {
  const about = { recordKind: 'payout', recordId: id, assetCode: ASSET } as const;
  const debit = subtractAmounts('0', addAmounts(amount, '1'));
  return {
    refund: shown(id, { payoutType: 'refund', paymentIntentId, amount, assetCode: ASSET, status: 'confirmed' }),
    moved: [{ ...about, delta: debit, base: '0' }] as MovedSum[],
    booked: [
      { ...about, account: 'operating', amount: debit, date, value: '0', unpriced: 0 },
      { ...about, account: 'refunds', amount, date, value: subtractAmounts('0', amount), unpriced: 0 },
    ] as BookedSum[],
  };
}

export function facts(
  payments: readonly ReturnType<typeof paidPayment>[] = [],
  refunds: readonly ReturnType<typeof paidRefund>[] = [],
  more: Partial<MatchFacts> = {},
): MatchFacts {
  const intents = payments.map(({ intent }) => intent);
  return {
    kind: 'order',
    id: 'order-1',
    openedAt: Date.parse(CREATED),
    registeredAt: Date.parse(CREATED),
    order: {
      reference: 'order-1',
      expected: { amount: '100', currency: 'EUR' },
      intents,
      payins: payments.map(({ payin }) => payin),
      invoices: [],
      refunds: refunds.flatMap(
        ({ refund }) => refundOf(refund, ownerOfRefund(refund, intents, defaultPayoutWords).payment ?? '') ?? [],
      ),
    },
    refunds: refunds.map(({ refund }) => refund),
    claims: [],
    elsewhere: [],
    moved: [...payments, ...refunds].flatMap(({ moved }) => moved),
    unclear: [],
    booked: [...payments, ...refunds].flatMap(({ booked }) => booked),
    currency: 'USD',
    opened: new Set([ASSET]),
    ...more,
  };
}

/** Two payments of one order. */
export const one = paidPayment('pi_1', { net: '107', fee: '1', requested: '100' });
export const other = paidPayment('pi_2', { net: '107', fee: '1', requested: '100' });
export type Payment = typeof one;

export const having = (fields: JsonObject, payment: Payment = one): Payment => ({
  ...payment,
  intent: { ...payment.intent, fields: { ...payment.intent.fields, ...fields } },
});

/** That no movement and no entry is of. */
export const nothing = { moved: [], booked: [] };

export const withOrder = (given: MatchFacts, order: Partial<OrderFacts>): MatchFacts => ({
  ...given,
  order: { ...given.order, ...order },
});
