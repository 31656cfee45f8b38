import { z } from 'zod';
import { ages, amount, count, described, text, time } from '../../views/parts.js';

/** matched: all three sides agree, or are nothing. partly_matched: two at least are there, and differ. unmatched: one alone. */
export const matchStates = ['matched', 'partly_matched', 'unmatched'] as const;
export type MatchState = (typeof matchStates)[number];

export const matchedReasons = ['agreed', 'given_back', 'partly_given_back', 'lapsed'] as const;

export const matchReasons = [
  ...matchedReasons,
  'not_paid',
  'lapsed_unpaid',
  'confirming',
  'claimed',
  'not_at_service',
  'underpaid',
  'overpaid',
  'paid_twice',
  'out_of_range',
  'disputed',
  'not_asked',
  'shared_reference',
  'counted_elsewhere',
  'moved_unclear',
  'deposits_unread',
  'deposits_differ',
  'refund_differs',
  'not_moved',
  'moved_differs',
  'books_not_open',
  'not_booked',
  'booked_differs',
  'value_differs',
] as const;

export type MatchReason = (typeof matchReasons)[number];

const state = z.enum(matchStates);
const age = described(ages, 'How many days it waits.', '31-60');

/** Of the amounts only `booked` and `value` may be negative. */
const sides = {
  code: described(
    text,
    'An asset; of what is asked for and not paid, the currency that it is asked for in.',
    'USDT.TRON',
  ),
  asked: described(amount, 'By the order, its invoices or what its payments asked for.'),
  paid: described(amount, 'Gross, as the service’s payments show it.'),
  returned: described(amount, 'By confirmed refunds that moved a balance.'),
  booked: described(amount, 'Income of payments less refunds, in the books.'),
  value: described(amount, 'What is booked was worth in the reporting currency, as far as it is priced; exact.'),
  unpriced: described(count, 'Lines of it that are not.', 0),
};

const amounts = z.object(sides).meta({ id: 'MatchAmount', description: 'The three sides.' });
export type MatchAmount = z.output<typeof amounts>;

const reason = z.object({
  code: described(z.enum(matchReasons), 'Which it is.', 'underpaid'),
  told: described(text, 'In words, with the amounts.', '20 USDT.TRON came in, asked were 25 EUR'),
});
export type Reason = z.output<typeof reason>;

export const matchShape = z
  .object({
    kind: described(z.enum(['order', 'invoice', 'payment_intent']), 'An order, or what belongs to none.', 'order'),
    id: described(text, 'The order’s reference, or the record’s id.', 'order-1042'),
    state,
    reasons: described(z.array(reason), 'The first decides.'),
    amounts: z.array(amounts),
    openedAt: time,
    openedOn: described(text, 'The day in the zone of the books, from which it is aged.', '2026-10-31'),
    age,
  })
  .meta({ id: 'Match', description: 'What was asked, what was paid, and what is booked.' });
export type MatchView = z.output<typeof matchShape>;

const place = z.object({ state, age, matches: described(count, 'How many.', 3) });
export type Place = z.output<typeof place>;

const totals = z.object({
  counts: described(z.array(place), 'Each match once.'),
  amounts: described(z.array(place.extend(sides)), 'By asset.'),
});
export type MatchTotals = z.output<typeof totals>;

export const matchSummaryShape = totals
  .extend({
    asOf: described(text, 'Today in the zone of the books.', '2026-10-31'),
    currency: described(text.nullable(), 'In which `value` is.', 'USD'),
    unproven: described(
      z.array(z.object({ assetCode: text, why: text })),
      'Assets whose balance is not proven: that the books agree says less of them.',
      [],
    ),
    behindSince: described(time.nullable(), 'Since when changes wait to be matched; null: none does.'),
  })
  .meta({ id: 'MatchSummary', description: 'The three-way match by age and asset.' });
