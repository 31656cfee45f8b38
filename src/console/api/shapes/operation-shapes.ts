import { z } from 'zod';
import type { ActionView } from '../../../records/actions/list-actions.js';
import type { AlertView } from '../../../records/alerts/list-alerts.js';
import { type CallbackView, callbackStatuses } from '../../../records/callbacks/list-callbacks.js';
import { anyObject, anything, count, described, ownId, shapeOf, text, time } from './parts.js';

export const callbackShape = shapeOf<CallbackView>()(
  z
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
    .meta({ id: 'Callback', description: 'What is sent to the store about an order.' }),
);

export const alertShape = shapeOf<AlertView>()(
  z
    .object({
      id: ownId,
      name: described(text, 'The condition.', 'MissedDeliveries'),
      subject: described(text, 'Distinguishes those of one name.', ''),
      severity: described(text, 'critical or warning.', 'critical'),
      status: described(
        z.enum(['pending', 'firing', 'resolved']),
        '`pending`: it fires when it has held for long enough.',
      ),
      summary: text,
      detail: text,
      remedy: described(text, 'What to do first.'),
      runbook: described(text, 'The section that says what to do.', 'docs/runbook.md#missed-deliveries'),
      since: time,
      firedAt: time.nullable(),
      resolvedAt: time.nullable(),
    })
    .meta({ id: 'Alert', description: 'A condition of which people get an alert.' }),
);

export const actionShape = shapeOf<ActionView>()(
  z
    .object({
      id: ownId,
      at: time,
      actor: described(text, 'The name of a console token, or `cli:` and the user of the operating system.', 'omar'),
      action: described(text, 'What was done.', 'replay'),
      target: described(text.nullable(), 'What it was done to.', 'event 128'),
      reason: described(text.nullable(), 'Why, in the actor’s words.'),
      details: described(anyObject, 'What else was given.', {}),
      outcome: described(z.enum(['done', 'asked', 'refused']), '`asked`: handed to the process that does it.', 'asked'),
    })
    .meta({ id: 'Action', description: 'Who did what, and why.' }),
);
