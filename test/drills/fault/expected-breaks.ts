import { compareAmounts } from '../../../src/domain/money.js';
import type { Fields, Truth } from './compare-truth.js';

/** `kind entityKind entityId` */
export type BreakName = string;

interface Attempt {
  httpStatus: number | null;
}

/**
 * What the deliveries of the service's own log imply: every delivery to our address whose event none of our endpoints
 * answered with 200 was a break. Ids, with the kinds that are right. The last attempt says which: `rejected_delivery`
 * where we rejected it, `missed_webhook` where it did not get here. Where an earlier attempt was rejected and the last
 * did not get here either is right: the history names the last answer only (specification 2.13), and of refusals a sample
 * is kept. So it is where the same bytes were refused that came for another endpoint of ours.
 */
export function deliveryBreaks(truth: Truth, url: string): Map<string, readonly string[]> {
  const ours = truth.deliveries.filter(({ endpointUrl }) => endpointUrl === url);
  const eventOf = ({ payload }: Fields) => JSON.stringify(payload);
  const attemptsOf = ({ attemptsList }: Fields) => attemptsList as Attempt[];
  const isReceived = (delivery: Fields) => attemptsOf(delivery).some(({ httpStatus }) => httpStatus === 200);
  const received = new Set(ours.filter(isReceived).map(eventOf));
  const missed = ours.filter((delivery) => !received.has(eventOf(delivery)));
  const refused = new Set(missed.filter((delivery) => attemptsOf(delivery).some(isRefusal)).map(eventOf));
  return new Map(
    missed.map((delivery) => {
      if (isRefusal(attemptsOf(delivery).at(-1))) return [String(delivery['id']), ['rejected_delivery']];
      const either = refused.has(eventOf(delivery)) ? ['rejected_delivery'] : [];
      return [String(delivery['id']), ['missed_webhook', ...either]];
    }),
  );
}

function isRefusal(attempt: Attempt | undefined): boolean {
  return attempt?.httpStatus === 400 || attempt?.httpStatus === 401;
}

/** `irregular` need not hold a payment that received what was expected (3.1). One finding, however many are disputed. */
export function filterBreaks({ paymentIntents }: Truth, references: ReadonlySet<unknown>): BreakName[] {
  const outside = paymentIntents.filter(
    ({ merchantReference, irregularStatus, totalAmountReceived, amountCryptoExpected, amountRequested }) =>
      references.has(merchantReference) &&
      irregularStatus === 'pending_decision' &&
      compareAmounts(String(totalAmountReceived), String(amountCryptoExpected ?? amountRequested)) === 0,
  );
  return outside.length === 0 ? [] : ['dispute_outside_irregular payment_intent status=irregular'];
}

/** What a customer did to an order that the store registered is a break too, whatever became of the webhooks. */
const breakOfOrder: Readonly<Record<string, string>> = { underpaid: 'order_underpaid', overpaid: 'order_overpaid' };
const withoutMoney: readonly string[] = ['expired', 'cancelled', 'awaiting_payment'];

/** By what an order has to show in the end. */
export function orderBreaks(
  reference: string,
  { status, registered }: { status: string; registered: boolean },
): BreakName[] {
  const kinds = [
    ...(status === 'paid_twice' ? ['duplicate_payment'] : []),
    ...(registered ? [breakOfOrder[status]] : [withoutMoney.includes(status) ? undefined : 'order_unknown_reference']),
  ];
  return kinds.flatMap((kind) => (kind === undefined ? [] : [`${kind} order ${reference}`]));
}
