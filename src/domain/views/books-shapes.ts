import { z } from 'zod';
import { bookedKinds } from '../books/entry.js';
import { amount, assetCode, count, described, month, ownId, text, time } from './parts.js';

export const entryLineShape = z
  .object({
    account: described(text, 'Of the chart of accounts.', 'Assets:Service:Operating'),
    assetCode,
    amount,
    memo: described(z.boolean(), 'It says what is known, and moves nothing.', false),
    rate: described(amount.nullable(), 'What one unit was worth then.'),
    rateCurrency: described(text.nullable(), 'In which currency.', 'USD'),
    rateSource: described(text.nullable(), 'Who says so.'),
    rateAt: time.nullable(),
    unpriced: described(text.nullable(), 'Why there is no rate.', null),
  })
  .meta({ id: 'EntryLine', description: 'A leg of an entry. Debits are positive; the lines are zero per asset.' });
export type EntryLineView = z.output<typeof entryLineShape>;

const revaluation = z
  .object({
    assetCode,
    currency: described(text, 'In which currency.', 'USD'),
    before: described(amount.nullable(), 'The rate until then; null: there was none.'),
    rate: described(amount, 'The rate from then on.'),
    at: time,
    file: described(text.nullable(), 'SHA-256 of the file of rates that finance gave.'),
    actor: described(text.nullable(), 'Who gave it.', 'ann'),
    decision: described(text.nullable(), 'By which another person approved it; null: nobody had to.', '7'),
    approvedBy: described(text.nullable(), 'Who that was.', 'ada'),
  })
  .meta({ id: 'Revaluation', description: 'An entry of an open month got another rate; its amounts stay.' });
export type Revaluation = z.output<typeof revaluation>;

export const entryShape = z
  .object({
    id: ownId,
    recordKind: described(z.enum(bookedKinds), 'What it was derived from.', 'payment_intent'),
    recordId: described(text, 'Its id.', 'pi_1'),
    key: described(text, 'Which of the record’s entries it is.'),
    version: described(z.int(), 'Counts up where it was corrected.', 1),
    type: z.enum(['entry', 'reversal', 'correction', 'change']),
    reverses: described(text.nullable(), 'The entry that it takes back.', null),
    corrects: described(text.nullable(), 'The entry that it stands for.', null),
    month: described(month, 'The period that it was posted in.'),
    date: described(text, 'YYYY-MM-DD in the zone of the books.', '2026-10-31'),
    at: described(time, 'The service’s time of what is booked.'),
    datedBy: described(text, 'Which of its times that is.', 'createdAt'),
    adjusts: described(text.nullable(), 'The closed month that it belongs to.', null),
    description: text,
    sources: z.array(z.object({ kind: text, id: text })),
    observedBy: z.object({ type: text, ref: text, at: text }).nullable(),
    postedAt: time,
    lines: z.array(entryLineShape),
    revaluations: described(z.array(revaluation), 'How it was valued anew, oldest first.', []),
  })
  .meta({
    id: 'Entry',
    description:
      'A double entry. Its lines are never changed once it is posted; until its month is closed it may be valued anew.',
  });
export type EntryView = z.output<typeof entryShape>;

/** `closing` counts from 1: a month that was reopened has files of each of its closings. */
const file = z.object({ id: ownId, closing: count, format: text, name: text, sha256: text, bytes: count });
export type PeriodFile = z.output<typeof file>;

export const periodShape = z
  .object({
    month,
    status: z.enum(['open', 'closed']),
    closings: described(count, 'How often it was closed.', 1),
    closedAt: time.nullable(),
    closedBy: described(text.nullable(), 'Who asked for it.', 'ann'),
    approvedBy: described(text.nullable(), 'Of a closed month: who approved it, where two decide.', null),
    exceptions: described(z.array(text), 'Of a closed month: what was missing when it was closed, in sentences.', []),
    reason: described(text.nullable(), 'Why it was closed though something was missing, or reopened.', null),
    reopenedAt: time.nullable(),
    reopenedBy: text.nullable(),
    entries: described(count, 'How many entries it has.', 420),
    files: described(z.array(file), 'Of a closed month: its files, with their hashes.', []),
  })
  .meta({ id: 'Period', description: 'A month of the books.' });
