import type { ShownRecord } from '../../family/links.js';
import { amountField, dueOf } from '../../family/money.js';
import { groupedPairs } from '../../grouped.js';
import { compareAmounts, isZero, normalizeAmount, sumAmounts } from '../../money.js';
import { withoutReports } from '../../orders/hold-by-reports.js';
import { deriveOrder, type OrderStatus } from '../../orders/order.js';
import { textField } from '../../records.js';
import type { MatchFacts } from './match-facts.js';
import { recordReasons } from './match-legs.js';
import type { MatchAmount, MatchReason, MatchState, Reason } from './match-shapes.js';
import { expectedOf, sidesOf } from './match-sides.js';

export interface Match {
  state: MatchState;
  reasons: readonly [Reason, ...Reason[]];
  amounts: MatchAmount[];
}

/**
 * Three-way match of one order: what was asked (by the store, an invoice, the payments' requests), what the service's payments
 * and payins show, and what moved the balance and is booked. Nothing is netted across assets, and nothing is taken for
 * the same because its amount is. What reports alone say decides nothing.
 */
export function matchOrder(given: MatchFacts): Match {
  const facts = { ...given, order: withoutReports(given.order) };
  const amounts = sidesOf(facts);
  const { status } = deriveOrder(facts.order);
  const asked = askedReason(facts, status);
  const problems = [...(asked.isProblem ? [asked.reason] : []), ...recordReasons(facts, amounts)];
  const [first, ...more] = problems;
  if (first === undefined) return { state: 'matched', reasons: [asked.reason], amounts };
  return { state: sidesThere(facts, amounts) > 1 ? 'partly_matched' : 'unmatched', reasons: [first, ...more], amounts };
}

function sidesThere({ order, booked, moved }: MatchFacts, amounts: readonly MatchAmount[]): number {
  const isAsked = amounts.some(({ asked }) => !isZero(asked));
  const isPaid =
    amounts.some(({ paid }) => !isZero(paid)) ||
    order.intents.some(
      ({ fields, verified, absent }) =>
        verified && !absent && !isZero(amountField(fields, 'totalAmountReceived') ?? '0'),
    );
  const isBooked = booked.some(({ amount }) => !isZero(amount)) || moved.some(({ base }) => !isZero(base));
  return [isAsked, isPaid, isBooked].filter(Boolean).length;
}

interface Asked {
  isProblem: boolean;
  reason: Reason;
}

const agreed = (code: MatchReason, told: string): Asked => ({ isProblem: false, reason: { code, told } });
const problem = (code: MatchReason, told: string): Asked => ({ isProblem: true, reason: { code, told } });

/** Where the request and the payments stand to one another, by the order's own truth table. */
function askedReason(facts: MatchFacts, status: OrderStatus): Asked {
  const { elsewhere, order, kind } = facts;
  const [other] = elsewhere;
  if (other !== undefined && order.intents.length === 0)
    return problem('counted_elsewhere', `its payment is counted with ${other}`);
  const isOwn = kind === 'payment_intent' && order.intents.some(({ fields }) => isReceived(fields));
  if (isOwn) return problem('not_asked', 'money came in, and no order or invoice asks for it');
  return status === 'partially_refunded' ? partlyGivenBack(facts) : byStatus(status, facts);
}

function partlyGivenBack(facts: MatchFacts): Asked {
  const { status } = deriveOrder({ ...facts.order, refunds: [] });
  if (status === 'paid') return agreed('partly_given_back', 'paid; a part was given back');
  const inFull = facts.order.intents.some(
    (intent) => textField(intent.fields, 'irregularStatus') === 'refunded' && isKeptWhole(intent),
  );
  const isStill = status === 'partially_refunded';
  if (isStill && inFull) return agreed('partly_given_back', 'what was too much was given back');
  const { isProblem, reason } = byStatus(isStill ? 'underpaid' : status, facts);
  return { isProblem, reason: { ...reason, told: `${reason.told}; a part was given back` } };
}

/** Of a payment too much of which came in: what was kept after the dispute is what it asked for. */
function isKeptWhole(intent: ShownRecord): boolean {
  const [kept, due] = [amountField(intent.fields, 'amountInRange'), dueOf(intent.fields)];
  return kept !== null && due !== null && compareAmounts(kept, due) === 0;
}

function byStatus(status: OrderStatus, facts: MatchFacts): Asked {
  const expected = expectedOf(facts);
  const asked = expected === null ? 'what was asked' : `${normalizeAmount(expected.amount)} ${expected.currency}`;
  const received = receivedOf(facts);
  switch (status) {
    case 'paid':
      return agreed('agreed', openingWords(facts));
    case 'refunded':
      return agreed('given_back', 'what came in was given back');
    case 'expired':
    case 'cancelled':
      if (facts.order.expected === null) return agreed('lapsed', `${status}, and nothing came in`);
      return problem('lapsed_unpaid', `${status}, and nothing came in of ${asked} that the store registered`);
    case 'awaiting_payment':
      return hasOnlyGone(facts)
        ? problem('not_at_service', 'the service does not list its records any more')
        : problem('not_paid', `nothing came in yet of ${asked}`);
    case 'confirming':
      return problem('confirming', 'a payin is being confirmed');
    case 'paid_unverified':
      return problem('claimed', 'said to be paid; the service’s own list does not show it yet');
    case 'underpaid':
    case 'partially_refunded':
      return problem('underpaid', `${received} came in, asked were ${asked}`);
    case 'overpaid':
      return problem('overpaid', `${received} came in, more than ${asked}`);
    case 'paid_twice':
      return problem('paid_twice', `paid more than once: ${received} came in, asked were ${asked}`);
    case 'unmatched':
      return problem('out_of_range', `${received} came in, which the service does not take for ${asked}`);
    case 'disputed':
      return problem('disputed', `a dispute is not decided: ${received} came in, asked were ${asked}`);
    case 'shared_reference':
      return problem('shared_reference', 'too many payments carry its reference: each is matched by itself');
    default:
      return status satisfies never;
  }
}

function openingWords({ moved }: MatchFacts): string {
  const isOld = moved.some(({ base }) => !isZero(base));
  return isOld ? 'asked and paid agree; inside the opening balance' : 'asked, paid and booked agree';
}

function hasOnlyGone({ order }: MatchFacts): boolean {
  const all = [...order.intents, ...order.invoices];
  return all.length > 0 && all.every(({ absent }) => absent);
}

function receivedOf({ order }: MatchFacts): string {
  const received = order.intents.flatMap(({ fields }) => {
    const [amount, asset] = [amountField(fields, 'totalAmountReceived'), textField(fields, 'assetCode')];
    return amount !== null && asset !== null && !isZero(amount) ? [[asset, amount] as const] : [];
  });
  const sums = [...groupedPairs(received)].map(([asset, amounts]) => `${sumAmounts(amounts)} ${asset}`);
  return sums.join(' and ') || 'nothing';
}

function isReceived(fields: Parameters<typeof amountField>[0]): boolean {
  return ['totalAmountReceived', 'amountNetMerchant'].some((name) => !isZero(amountField(fields, name) ?? '0'));
}
