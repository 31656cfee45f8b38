import { z } from 'zod';
import { breakKinds } from '../breaks/breaks.js';
import { severities } from '../breaks/findings.js';
import { entityKinds } from '../records.js';
import { runKinds } from '../run-kinds.js';
import { ages, amount, anyObject, anything, assetCode, count, described, entity, ownId, text, time } from './parts.js';

const breakFields = z.object({
  id: ownId,
  kind: described(z.enum(breakKinds), 'docs/breaks.md explains each.', 'missed_webhook'),
  severity: described(z.enum(severities), 'How grave it is.', 'high'),
  entity,
  evidence: described(anything, 'What was found, field by field, with its sources.', {}),
  status: described(
    z.enum(['open', 'acknowledged', 'resolved', 'written_off', 'auto_resolved']),
    '`auto_resolved`: its cause is gone.',
    'open',
  ),
  owner: described(text.nullable(), 'Who is at it; null: nobody.', 'ann'),
  openedAt: time,
  dueAt: described(
    time,
    'By then it is to be closed: 4 hours after it was opened if critical, 24 if high, 7 days if medium, 30 if low.',
  ),
  overdue: described(z.boolean(), 'It is not closed, and was due.', false),
  resolvedAt: time.nullable(),
  age: described(ages, 'Days since it was opened, until it was closed.'),
  ageDays: described(count, 'The same as a number.', 0),
});

export const breakShape = breakFields.meta({ id: 'Break', description: 'A difference that a person should see.' });
export type BreakView = z.output<typeof breakShape>;

export const breakStepShape = z.object({ action: text, actor: text, note: text.nullable(), at: time });
export type BreakStep = z.output<typeof breakStepShape>;

export const breakDetailShape = breakFields
  .extend({ steps: described(z.array(breakStepShape), 'What was done about it, oldest first.') })
  .meta({ id: 'BreakDetail', description: 'A break and all that was done about it.' });
export type BreakDetail = z.output<typeof breakDetailShape>;

const causeFields = z.object({
  id: described(ownId, 'Its oldest break: any break of it names it.'),
  kind: breakFields.shape.kind,
  entityKind: described(z.enum(entityKinds), 'What they are about.', 'delivery'),
  shared: described(text, 'What their evidence has in common; `none`: it names nothing.', 'http status 502'),
  severity: described(z.enum(severities), 'The worst of them.', 'high'),
  count: described(count, 'How many are not closed.', 40),
  openedFrom: described(time, 'When the first was opened.'),
  openedTo: described(time, 'When the last was opened.'),
  unowned: described(count, 'Nobody is at so many.', 40),
});
export const breakCauseShape = causeFields.meta({
  id: 'BreakCause',
  description:
    'Breaks of one kind about one kind of record that share what their evidence says, each opened within an hour of the one before.',
});
export type BreakCause = z.output<typeof breakCauseShape>;

const leftOut = z.object({
  why: described(
    z.enum(['resolved', 'written_off', 'auto_resolved', 'other_cause', 'not_found']),
    'Closed before, and how; of another cause by now; or there is no such break.',
    'resolved',
  ),
  count,
  first: described(ownId.nullable(), 'One of them; null: they are only counted.'),
});
export const leftOutShape = described(z.array(leftOut), 'What a decision leaves as it is, and why.');
export type LeftOut = z.output<typeof leftOut>;

export const breakCauseDetailShape = causeFields
  .extend({
    ids: described(z.array(ownId), 'Its breaks, 1,001 at most: a decision is about 1,000 at most, and names them.'),
    money: described(
      z.array(
        z.object({
          currency: described(assetCode.nullable(), 'Null: of so many no record says how much.'),
          breaks: count,
          amount: described(amount.nullable(), 'Of each money once, however many breaks are about it.'),
          worth: described(amount.nullable(), 'In US dollars at the newest rate of the service; null: it showed none.'),
        }),
      ),
      'What they are about in money, by asset; empty of more than 1,000.',
    ),
    leftOut: leftOutShape,
  })
  .meta({ id: 'BreakCauseDetail', description: 'A cause, and what a decision about all of it would be about.' });
export type BreakCauseDetail = z.output<typeof breakCauseDetailShape>;

const kindsOfRuns: readonly string[] = runKinds;
const runKind = z.enum(kindsOfRuns);

export const runShape = z
  .object({
    id: ownId,
    kind: described(runKind, 'What it read.', 'payment-intents'),
    full: described(z.boolean(), 'To the end of the list, however long.', false),
    status: z.enum(['running', 'succeeded', 'failed', 'aborted']),
    calls: described(count, 'Calls to the service.', 2),
    seen: described(count, 'Rows that the service showed.', 140),
    changed: described(count, 'Records that it changed.', 3),
    breaksOpened: described(count, 'Breaks that it opened.', 0),
    // False until then, and for ever where it failed.
    complete: described(z.boolean(), 'Everything that it set out to read was proven to be read.', true),
    proof: described(anyObject, 'What that rests on, or why it is not proven.', {}),
    startedAt: time,
    finishedAt: time.nullable(),
    error: described(text.nullable(), 'Why it failed.', null),
  })
  .meta({ id: 'Run', description: 'One poll of a list of the service.' });
/** Listed runs have a row, and so an id; a dry run has none. */
export type Run = Omit<z.output<typeof runShape>, 'id'> & { id: string | null };

export const changeShape = z
  .object({
    seq: described(text, 'The place in the feed: `after` of the next request.', '4096'),
    entity,
    field: described(text, '`*`: the record came to be known, and `to` is the whole record.', 'status'),
    from: described(anything, 'Null where it was absent.', 'pending'),
    to: described(anything, 'Null where it is absent. What identifies a person is a digest.', 'completed'),
    source: described(
      z.object({
        // `store`: it registered what it expects of an order; `person`: by name; `contract`, `setting`: it changed.
        type: z.enum(['webhook', 'poll', 'delivery_history', 'api_response', 'store', 'person', 'contract', 'setting']),
        ref: text,
      }),
      'What it is known from.',
      { type: 'webhook', ref: '128' },
    ),
    serviceTime: described(time.nullable(), 'When it was so, by the service’s clock.'),
    changedAt: described(time, 'When it was kept here.'),
  })
  .meta({ id: 'Change', description: 'One change of one field of a record or an order.' });
export type Change = z.output<typeof changeShape>;

export const coverageShape = z
  .object({
    kind: described(runKind, 'What is read.', 'payment-intents'),
    // Of a kind without a time of creation: the first complete poll.
    provenSince: described(
      time.nullable(),
      'All that was created since is held; null: that is not proven of any time.',
    ),
    completeUntil: described(time.nullable(), 'The beginning of the newest complete run.'),
    ageSeconds: described(z.int().nullable(), 'How long ago that is.', 40),
    reason: described(text.nullable(), 'What the newest run did not prove, and why.', null),
    // Newest first; null: from the head, or to the end.
    unread: described(
      z.array(z.object({ createdBefore: time.nullable(), createdAfter: time.nullable() })),
      'Gaps: intervals of the list that were not read.',
      [],
    ),
  })
  .meta({ id: 'Coverage', description: 'What is proven of a kind.' });
export type Coverage = z.output<typeof coverageShape>;
