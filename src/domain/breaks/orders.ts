import { amountField, type Money, sameCurrency } from '../family/money.js';
import { isActive, isOff } from '../family/states.js';
import type { Json, JsonObject } from '../json.js';
import { compareAmounts } from '../money.js';
import type { OrderStatus } from '../orders/order.js';
import { textField } from '../records.js';
import { type CheckedOrder, type CheckedRecord, type CheckFacts, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Check, checked, type Finding, finding } from './findings.js';
import { grace } from './grace.js';

export const orderBreaks = {
  order_underpaid: {
    severity: 'high',
    sharedBy: ['/reason'],
    means: 'The store registered an amount, less came in, and no payment of the order is open any more.',
    ends: 'More comes in, or the money is given back.',
    remedy: 'Ask the customer for the rest, or refund.',
    check: whereOrderIs('order_underpaid'),
  },
  order_overpaid: {
    severity: 'high',
    sharedBy: ['/reason'],
    means: 'One payment brought more than registered.',
    ends: 'A refund brings it down.',
    remedy: 'Refund the difference, or agree with the customer.',
    check: whereOrderIs('order_overpaid'),
  },
  order_amount_mismatch: {
    severity: 'high',
    sharedBy: ['/reason'],
    means:
      'A payment asks for more than the store registered, or in another currency; or what came in can’t be counted in the registered currency; or more than 200 payments share the reference. “reason” says which.',
    ends: 'The payment ends unpaid, or asks for what is registered.',
    remedy: 'The store created the payment with another amount than it registered: correct it there.',
    besideSafe: {
      where: 'another payment of the order, still open or given back, asks for more or in another currency',
      remedy: 'cancel the open one; else write it off',
    },
    check: whereOrderIs('order_amount_mismatch'),
  },
  order_unknown_reference: {
    severity: 'medium',
    sharedBy: ['/reason'],
    means:
      'The store registers its orders, and money came in for one that it did not register, half an hour after the order began.',
    ends: 'The store registers it.',
    remedy: 'A payment made by hand, or a reference that was typed wrong: “similarReferences” names what it may be.',
    besideSafe: {
      where: 'nobody registered the order that is paid',
      remedy:
        'set `RELEASE_REQUIRES_REGISTRATION=on`: such an order is then never safe ([orders.md](orders.md#what-the-store-registers))',
    },
    check: whereOrderIs('order_unknown_reference'),
  },
  similar_reference_paid: {
    severity: 'high',
    sharedBy: ['/reason'],
    means: 'An order that the store did not register is paid, and a registered one that looks the same is not.',
    ends: 'The registered one is paid or withdrawn, the other is registered, or its money is given back.',
    remedy:
      'Ship nothing on it. “similarReferences” names the registered ones; the page of the order shows the characters in which they differ. Ask the customer, or refund.',
    besideSafe: { where: 'nobody registered the order that is paid', remedy: 'as for `order_unknown_reference`' },
    check: whereOrderIs('similar_reference_paid'),
  },
} as const satisfies BreakDefinitions;

/** Money came in, and stays. */
const PAID: readonly OrderStatus[] = ['paid', 'underpaid', 'overpaid', 'paid_twice', 'partially_refunded', 'unmatched'];
/** The store may send goods for what it never registered. */
const WITH_MONEY: readonly OrderStatus[] = [...PAID, 'refunded', 'disputed'];
/** Nothing came in, and nothing is on its way. */
const UNPAID: readonly OrderStatus[] = ['awaiting_payment', 'expired', 'cancelled'];

/** One break of an order at most: money that came in says more than what was asked for. Paid twice is `duplicate_payment`. */
function whereOrderIs(kind: OrderBreak): Check {
  return (facts) =>
    facts.orders.map((order) => {
      const isHistory = order.status !== 'shared_reference' && order.intents.every(({ history }) => history);
      const problem = isHistory ? null : problemOf(order, facts);
      const verdict = problem?.kind !== kind ? null : 'at' in problem ? problem : foundOrder(order, problem);
      return checked({ kind: 'order', id: order.reference }, verdict);
    });
}

