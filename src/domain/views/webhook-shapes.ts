import { z } from 'zod';
import { deliveryClasses } from '../deliveries/delivery-class.js';
import { secretVerdicts } from '../deliveries/secret-verdict.js';
import { rejectionReasons } from '../rejection-words.js';
import { anyObject, count, described, ownId, text, time } from './parts.js';

const eventType = described(text, 'As the service names it.', 'payment_intent.completed');

const event = z.object({
  id: ownId,
  eventType,
  status: described(
    z.enum(['received', 'applied', 'failed', 'unhandled', 'dead']),
    '`failed` is tried again, `dead` no more; `unhandled`: nothing is kept of such events.',
    'applied',
  ),
  source: described(z.enum(['webhook', 'delivery_history']), 'How it came.'),
  key: described(
    text,
    'What distinguishes it from other events. Masked for viewers where it is a hash of the content.',
    'evt_1',
  ),
  keyType: described(z.enum(['id', 'fingerprint']), 'Whether that is an id of the service or the content.'),
  eventId: described(text.nullable(), 'The service’s id of it.', 'evt_1'),
  secretLabel: described(text.nullable(), 'The secret that it came under.', 'live'),
  mark: described(
    text.nullable(),
    '`trigger`: a test by `tallyhook trigger`; `canary`: one that we sent ourselves through WEBHOOK_PUBLIC_URL. Nothing follows of them.',
    null,
  ),
  arrivals: described(count, 'How often it came.', 1),
  attempts: described(count, 'How often it was tried to be applied.', 1),
  receivedAt: time,
  lastArrivalAt: time,
  appliedAt: time.nullable(),
  error: described(text.nullable(), 'Why it could not be applied.', null),
});

export const eventShape = event.meta({ id: 'Event', description: 'A webhook whose signature was right, kept once.' });
export type EventView = z.output<typeof eventShape>;

export const arrivalsShape = z.object({ secretLabel: text, arrivals: count, firstAt: time, lastAt: time });

export const eventDetailShape = event
  .extend({
    arrivalsBySecret: described(z.array(arrivalsShape), 'How often it came under each secret.'),
    sameContentAs: described(z.array(text), 'Other events with the same content.', []),
    body: described(
      text.nullable(),
      'As it came, as text; null once it was deleted. Masked for viewers.',
      '{"event":"…"}',
    ),
  })
  .meta({ id: 'EventDetail', description: 'An event with its payload.' });
export type EventDetail = z.output<typeof eventDetailShape>;

const delivery = z.object({
  id: described(text, 'The service’s id.', 'wd_1'),
  endpointId: described(text.nullable(), 'The endpoint at the service.', 'we_1'),
  endpointUrl: text.nullable(),
  eventType: eventType.nullable(),
  paymentIntentId: described(
    text.nullable(),
    'The payment that its payload names; null: none, or it was read last before this was noted.',
    'pi_1',
  ),
  status: described(text.nullable(), 'As the service calls it.', 'delivered'),
  httpStatus: described(z.int().nullable(), 'Our answer, as the service noted it.', 200),
  attempts: described(z.int().nullable(), 'How often the service tried.', 1),
  lastAttemptAt: time.nullable(),
  nextRetryAt: time.nullable(),
  createdAt: time.nullable(),
  class: described(z.enum(deliveryClasses), 'What became of it: docs/operate.md explains each.', 'received'),
  classSince: time,
  reason: described(text.nullable(), 'Why it was rejected, or what else there is to say.', null),
  missed: described(z.boolean(), 'It should be here and is not, or is not applied yet.', false),
  eventId: described(text.nullable(), 'The event that it is paired with.', '128'),
  recoveredAt: time.nullable(),
  recoverable: described(z.boolean(), 'It is not here, and the service shows what it held.', false),
  verified: described(z.literal(true), 'Only the service’s own history shows deliveries.', true),
  verifiedAt: described(time, 'When the history showed it like this, by the service’s clock.'),
  observedAt: described(time, 'The same: nothing else shows a delivery.'),
  observedBy: described(z.object({ type: z.literal('poll'), ref: text }), 'The run that read it.', {
    type: 'poll',
    ref: '512',
  }),
});

