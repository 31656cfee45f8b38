import { type ShownRecord } from '../../family/links.js';
import { amountField } from '../../family/money.js';
import { addAmounts, compareAmounts, isZero, negated, subtractAmounts, sumAmounts } from '../../money.js';
import { objectsIn, textField } from '../../records.js';
import { rateOfPayment } from '../choose-rate.js';
import { exactRate, roundedValue, sumExactValues } from '../fiat-report.js';
import { isFar } from '../rate-doubts.js';
import type { BookedSum, MatchFacts, MovedSum } from './match-facts.js';
import type { MatchAmount, Reason } from './match-shapes.js';
import { grossOf } from './match-sides.js';

/** Where a payment and its payins, what moved the balance, and the books do not say the same. */
export function recordReasons(facts: MatchFacts, amounts: readonly MatchAmount[]): Reason[] {
  const found = [
    ...facts.unclear.map((why): Reason => ({ code: 'moved_unclear', told: `what it moved is not known: ${why}` })),
    ...facts.order.intents.flatMap((intent) => [...payinReasons(intent, facts), ...movedReasons(intent, facts)]),
    ...facts.claims.map((words): Reason => ({ code: 'refund_differs', told: words })),
    ...refundReasons(facts),
    ...bookedReasons(facts),
  ];
  return [...(found.length > 0 ? found : grossReasons(facts, amounts)), ...valueReasons(facts)];
}

/** The books carry a payment at a rate far from that by which its request was converted: the rate of its day may be wrong. */
function valueReasons(facts: MatchFacts): Reason[] {
  const { currency } = facts;
  return facts.order.intents.flatMap((intent): Reason[] => {
    const asset = textField(intent.fields, 'assetCode') ?? '';
    const asked = rateOfPayment(intent.fields, asset, currency);
    const income = ofPayment(intent, facts, facts.booked).filter(
      ({ account, assetCode }) => account === 'payments' && assetCode === asset,
    );
    const amount = negated(sumAmounts(income.map((one) => one.amount)));
    if (asked?.rate == null || compareAmounts(amount, '0') <= 0 || income.some(({ unpriced }) => unpriced > 0))
      return [];
    const value = sumExactValues(income.map((one) => one.value));
    if (!isFar(exactRate(value, amount), asked.rate)) return [];
    const worth = `${roundedValue(value, currency)} ${currency}`;
    const request = `${amountField(intent.fields, 'amountRequested')} ${currency}`;
    const told = `payment ${intent.id} asked for ${request}, and the books carry ${worth} for the ${amount} ${asset} of it: look at the rate of ${income[0]?.date}`;
    return [{ code: 'value_differs', told }];
  });
}

/** The fees too; what of them was taken before the opening is in no entry. */
function grossReasons({ moved }: MatchFacts, amounts: readonly MatchAmount[]): Reason[] {
  if (moved.some(({ base }) => !isZero(base))) return [];
  return amounts.flatMap(({ code, paid, returned, booked }): Reason[] => {
    const due = subtractAmounts(paid, returned);
    if (compareAmounts(due, booked) === 0) return [];
    return [
      { code: 'booked_differs', told: `paid less what was given back is ${due} ${code}, booked is ${booked} ${code}` },
    ];
  });
}

/** What a dispute does to the sums of a payment is not shown: of one the payins say nothing. */
function payinReasons(intent: ShownRecord, facts: MatchFacts): Reason[] {
  const { order } = facts;
  const { fields } = intent;
  const net = amountField(fields, 'amountNetMerchant') ?? '0';
  const isPlain = (textField(fields, 'irregularStatus') ?? 'none') === 'none';
  if (!isPlain || isZero(grossOf(intent))) return [];
  const listed = objectsIn(fields, 'payins');
  const ids = listed.flatMap((one) => textField(one, 'id') ?? []);
  const own = order.payins.filter(
    ({ id, fields: of }) => ids.includes(id) || textField(of, 'paymentIntentId') === intent.id,
  );
  const read = own.filter(({ verified, absent }) => verified && !absent);
  const missing = ids.filter((id) => !read.some((payin) => payin.id === id));
  if (missing.length > 0 || read.length === 0) {
    if (isInsideOpening(intent, facts)) return [];
    const which = missing.length > 0 ? ` ${missing.join(', ')}` : '';
    return [{ code: 'deposits_unread', told: `the payins of payment ${intent.id} are not read yet${which}` }];
  }
  const asset = textField(fields, 'assetCode');
  const confirmed = read.filter(({ fields: of }) => textField(of, 'status') === 'confirmed');
  const foreign = confirmed.some(({ fields: of }) => textField(of, 'assetCode') !== asset);
  const brought = sumAmounts(confirmed.map(({ fields: of }) => amountField(of, 'amountNet') ?? '0'));
  if (!foreign && compareAmounts(brought, net) === 0) return [];
  const sum = foreign ? 'other assets' : `${brought} ${asset}`;
  return [{ code: 'deposits_differ', told: `payment ${intent.id} shows ${net} ${asset} net, its payins ${sum}` }];
}

