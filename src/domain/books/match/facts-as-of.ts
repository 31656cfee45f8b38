import type { ShownRecord } from '../../orders/order-facts.js';
import { refundOf } from '../../orders/order-refund.js';
import { momentOf } from '../dating.js';
import { dayIn } from '../posting-month.js';
import type { MatchFacts } from './match-facts.js';

/** What a payment shows before anything came in. */
const UNPAID = {
  status: 'pending',
  irregularStatus: 'none',
  totalAmountReceived: '0',
  amountNetMerchant: '0',
  feeAmountTotal: '0',
  amountInRange: null,
  amountRejected: null,
  payins: [],
};

/**
 * The facts without what is dated later than a day (YYYY-MM-DD) of the books' zone, as they are known now: payments, invoices and
 * refunds made later, what stands later in the books, and the money of payments of which nothing is booked until then. Null: there
 * was no such order yet. A request that lapsed since is taken to have lapsed then: when it did is not shown.
 */
export function factsAsOf(facts: MatchFacts, day: string, timeZone: string): MatchFacts | null {
  if (dayIn(timeZone, facts.openedAt) > day) return null;
  const isBy = (at: number | null) => at === null || dayIn(timeZone, at) <= day;
  const isThen = ({ fields }: ShownRecord) => isBy(momentOf(fields['createdAt']));
  const isLater = (kind: string, id: string) => {
    const own = facts.booked.filter(({ recordKind, recordId }) => recordKind === kind && recordId === id);
    return own.length > 0 && own.every(({ date }) => date > day);
  };
  const { order } = facts;
  const payins = order.payins.filter((payin) => isThen(payin) && !isLater('payin', payin.id));
  const unpaid = new Set(order.intents.filter(({ id }) => isLater('payment_intent', id)).map(({ id }) => id));
  const intents = order.intents
    .filter(isThen)
    .map((intent) => (unpaid.has(intent.id) ? { ...intent, fields: { ...intent.fields, ...UNPAID } } : intent));
  const refunds = facts.refunds.filter((refund) => isThen(refund) && !isLater('payout', refund.id));
  const known = new Set([...intents.filter(({ id }) => !unpaid.has(id)), ...payins, ...refunds].map(({ id }) => id));
  return {
    ...facts,
    order: {
      ...order,
      expected: isBy(facts.registeredAt) ? order.expected : null,
      intents,
      payins,
      invoices: order.invoices.filter(isThen),
      refunds: refunds.flatMap((refund) => refundOf(refund, intents) ?? []),
    },
    refunds,
    moved: facts.moved.filter(({ recordId }) => known.has(recordId)),
    booked: facts.booked.filter(({ date }) => date <= day),
  };
}