type OrderBreak =
  | 'order_underpaid'
  | 'order_overpaid'
  | 'order_amount_mismatch'
  | 'order_unknown_reference'
  | 'similar_reference_paid';
type Problem = { kind: OrderBreak; reason: string };
/** It may still be registered until then. */
type Waiting = { kind: 'order_unknown_reference'; at: number };

function problemOf(order: CheckedOrder, facts: CheckFacts): Problem | Waiting | null {
  const { expected } = order;
  if (expected === null) return paidInPlaceOf(order) ?? unknownReference(order, facts);
  if (order.status === 'shared_reference') return { kind: 'order_amount_mismatch', reason: 'shared_reference' };
  const isFinal = order.intents.every(
    ({ fields, verified, absent }) => absent || (verified && !isActive('payment_intent', textField(fields, 'status'))),
  );
  if (order.status === 'overpaid') return { kind: 'order_overpaid', reason: order.releaseReason };
  if (order.status === 'underpaid' && isFinal) {
    const isUnderpaid = order.releaseReason === 'underpaid';
    return { kind: isUnderpaid ? 'order_underpaid' : 'order_amount_mismatch', reason: order.releaseReason };
  }
  if (order.status === 'paid_twice') return null;
  const reason = mismatch(order.intents, expected);
  return reason === null ? null : { kind: 'order_amount_mismatch', reason };
}

/** A payment that asks for other money than the store expects; several may share what is expected, so less is no mismatch. */
function mismatch(intents: readonly CheckedRecord[], expected: Money): string | null {
  for (const { fields, verified, absent } of intents) {
    const isAsking = !isOff('payment_intent', textField(fields, 'status'));
    const currency = textField(fields, 'currencyRequested');
    const amount = amountField(fields, 'amountRequested');
    if (absent || !verified || !isAsking || currency === null || amount === null) continue;
    if (!sameCurrency(currency, expected.currency)) return 'other_currency';
    if (compareAmounts(amount, expected.amount) > 0) return 'more_requested';
  }
  return null;
}

/** The customer may have paid under this reference what the store registered under one that looks the same. */
function paidInPlaceOf({ status, sharedMoney, similar }: CheckedOrder): Problem | null {
  const isPaid = sharedMoney || PAID.includes(status);
  if (!isPaid || !similar.some((other) => UNPAID.includes(other.status))) return null;
  return { kind: 'similar_reference_paid', reason: 'similar_reference' };
}

function unknownReference(order: CheckedOrder, { registersSince, now }: CheckFacts): Problem | Waiting | null {
  const hasMoney = order.sharedMoney || WITH_MONEY.includes(order.status);
  if (registersSince === null || order.createdAt < registersSince || !hasMoney) return null;
  const due = order.createdAt + grace.registration;
  return now < due
    ? { kind: 'order_unknown_reference', at: due }
    : { kind: 'order_unknown_reference', reason: 'not_registered' };
}

function foundOrder(order: CheckedOrder, { reason }: Problem): Finding {
  const { expected, similar, status } = order;
  const ours: Json = expected === null ? null : { ...expected };
  const payments = order.intents.map((intent) => [`paymentIntent ${intent.id}`, paymentOf(intent, ours)] as const);
  const notes: JsonObject = {
    reason,
    status,
    ...(similar.length > 0 ? { similarReferences: similar.map((other) => other.reference) } : {}),
  };
  return finding(Object.fromEntries(payments), { notes });
}

function paymentOf(intent: CheckedRecord, ours: Json): { ours: Json; theirs: Json; source: Json } {
  const shown = ['status', 'amountRequested', 'currencyRequested', 'totalAmountReceived', 'assetCode'];
  const theirs = Object.fromEntries(shown.map((field) => [field, intent.fields[field] ?? null]));
  return { ours, theirs, source: sourceOf(intent) };
}
