import type { ShownRecord } from '../../family/links.js';
import { objectsIn, textField } from '../../records.js';
import { momentOf } from '../../service-time.js';
import { dayIn } from '../posting-month.js';
import type { MatchFacts } from './match-facts.js';

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
 * refunds made later, what stands later in the books, and the money of payments of which nothing is booked until then, or whose
 * payins all came later. Null: there was no such order yet. A request that lapsed since is taken to have lapsed then: when it did
 * is not shown.
 */
export function factsAsOf(facts: MatchFacts, day: string, timeZone: string): MatchFacts | null {
  if (dayIn(timeZone, facts.openedAt) > day) return null;
  const isBy = (at: number | null) => at === null || dayIn(timeZone, at) <= day;
  const isThen = ({ fields }: Pick<ShownRecord, 'fields'>) => isBy(momentOf(fields['createdAt']));
  const datesOf = (kind: string, of: string) =>
    facts.booked.flatMap(({ recordKind, recordId, date }) => (recordKind === kind && recordId === of ? [date] : []));
  const isLater = (kind: string, id: string) => {
    const dates = datesOf(kind, id);
    return dates.length > 0 && dates.every((date) => date > day);
  };
  const { order } = facts;
  const payins = order.payins.filter((payin) => isThen(payin) && !isLater('payin', payin.id));
  const isUnpaid = (intent: ShownRecord) => {
    if (datesOf('payment_intent', intent.id).length > 0) return isLater('payment_intent', intent.id);
    const payins = payinsOf(intent, order.payins);
    return payins.length > 0 && payins.every((one) => !isThen(one) || isLater('payin', one.id));
  };
  const unpaid = new Set(order.intents.filter(isUnpaid).map(({ id }) => id));
  const intents = order.intents
    .filter(isThen)
    .map((intent) => (unpaid.has(intent.id) ? { ...intent, fields: { ...intent.fields, ...UNPAID } } : intent));
  const isGiven = (refund: ShownRecord | undefined) =>
    refund !== undefined && isThen(refund) && !isLater('payout', refund.id);
  const refunds = facts.refunds.filter(isGiven);
  const known = new Set([...intents.filter(({ id }) => !unpaid.has(id)), ...payins, ...refunds].map(({ id }) => id));
  return {
    ...facts,
    order: {
      ...order,
      expected: isBy(facts.registeredAt) ? order.expected : null,
      intents,
      payins,
      invoices: order.invoices.filter(isThen),
      refunds: order.refunds.filter((_, at) => isGiven(facts.refunds[at])),
    },
    refunds,
    moved: facts.moved.filter(({ recordId }) => known.has(recordId)),
    booked: facts.booked.filter(({ date }) => date <= day),
  };
}

/** Those that were read, and of the others what the payment itself shows of them. */
function payinsOf({ id, fields }: ShownRecord, payins: readonly ShownRecord[]): Pick<ShownRecord, 'id' | 'fields'>[] {
  const listed = objectsIn(fields, 'payins');
  const shown = listed.map((one) => ({ id: textField(one, 'id') ?? '', fields: one }));
  const read = payins.filter(
    (payin) => textField(payin.fields, 'paymentIntentId') === id || shown.some((one) => one.id === payin.id),
  );
  return [...read, ...shown.filter((one) => !read.some((payin) => payin.id === one.id))];
}
