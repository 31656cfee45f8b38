import { compareAmounts, sumAmounts } from '../../../src/domain/money.js';

/** Of the service's own record of a payment, what decides about goods. */
export interface PaymentTruth {
  id: string;
  status: string;
  irregularStatus: string;
  merchantReference: string | null;
  invoiceId: string | null;
  amountRequested: string;
  currencyRequested: string;
  amountCryptoExpected: string | null;
  totalAmountReceived: string;
  amountRejected: string | null;
  irregularRefundPayoutId: string | null;
}

interface PayinTruth {
  paymentIntentId: string | null;
  status: string;
  kytStatus: string | null;
}

export interface InvoiceTruth {
  id: string;
  status: string;
  amount: string;
  currency: string;
}

export interface PayoutTruth {
  id: string;
  status: string;
  payoutType: string;
  merchantReference: string | null;
  paymentIntentId?: string | null;
}

/** All that the service has, as `GET /sandbox/truth` shows it where `links` are shown. */
export interface ServiceTruth {
  paymentIntents: PaymentTruth[];
  payins: PayinTruth[];
  invoices: InvoiceTruth[];
  payouts: PayoutTruth[];
}

/** What the shop knows of an order by itself. */
export interface ShopTruth {
  reference: string;
  /** What it registered. */
  expected: { amount: string; currency: string } | null;
  /** Invoices that it made itself, for this order. */
  invoices: readonly string[];
}

/** May the goods go out: by the service's records and the shop's own words, and by nothing that anybody reported. */
export interface Verdict {
  may: boolean;
  /** Nothing about it is open to interpretation: it has to be safe once all is read. */
  must: boolean;
  why: string;
}

const no = (why: string): Verdict => ({ may: false, must: false, why });

export function judgeOrder(order: ShopTruth, service: ServiceTruth): Verdict {
  const payments = service.paymentIntents.filter((one) => isOf(one, order));
  const ids = new Set(payments.map(({ id }) => id));
  const back = service.payouts.filter((payout) => givesBack(payout, order, ids, payments));
  if (payments.some(({ irregularStatus }) => irregularStatus === 'pending_decision')) return no('in dispute');
  if (payments.some(({ irregularStatus }) => irregularStatus === 'refunded')) return no('given back after a dispute');
  const live = back.find(({ status }) => status !== 'failed');
  if (live) return no(`refund ${live.id} is ${live.status}`);
  const collected = payments.filter(({ status }) => status === 'completed');
  if (collected.length === 0) return no('nothing was collected');
  const outside = collected.find((one) => compareAmounts(one.totalAmountReceived, dueOf(one)) !== 0);
  if (outside) return no(`${outside.id} received ${outside.totalAmountReceived} of ${dueOf(outside)}`);
  const payins = service.payins.filter(({ paymentIntentId }) => ids.has(paymentIntentId ?? ''));
  const bad = payins.find(({ status, kytStatus }) => status !== 'confirmed' || kytStatus !== 'approved');
  if (bad) return no(`a payin is ${bad.status}, its screening says ${bad.kytStatus}`);
  const lacks = shortfall(order, { payments, collected, invoices: service.invoices });
  if (lacks !== null) return no(lacks);
  const odd = back.length > 0 || payments.some((one) => one.irregularStatus !== 'none' || one.status === 'unmatched');
  return { may: true, must: !odd, why: `${collected.map(({ id }) => id).join(', ')} paid what is expected` };
}

/** The reference of a payment decides; without one, that of an invoice that the shop made for the order. */
function isOf({ merchantReference, invoiceId }: PaymentTruth, order: ShopTruth): boolean {
  if (merchantReference !== null) return merchantReference === order.reference;
  return invoiceId !== null && order.invoices.includes(invoiceId);
}

function givesBack(
  payout: PayoutTruth,
  { reference }: ShopTruth,
  ids: ReadonlySet<string>,
  payments: readonly PaymentTruth[],
): boolean {
  if (payout.payoutType !== 'refund') return false;
  const isNamed = payments.some(({ irregularRefundPayoutId }) => irregularRefundPayoutId === payout.id);
  return isNamed || ids.has(payout.paymentIntentId ?? '') || payout.merchantReference === reference;
}

function dueOf({ amountCryptoExpected, amountRequested }: PaymentTruth): string {
  return amountCryptoExpected ?? amountRequested;
}

/** What is registered; else the largest of what anything that still stands asks for. */
function shortfall(
  { expected, invoices: own }: ShopTruth,
  records: { payments: PaymentTruth[]; collected: PaymentTruth[]; invoices: InvoiceTruth[] },
): string | null {
  const paid = sumAmounts(records.collected.map(({ amountRequested }) => amountRequested));
  const currency = records.collected[0]?.currencyRequested ?? '';
  const stands = ({ status }: { status: string }) => status !== 'cancelled' && status !== 'expired';
  const asked = [
    ...records.payments.filter(stands).map((one) => ({ amount: one.amountRequested, currency: one.currencyRequested })),
    ...records.invoices.filter((one) => own.includes(one.id) && stands(one)),
  ];
  const wanted = expected === null ? asked : [expected];
  if (wanted.some((one) => one.currency !== currency)) return `expected in another currency than ${currency}`;
  const most = wanted.map(({ amount }) => amount).reduce((a, b) => (compareAmounts(a, b) >= 0 ? a : b), '0');
  return compareAmounts(paid, most) === 0 ? null : `${paid} ${currency} paid of ${most}`;
}