export type PeriodView = z.output<typeof periodShape>;

const missing = z.object({
  what: z.enum([
    'already_closed',
    'month_not_over',
    'nothing_posted',
    'seals_broken',
    'books_changed',
    'earlier_month_open',
    'posting_behind',
    'asset_not_opened',
    'critical_break',
    'kind_unproven',
    'balance_unproven',
    'closing_differs',
    'books_differ',
    'unpriced_lines',
    'settlement_open',
    'rate_far',
    'value_differs',
  ]),
  of: described(text.nullable(), 'Which break, kind, asset, month, entry, order or record.', '7'),
  told: described(text, 'In a sentence.', 'break 7 is open: balance_residual of balance BTC'),
  // What may not be would let a closed month change.
  byReason: described(z.boolean(), 'It may be closed nevertheless by who gives a reason.', true),
});
export type Missing = z.output<typeof missing>;

const doubtedIncome = z.object({
  kind: described(
    text.nullable(),
    'Of the breaks; null: of all kinds together, each payment once.',
    'duplicate_payment',
  ),
  breaks: count,
  payments: described(count, 'Payments of which income stands in the month.', 4),
  value: described(amount, 'That income, unrounded.', '700.6'),
  unpriced: described(count, 'Of its lines have no rate: they are in no value.', 0),
});

export const periodCheckShape = z
  .object({
    month,
    postedUntil: described(time.nullable(), 'When the newest change was known that is posted; null: nothing is.'),
    missing: described(z.array(missing), 'Empty: it may be closed.'),
    doubtedIncome: described(
      z.array(doubtedIncome),
      'Income of the month from payments with a break that is not closed, all of it first, then by kind. It keeps no month open.',
    ),
  })
  .meta({ id: 'PeriodCheck', description: 'What is missing for a month to be closed.' });
export type PeriodCheck = z.output<typeof periodCheckShape>;

const units = (when: string) => described(amount, `Units, ${when}; a debit is positive.`);
const worth = (when: string) =>
  described(amount, `What they were worth, ${when}: exact, each line at the rate of its own day.`);
const money = (of: string) => described(text, `${of}, rounded to the currency’s own decimals.`, '1250.00');

const accountWorth = z.object({
  account: described(text, 'Of the chart of accounts.', 'assets:operating'),
  assetCode,
  opening: units('before the month'),
  activity: units('in the month'),
  closing: units('at its end'),
  openingValue: worth('before the month'),
  activityValue: worth('in the month'),
  closingValue: worth('at its end'),
  unpriced: described(count, 'Lines until its end that have no rate: they are in no value.', 0),
  endRate: described(
    amount.nullable(),
    'Of assets and liabilities: the rate of the month’s last day; null: none is known.',
    '1.0002',
  ),
  endValue: described(amount.nullable(), 'What the closing is worth by it, exact.'),
  rateDifference: described(
    amount.nullable(),
    'That less `closingValue`: what rates have made of it. Nothing of it is posted.',
  ),
});
export type AccountWorth = z.output<typeof accountWorth>;

const rest = z.object({
  residual: money('What rounding leaves over'),
  total: money('What all accounts come to'),
  unpriced: described(count, 'Lines without a rate.', 0),
});

export const monthAccountsShape = z
  .object({
    month,
    currency: described(text, 'REPORTING_CURRENCY.', 'USD'),
    accounts: z.array(accountWorth),
    more: described(z.boolean(), 'There are more accounts than these 200: ask for one by its name.', false),
    values: described(
      rest.extend({
        accounts: z.array(
          z.object({
            account: text,
            value: money('What the month’s activity was worth'),
            opening: money('What the months before come to'),
            closing: money('The opening and the activity'),
          }),
        ),
        opening: rest,
        closing: rest,
      }),
      'The same accounts in money, each month rounded once: opening + value = closing. Null where these are a part of the accounts.',
    ).nullable(),
  })
  .meta({
    id: 'MonthAccounts',
    description: 'What each account opened and closed a month with, in units and in money.',
  });
export type MonthAccounts = z.output<typeof monthAccountsShape>;