export const deliveryShape = delivery.meta({
  id: 'Delivery',
  description: 'What the service says it sent, and what became of it here.',
});
export type DeliveryView = z.output<typeof deliveryShape>;

export const deliveryDetailShape = delivery
  .extend({
    // Null: none is shown, or it is too large to be kept, or was deleted by its age.
    payload: described(text.nullable(), 'As it was sent, as text. Masked for viewers.', '{"event":"…"}'),
    responseBody: described(text.nullable(), 'What was answered, as the service noted it.', '{"received":true}'),
    responseHeaders: described(anyObject.nullable(), 'The headers of that answer.', {}),
    attemptsList: described(z.array(z.unknown()).nullable(), 'Each attempt, as the service lists it.', []),
  })
  .meta({ id: 'DeliveryDetail', description: 'A delivery with its payload and its attempts.' });
export type DeliveryDetail = z.output<typeof deliveryDetailShape>;
/** What else the service shows of a delivery (specification 2.13), for people. */
export type DeliveryDetails = Omit<DeliveryDetail, keyof DeliveryView>;

export const rejectionShape = z
  .object({
    id: ownId,
    reason: described(z.enum(rejectionReasons), 'Specification 6.3.', 'invalid_signature'),
    detail: described(text, 'What was found.', 'no secret matches'),
    diagnosis: described(text.nullable(), 'The likely cause and its remedy.'),
    bodySize: described(count, 'In bytes.', 412),
    bodyHash: described(text, 'SHA-256, hexadecimal. Masked for viewers.'),
    firstBytes: described(text, 'The beginning of the body as text. Masked for viewers.'),
    rejectedAt: time,
  })
  .meta({
    id: 'Rejection',
    description: 'A request that the receiver rejected. Of each reason the newest 2,000 are kept.',
  });
export type RejectionView = z.output<typeof rejectionShape>;

export const secretShape = z
  .object({
    label: described(text, 'Its name among the configured secrets.', 'live'),
    fingerprint: described(text, 'Distinguishes secrets without showing them.', 'c0ffee12'),
    firstMatchAt: time.nullable(),
    lastMatchAt: time.nullable(),
    matches24h: described(count, 'Requests that it signed in the last 24 hours.', 3),
    endpointId: described(text.nullable(), 'The endpoint that signs with it.', 'we_1'),
    replacedBy: described(
      z.object({ id: text, createdAt: time.nullable() }).nullable(),
      'What took the place of that endpoint, which is gone at the service: its secret is missing here.',
    ),
    verdict: described(z.enum(secretVerdicts), 'docs/rotate-secrets.md says what to do.', 'keep'),
    missing: described(z.array(text), 'What speaks against retiring it, or is not known.', []),
    successor: described(text.nullable(), 'The secret that takes its place.', null),
    overlap: described(
      z.object({ both: count, onlyThis: count }).nullable(),
      'Events of the time in which both were in use.',
    ),
    retiredAt: time.nullable(),
    notSent: described(
      count.nullable(),
      'Events under it that the service did not send: it may have leaked. Null: it is not known.',
      0,
    ),
    unmatched: described(
      count,
      'Events of which the delivery history can’t show that, those that came just now among them.',
      0,
    ),
    lacking: described(
      count,
      'Those of them that the open break `history_differs` counts: it may have leaked, or the history lacks events.',
      0,
    ),
    untold: described(text.nullable(), 'Why it is not known.', null),
    next: described(text, 'What a person does next, with the step of docs/rotate-secrets.md.', 'Keep it: it stays.'),
  })
  .meta({ id: 'Secret', description: 'A signing secret with the evidence for a rotation; never the secret.' });
export type SecretStatus = z.output<typeof secretShape>;
