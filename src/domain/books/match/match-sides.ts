import type { ShownRecord } from '../../family/links.js';
import { amountField, dueOf, grossOf as grossAmount, type Money, requestOf, sameCurrency } from '../../family/money.js';
import { isOff } from '../../family/states.js';
import {
  addAmounts,
  compareAmounts,
  divideAmounts,
  isZero,
  multiplyAmounts,
  negated,
  subtractAmounts,
} from '../../money.js';
import { requested } from '../../orders/order.js';
import { intentOutcome, NO_MONEY, type PaymentOutcome } from '../../orders/order-intent.js';
import { textField } from '../../records.js';
import { sumExactValues } from '../fiat-report.js';
import type { MatchFacts } from './match-facts.js';
import type { MatchAmount } from './match-shapes.js';

type Sides = Map<string, MatchAmount>;

/** Each amount stands once: what is asked for in the assets that it was paid in, and only the rest in its own currency. */
export function sidesOf(facts: MatchFacts): MatchAmount[] {
  const sides: Sides = new Map();
  for (const { code, amount } of askedOf(facts)) add(sides, code, { asked: amount });
  for (const intent of facts.order.intents) {
    const asset = textField(intent.fields, 'assetCode');
    if (asset !== null) add(sides, asset, { paid: grossOf(intent) });
  }
  for (const refund of facts.refunds) {
    const asset = textField(refund.fields, 'assetCode');
    if (asset !== null) add(sides, asset, { returned: returnedBy(refund, facts) });
  }
  for (const { account, assetCode, amount, value, unpriced } of facts.booked) {
    if (account !== 'operating') add(sides, assetCode, { booked: negated(amount), value, unpriced });
  }
  return [...sides.values()]
    .filter(
      ({ asked, paid, returned, booked, unpriced }) => ![asked, paid, returned, booked].every(isZero) || unpriced > 0,
    )
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** What is asked for: by whom the order was registered, else by the largest of its requests that still stands. */
export function expectedOf(facts: MatchFacts): Money | null {
  return facts.order.expected ?? requested(payingOf(facts), facts.order).expected;
}

/** What the service's list shows to have come in of a payment, before its fee; of a statement nothing. */
export function grossOf({ fields, verified, absent }: ShownRecord): string {
  if (!verified || absent) return '0';
  return grossAmount(fields);
}

/** A refund of money that was never credited moves no balance: it takes back nothing that was paid. */
function returnedBy(refund: ShownRecord, { moved, booked }: MatchFacts): string {
  const isIts = (one: { recordKind: string; recordId: string }) =>
    one.recordKind === 'payout' && one.recordId === refund.id;
  const isConfirmed = textField(refund.fields, 'status') === 'confirmed' && !refund.absent;
  if (!isConfirmed || !(moved.some(isIts) || booked.some(isIts))) return '0';
  return amountField(refund.fields, 'amount') ?? '0';
}

function askedOf(facts: MatchFacts): { code: string; amount: string }[] {
  const expected = expectedOf(facts);
  if (expected === null) return [];
  let rest = expected.amount;
  const asked = payingOf(facts).flatMap(({ intent }) => {
    const request = requestOf(intent.fields);
    const asset = textField(intent.fields, 'assetCode');
    const due = dueOf(intent.fields);
    if (request === null || asset === null || due === null) return [];
    if (!sameCurrency(request.currency, expected.currency) || isZero(rest) || isZero(request.amount)) return [];
    const isWhole = compareAmounts(request.amount, rest) <= 0;
    const part = isWhole ? request.amount : rest;
    const amount = isWhole ? due : divideAmounts(multiplyAmounts(due, part, 'down'), request.amount, 'down');
    rest = subtractAmounts(rest, part);
    return [{ code: asset, amount }];
  });
  return !isZero(rest) ? [...asked, { code: expected.currency, amount: rest }] : asked;
}

/** The payments that brought money; what the service lists no more, or what expired uncollected, asks for nothing beside others. */
function payingOf({ order }: MatchFacts): PaymentOutcome[] {
  const paying = order.intents
    .map((intent) => ({ intent, outcome: intentOutcome(intent, []) }))
    .filter(({ outcome }) => !NO_MONEY.includes(outcome.type));
  const asking = paying.filter(
    ({ intent, outcome }) =>
      !intent.absent && (outcome.type === 'collected' || !isOff('payment_intent', textField(intent.fields, 'status'))),
  );
  return (asking.length === 0 ? paying : asking).sort(inRangeFirst);
}

/** So that of two payments the one counts that was paid as it was asked, whichever is given first. */
function inRangeFirst(a: PaymentOutcome, b: PaymentOutcome): number {
  const isIn = ({ outcome }: PaymentOutcome) => Number(outcome.type === 'collected' && outcome.side === 'in_range');
  return isIn(b) - isIn(a) || (a.intent.id < b.intent.id ? -1 : 1);
}

function add(sides: Sides, code: string, more: Partial<MatchAmount>): void {
  const nothing = { code, asked: '0', paid: '0', returned: '0', booked: '0', value: '0', unpriced: 0 };
  sides.set(code, sumOfSides(sides.get(code) ?? nothing, { ...nothing, ...more }));
}

/** Of two of one asset. */
export function sumOfSides(a: MatchAmount, b: MatchAmount): MatchAmount {
  return {
    code: a.code,
    asked: addAmounts(a.asked, b.asked),
    paid: addAmounts(a.paid, b.paid),
    returned: addAmounts(a.returned, b.returned),
    booked: addAmounts(a.booked, b.booked),
    value: sumExactValues([a.value, b.value]),
    unpriced: a.unpriced + b.unpriced,
  };
}
