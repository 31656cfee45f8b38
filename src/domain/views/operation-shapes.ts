import { z } from 'zod';
import { alertSeverities } from '../alerts/condition.js';
import { decisionStates, gatedActions } from '../two-people.js';
import { anyObject, anything, count, described, ownId, text, time } from './parts.js';

export const callbackStatuses = ['pending', 'sent', 'dead', 'superseded'] as const;

export const callbackShape = z
  .object({
    id: ownId,
    webhookId: described(text, 'The header webhook-id: the same at every attempt.'),
    reference: described(text, 'The order.', 'A-1001'),
    status: described(
      z.enum(callbackStatuses),
      '`dead`: given up; `superseded`: a newer state of the order took its place.',
      'sent',
    ),
    attempts: described(count, 'How often it was tried.', 1),
    nextAttemptAt: described(time.nullable(), 'Null: none is to come.'),
    httpStatus: described(z.int().nullable(), 'The store’s answer.', 200),
    error: described(text.nullable(), 'What was wrong with it.', null),
    seq: described(text, 'Its place in the feed of changes.', '4096'),
    changedAt: time,
    sentAt: time.nullable(),
    data: described(anything, 'The order as it was sent.', {}),
  })
  .meta({ id: 'Callback', description: 'What is sent to the store about an order.' });
export type CallbackView = z.output<typeof callbackShape>;

export const alertShape = z
  .object({
    id: ownId,
    name: described(text, 'The condition.', 'MissedDeliveries'),
    subject: described(text, 'Distinguishes those of one name.', ''),
    severity: described(z.enum(alertSeverities), 'How grave it is.', 'critical'),
    status: described(
      z.enum(['pending', 'firing', 'resolved']),
      '`pending`: it fires when it has held for long enough.',
    ),
    summary: text,
    detail: text,
    // Empty where this version does not know the condition.
    remedy: described(text, 'What to do first; empty once it is over.'),
    runbook: described(text, 'The section that says what to do.', 'docs/runbook.md#missed-deliveries'),
    since: described(time, 'When it began, as known to the check that found it. It stays.'),
    seenAt: described(time, 'When a check saw it last. It ends some minutes after that.'),
    isOver: described(z.boolean(), 'It is not seen any more: what it says was so, and it ends within minutes.', false),
    firedAt: time.nullable(),
    resolvedAt: time.nullable(),
    acknowledgedAt: described(time.nullable(), 'When somebody said last that they are at it.', null),
    acknowledgedBy: described(text.nullable(), 'Who it was.', 'omar'),
    silencedUntil: described(time.nullable(), 'Until then nothing more of it is sent, unless it gets graver.', null),
    silencedBy: described(text.nullable(), 'Who silenced it.', null),
  })
  .meta({ id: 'Alert', description: 'A condition of which people get an alert.' });
export type AlertView = z.output<typeof alertShape>;

export const actionShape = z
  .object({
    id: ownId,
    at: time,
    actor: described(text, 'The name of a console token, or `os:` and the user of the operating system.', 'omar'),
    action: described(text, 'What was done.', 'replay'),
    target: described(text.nullable(), 'What it was done to.', 'event 128'),
    reason: described(text.nullable(), 'Why, in the actor’s words.'),
    details: described(anyObject, 'What else was given.', {}),
    outcome: described(z.enum(['done', 'asked', 'refused']), '`asked`: handed to the process that does it.', 'asked'),
  })
  .meta({ id: 'Action', description: 'Who did what, and why.' });
export type ActionView = z.output<typeof actionShape>;

export const decisionShape = z
  .object({
    id: ownId,
    action: described(z.enum(gatedActions), 'What is asked for, as the audit names it.', 'close period'),
    subject: described(text, 'What it would be done to.', 'period 2026-10'),
    state: described(
      z.enum(decisionStates),
      '`approved`: it is done; `expired`: it was to be approved, and what it is about had changed: nothing was done.',
      'waiting',
    ),
    preview: described(text, 'What it would come to, as it was when it was asked, in lines.'),
    reason: described(text, 'Why, in the words of who asked.', 'the break is known'),
    askedBy: described(text, 'Who asked.', 'fina'),
    askedAt: time,
    decidedBy: described(text.nullable(), 'Who decided: another person, unless it was withdrawn.', null),
    decidedAt: time.nullable(),
    note: described(text.nullable(), 'Why it was decided so.', null),
    outcome: described(text.nullable(), 'What came of it, in a sentence.', null),
  })
  .meta({ id: 'Decision', description: 'What one person asked of finance and another approves.' });
export type DecisionView = z.output<typeof decisionShape>;

export const decisionDetailShape = decisionShape
  .extend({ input: described(anyObject, 'What would be done, in full.', { month: '2026-10' }) })
  .meta({ id: 'DecisionDetail', description: 'A decision and what was asked for, in full.' });
