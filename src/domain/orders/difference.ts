import { type Money, sameCurrency } from '../family/money.js';
import { isOff } from '../family/states.js';
import { compareAmounts, subtractAmounts, sumAmounts } from '../money.js';
import { withoutReports } from './heed-reports.js';
import { countedOf, type OrderStatus, requested } from './order.js';
import type { OrderFacts } from './order-facts.js';

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
