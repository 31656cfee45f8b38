import { amountField, type Money, sameCurrency } from '../family/money.js';
import { isActive, isOff } from '../family/states.js';
import type { Json, JsonObject } from '../json.js';
import { compareAmounts } from '../money.js';
import type { OrderStatus } from '../orders/order.js';
import { textField } from '../records.js';
import { type CheckedOrder, type CheckedRecord, type CheckFacts, sourceOf } from './check-facts.js';
import { type FoundBreak, foundBreak, noFindings, settle, type TimedFindings } from './findings.js';
import { grace } from './grace.js';

const kinds = [
  'order_underpaid',
  'order_overpaid',
  'order_amount_mismatch',
  'order_unknown_reference',
  'similar_reference_paid',
] as const;
type OrderBreak = (typeof kinds)[number];

/** Money came in, and stays. */
const PAID: readonly OrderStatus[] = ['paid', 'underpaid', 'overpaid', 'paid_twice', 'partially_refunded', 'unmatched'];
/** The store may send goods for what it never registered. */
const WITH_MONEY: readonly OrderStatus[] = [...PAID, 'refunded', 'disputed'];
/** Nothing came in, and nothing is on its way. */
const UNPAID: readonly OrderStatus[] = ['awaiting_payment', 'expired', 'cancelled'];

/**
 * What the store registered against what its payments show, in the currency of the request. One break at most: money that
 * came in says more than what was asked for. What is paid twice is `duplicate_payment`.
 */
export function checkOrders(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  for (const order of facts.orders) {
    const entity = { kind: 'order', id: order.reference } as const;
    const isHistory = order.status !== 'shared_reference' && order.intents.every(({ history }) => history);
    const problem = isHistory ? null : problemOf(order, facts);
    if (problem !== null && 'at' in problem) findings.again.push({ entity, at: problem.at });
    const wrong = problem !== null && 'kind' in problem ? problem : null;
    for (const kind of kinds) {
      const name = { kind, entity };
      settle(findings, name, kind === wrong?.kind ? foundOrder(order, wrong) : null);
    }
  }
  return findings;
}

interface Problem {
  kind: OrderBreak;
  reason: string;
}

function problemOf(order: CheckedOrder, facts: CheckFacts): Problem | { at: number } | null {
  const { expected } = order;
  if (expected === null) return paidInPlaceOf(order) ?? unknownReference(order, facts);
  if (order.status === 'shared_reference') return { kind: 'order_amount_mismatch', reason: 'shared_reference' };
  const isFinal = order.intents.every(
    ({ fields, verified, absent }) => absent || (verified && !isActive('payment_intent', textField(fields, 'status'))),
  );
  if (order.status === 'overpaid') return { kind: 'order_overpaid', reason: order.releaseReason };
  if (order.status === 'underpaid' && isFinal) {
    const isTold = order.releaseReason === 'underpaid';
    return { kind: isTold ? 'order_underpaid' : 'order_amount_mismatch', reason: order.releaseReason };
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

function unknownReference(order: CheckedOrder, { registersSince, now }: CheckFacts): Problem | { at: number } | null {
  const hasMoney = order.sharedMoney || WITH_MONEY.includes(order.status);
  if (registersSince === null || order.createdAt < registersSince || !hasMoney) return null;
  const due = order.createdAt + grace.registration;
  return now < due ? { at: due } : { kind: 'order_unknown_reference', reason: 'not_registered' };
}

function foundOrder(order: CheckedOrder, { kind, reason }: Problem): FoundBreak {
  const { expected, similar, reference, status } = order;
  const ours: Json = expected === null ? null : { ...expected };
  const payments = order.intents.map((intent) => [`paymentIntent ${intent.id}`, paymentOf(intent, ours)] as const);
  const notes: JsonObject = {
    reason,
    status,
    ...(similar.length > 0 ? { similarReferences: similar.map((other) => other.reference) } : {}),
  };
  return foundBreak({ kind, entity: { kind: 'order', id: reference } }, Object.fromEntries(payments), { notes });
}

function paymentOf(intent: CheckedRecord, ours: Json): { ours: Json; theirs: Json; source: Json } {
  const shown = ['status', 'amountRequested', 'currencyRequested', 'totalAmountReceived', 'assetCode'];
  const theirs = Object.fromEntries(shown.map((field) => [field, intent.fields[field] ?? null]));
  return { ours, theirs, source: sourceOf(intent) };
}
