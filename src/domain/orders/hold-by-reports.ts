import { type Money, sameCurrency } from '../family/money.js';
import { isOff } from '../family/states.js';
import { compareAmounts, subtractAmounts, sumAmounts } from '../money.js';
import { countedOf, type DerivedOrder, deriveOrder, type OrderStatus, requested } from './order.js';
import type { OrderFacts } from './order-facts.js';

const HOUR_MS = 3_600_000;
/** So many refuted within an hour, and reports hold the order no more for an hour. */
const MOST_REFUTED = 2;

/** What reports did to an order until now. Moments in ms. */
export interface ReportedHold {
  held: boolean;
  /** When such holds turned out to be unfounded, the newest last. */
  refutedAt: readonly number[];
}

type HeldOrder = DerivedOrder & { reports: ReportedHold };

/**
 * The order with what newer reports say: they may hold it until a poll decides, and never end a hold (of two payments, one too
 * many, the other would be left where they doubt one). After two that were refuted, further ones
 * hold nothing for an hour (docs/orders.md: how long a report holds an order); more than a few reports of refunds at once
 * do, until they are decided: among a flood the true one would be read late.
 */
export function holdByReports(facts: OrderFacts, before: ReportedHold, now: number): HeldOrder {
  const withReports = deriveOrder(facts);
  const plain = withoutReports(facts);
  const without = plain === facts ? withReports : deriveOrder(plain);
  if (!without.release.safe) {
    const shown = withReports.release.safe ? without : withReports;
    // What reports held before is held by them still, once nothing else holds it.
    return { ...shown, reports: { held: before.held && plain !== facts, refutedAt: before.refutedAt } };
  }
  if (withReports.release.safe) {
    const refutedAt = before.held ? [...before.refutedAt, now].slice(-MOST_REFUTED) : before.refutedAt;
    return { ...withReports, reports: { held: false, refutedAt } };
  }
  if (!before.held && isIgnoring(before.refutedAt, now) && facts.manyReported !== true)
    return { ...without, reports: { held: false, refutedAt: before.refutedAt } };
  return { ...withReports, reports: { held: true, refutedAt: before.refutedAt } };
}

function isIgnoring(refutedAt: readonly number[], now: number): boolean {
  const [first = 0, last = 0] = refutedAt.slice(-MOST_REFUTED);
  return refutedAt.length >= MOST_REFUTED && last - first < HOUR_MS && now - last < HOUR_MS;
}

/** As polls, own calls, the delivery history and persons alone show it; the facts themselves where no report speaks. */
export function withoutReports(facts: OrderFacts): OrderFacts {
  const { intents, payins, refunds, refundReported = false, manyReported = false, saysPaid = false } = facts;
  const isSilent = !(refundReported || manyReported || saysPaid || [intents, payins, refunds].some(isReported));
  if (isSilent) return facts;
  const plain = <R extends Doubtful>(records: readonly R[]): R[] =>
    records.map((record) => ({ ...record, doubted: false, saysPaid: false }));
  return {
    ...facts,
    intents: plain(intents),
    payins: plain(payins),
    refunds: plain(refunds),
    refundReported: false,
    manyReported: false,
    saysPaid: false,
  };
}

interface Doubtful {
  doubted?: boolean;
  saysPaid?: boolean;
}

function isReported(records: readonly Doubtful[]): boolean {
  return records.some(({ doubted = false, saysPaid = false }) => doubted || saysPaid);
}

/**
 * Of an order that is `underpaid` what is owed, of one that is `overpaid` what is to be given back: above zero, in the currency that
 * was asked for. Received and owed together are asked; so is received without the surplus. Null of any other order, and where it
 * can't be known: money of another currency or of unknown amount, money that may be given back or another order's, a payment that is
 * only off its own range, or what reports alone say.
 */
export function differenceOf(status: OrderStatus, facts: OrderFacts): Money | null {
  if (status !== 'underpaid' && status !== 'overpaid') return null;
  const plain = withoutReports(facts);
  const counted = mayHaveLeft(plain) ? [] : countedOf(plain);
  const { expected, unclear } =
    plain.expected === null ? requested(counted, plain) : { expected: plain.expected, unclear: null };
  if (expected === null || unclear !== null || counted.length === 0) return null;
  const amounts = counted.flatMap(({ paid }) =>
    paid !== null && sameCurrency(paid.currency, expected.currency) ? [paid.amount] : [],
  );
  if (amounts.length < counted.length) return null;
  const received = sumAmounts(amounts);
  const [more, less] = status === 'underpaid' ? [expected.amount, received] : [received, expected.amount];
  const isMore = compareAmounts(more, less) > 0;
  return isMore ? { amount: subtractAmounts(more, less), currency: expected.currency } : null;
}

/** A refund of it is not known to have failed, or another order could have some of it. */
function mayHaveLeft({ refunds, refundUnlinked, refundUnread, openCalls = [], contested = [] }: OrderFacts): boolean {
  const mayBeRefunded = refundUnlinked === true || refundUnread === true || openCalls.length > 0;
  return mayBeRefunded || contested.length > 0 || !refunds.every((refund) => isOff('payout', refund.status));
}