/** All that it moved stood when the books were opened: it is history, whose payins need not be read. */
function isInsideOpening(intent: ShownRecord, facts: MatchFacts): boolean {
  const own = movedOf(intent, facts);
  return own.some(({ base }) => !isZero(base)) && own.every(({ base, delta }) => compareAmounts(base, delta) === 0);
}

const movedOf = (intent: ShownRecord, facts: MatchFacts): MovedSum[] => ofPayment(intent, facts, facts.moved);

/** By the payment or by its payins, as the contract has it. */
function ofPayment<Sum extends Pick<MovedSum, 'recordKind' | 'recordId'>>(
  { id: intentId }: ShownRecord,
  { order }: MatchFacts,
  sums: readonly Sum[],
): Sum[] {
  const payins = order.payins.filter(({ fields }) => textField(fields, 'paymentIntentId') === intentId);
  return sums.filter(
    ({ recordKind, recordId }) =>
      (recordKind === 'payment_intent' && recordId === intentId) ||
      (recordKind === 'payin' && payins.some(({ id }) => id === recordId)),
  );
}

/** The net of a payment against what moved the balance: by the payment or by its payins, as the contract has it. */
function movedReasons(intent: ShownRecord, facts: MatchFacts): Reason[] {
  const asset = textField(intent.fields, 'assetCode');
  if (asset === null || facts.unclear.length > 0) return [];
  const own = movedOf(intent, facts);
  const net = !isZero(grossOf(intent)) ? (amountField(intent.fields, 'amountNetMerchant') ?? '0') : '0';
  const delta = sumAmounts(own.filter(({ assetCode }) => assetCode === asset).map((one) => one.delta));
  const elsewhere = own.some(({ assetCode }) => assetCode !== asset);
  if (compareAmounts(net, delta) === 0 && !elsewhere) return [];
  if (own.length === 0)
    return [{ code: 'not_moved', told: `${net} ${asset} of payment ${intent.id} is not among the movements yet` }];
  const words = `payment ${intent.id} shows ${net} ${asset} net, the movements ${delta} ${asset}`;
  return [{ code: 'moved_differs', told: elsewhere ? `${words} and other assets` : words }];
}

/** What a dispute gives back may be money that was never credited; any other refund left the operating balance. */
function refundReasons({ refunds, order, moved, unclear }: MatchFacts): Reason[] {
  const ofDisputes = order.intents.map(({ fields }) => textField(fields, 'irregularRefundPayoutId'));
  return refunds.flatMap(({ id, fields, absent }): Reason[] => {
    const isConfirmed = textField(fields, 'status') === 'confirmed' && !absent;
    const isMoved = moved.some(({ recordKind, recordId }) => recordKind === 'payout' && recordId === id);
    if (!isConfirmed || isMoved || ofDisputes.includes(id) || unclear.length > 0) return [];
    return [{ code: 'not_moved', told: `refund ${id} is not among the movements of the operating balance` }];
  });
}

/** Record by record and asset by asset: what moved since the opening is what the entries put on the operating balance. */
function bookedReasons({ moved, booked, opened }: MatchFacts): Reason[] {
  const keys = new Map<string, { moved: string; booked: string; one: MovedSum | BookedSum }>();
  const note = (one: MovedSum | BookedSum, side: 'moved' | 'booked', amount: string): void => {
    const key = JSON.stringify([one.recordKind, one.recordId, one.assetCode]);
    const known = keys.get(key) ?? { moved: '0', booked: '0', one };
    keys.set(key, { ...known, [side]: addAmounts(known[side], amount) });
  };
  for (const one of moved) note(one, 'moved', subtractAmounts(one.delta, one.base));
  for (const one of booked) if (one.account === 'operating') note(one, 'booked', one.amount);
  return [...keys.values()].flatMap(({ moved: due, booked: done, one }): Reason[] => {
    if (compareAmounts(due, done) === 0) return [];
    const { assetCode, recordId } = one;
    const name = `${one.recordKind === 'payout' ? 'refund' : 'payment'} ${recordId}`;
    if (!opened.has(assetCode))
      return [
        { code: 'books_not_open', told: `the books of ${assetCode} are not open: its opening balance was not read` },
      ];
    if (isZero(done)) return [{ code: 'not_booked', told: `${due} ${assetCode} of ${name} is not booked yet` }];
    return [{ code: 'booked_differs', told: `${name} moved ${due} ${assetCode}, booked is ${done} ${assetCode}` }];
  });
}
