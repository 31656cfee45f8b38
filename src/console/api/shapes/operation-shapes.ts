import { z } from 'zod';
import type { ActionView } from '../../../records/actions/list-actions.js';
import type { AlertView } from '../../../records/alerts/list-alerts.js';
import { type CallbackView, callbackStatuses } from '../../../records/callbacks/list-callbacks.js';
import { anyObject, anything, count, ownId, shapeOf, text, time, told } from './parts.js';

export const callbackShape = shapeOf<CallbackView>()(
  z
    .object({
      id: ownId,
      webhookId: told(text, 'The header webhook-id: the same at every attempt.'),
      reference: told(text, 'The order.', 'A-1001'),
      status: told(
        z.enum(callbackStatuses),
        '`dead`: given up; `superseded`: a newer state of the order took its place.',
        'sent',
      ),
      attempts: told(count, 'How often it was tried.', 1),
      nextAttemptAt: told(time.nullable(), 'Null: none is to come.'),
      httpStatus: told(z.int().nullable(), 'The store’s answer.', 200),
      error: told(text.nullable(), 'What was wrong with it.', null),
      seq: told(text, 'Its place in the feed of changes.', '4096'),
      changedAt: time,
      sentAt: time.nullable(),
      data: told(anything, 'The order as it was sent.', {}),
    })
    .meta({ id: 'Callback', description: 'What is sent to the store about an order.' }),
);

export const alertShape = shapeOf<AlertView>()(
  z
    .object({
      id: ownId,
      name: told(text, 'The condition.', 'MissedDeliveries'),
      subject: told(text, 'Distinguishes those of one name.', ''),
      severity: told(text, 'critical or warning.', 'critical'),
      status: told(z.enum(['pending', 'firing', 'resolved']), '`pending`: it fires when it has held for long enough.'),
      summary: text,
      detail: text,
      remedy: told(text, 'What to do first.'),
      runbook: told(text, 'The section that says what to do.', 'docs/runbook.md#missed-deliveries'),
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
      actor: told(text, 'The name of a console token, or `cli:` and the user of the operating system.', 'omar'),
      action: told(text, 'What was done.', 'replay'),
      target: told(text.nullable(), 'What it was done to.', 'event 128'),
      reason: told(text.nullable(), 'Why, in the actor’s words.'),
      details: told(anyObject, 'What else was given.', {}),
      outcome: told(z.enum(['done', 'asked', 'refused']), '`asked`: handed to the process that does it.', 'asked'),
    })
    .meta({ id: 'Action', description: 'Who did what, and why.' }),
);
