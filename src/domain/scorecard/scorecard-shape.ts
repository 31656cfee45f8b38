import { z } from 'zod';
import { count, described, month, text, time } from '../views/parts.js';
import { eventClasses } from './tally-events.js';

/** How an attempt of a call ended. `limited`: 429; `refused`: any other 4xx; `failed`: 5xx, or an answer that is none. */
export const callOutcomes = ['answered', 'refused', 'limited', 'failed', 'no_answer'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

export function outcomeOf(status: number | 'no_answer'): CallOutcome {
  if (status === 'no_answer') return 'no_answer';
  if (status === 429) return 'limited';
  if (status >= 200 && status < 300) return 'answered';
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'failed';
}

/** The share of attempts that the service answered, as a percentage with two digits, rounded down; null: there were none. */
export function availabilityOf(counts: Readonly<Partial<Record<CallOutcome, number>>>): string | null {
  const all = callOutcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);
  if (all === 0) return null;
  const down = (counts.failed ?? 0) + (counts.no_answer ?? 0);
  return (Math.floor(((all - down) / all) * 10_000) / 100).toFixed(2);
}

export const classMeanings = {
  received: 'Came in time, once, and in order.',
  doubled: 'Came more than once under one secret.',
  out_of_order: 'One that was made more than five seconds later came before it.',
  late: 'Came later than MISSED_GRACE_SECONDS after it was made.',
  under_way: 'Did not come yet; the service is still at it.',
  rejected: 'Did not come: we rejected it.',
  missed: 'Did not come, though the service sent it.',
  never_generated: 'The lists show what it would report, and the service made none.',
  not_sent: 'Came under a secret of ours, and the service did not send it. It is none of those expected.',
} as const satisfies Record<(typeof eventClasses)[number], string>;

const classCounts = z.object(
  Object.fromEntries(eventClasses.map((what) => [what, described(count, classMeanings[what], 0)])) as Record<
    (typeof eventClasses)[number],
    z.ZodInt
  >,
);
const expected = described(count, 'All of them but those that the service did not send.', 1200);
const callCounts = Object.fromEntries(callOutcomes.map((outcome) => [outcome, count])) as Record<
  (typeof callOutcomes)[number],
  z.ZodInt
>;
const availability = described(
  z.string().nullable(),
  'Percent of the attempts that the service answered, with whatever but 5xx; null: none was counted.',
  '99.95',
);

export const scorecardShape = z
  .object({
    month,
    timeZone: described(text, 'In which the month begins and ends (BOOKS_TIMEZONE).', 'UTC'),
    from: time,
    to: time,
    days: described(
      z.object({ counted: count, of: count, withHistory: count }),
      '`of`: days of the month that have begun; `withHistory`: those whose delivery history was read completely.',
      { counted: 30, of: 30, withHistory: 30 },
    ),
    countedAt: described(time.nullable(), 'When the newest day was counted last; null: none was.'),
    events: classCounts.extend({ expected }),
    byType: z.array(
      classCounts.extend({
        eventType: text,
        expected,
        p50Ms: described(count.nullable(), 'Half came within that, from when each was made; null: none came.', 800),
        p99Ms: described(count.nullable(), '99 of 100 did.', 2400),
      }),
    ),
    rejectedRequests: described(
      z.array(z.object({ reason: text, requests: count })),
      'Requests to the receiver that were rejected, whoever sent them.',
    ),
    api: z.object({
      ...callCounts,
      availability,
      byOperation: z.array(z.object({ operation: text, ...callCounts, availability })),
    }),
    notKnown: described(
      z.array(text),
      'Counts whose 0 means that nothing which would show one was read; `notes` says why.',
    ),
    notes: described(z.array(text), 'What is not known, and why.'),
  })
  .meta({ id: 'Scorecard', description: 'What the service did in a month, as far as it was seen from here.' });
export type Scorecard = z.output<typeof scorecardShape>;
