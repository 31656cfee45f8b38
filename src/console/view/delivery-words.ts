import type { DeliveryClass } from '../../domain/deliveries/delivery-class.js';
import { rejectionWords } from '../../domain/rejection-words.js';
import type { DeliveryView } from '../../domain/views/webhook-shapes.js';
import { badge, type Tone, type Value } from './values.js';

interface ClassWords {
  /** On a badge. */
  short: string;
  tone: Tone;
  /** What happened, in a sentence. */
  cause: string;
  /** What to do; null: nothing. */
  remedy: string | null;
}

export const deliveryWords: Readonly<Record<DeliveryClass, ClassWords>> = {
  received: { short: 'received', tone: 'good', cause: 'The event is here, through this delivery.', remedy: null },
  received_sibling: {
    short: 'received elsewhere',
    tone: 'good',
    cause: 'The event is here, through another endpoint of ours, as while a secret is changed.',
    remedy: null,
  },
  pending_retry: {
    short: 'on its way',
    tone: 'info',
    cause: 'The event is not here yet, and the service is still at it.',
    remedy: 'Wait for the next attempt, or recover it now: that it comes once more then changes nothing.',
  },
  rejected: {
    short: 'rejected by us',
    tone: 'bad',
    cause: 'We rejected it.',
    remedy: 'Fix what the reason names, or the next one is rejected as well. Then recover it.',
  },
  never_reached: {
    short: 'never reached us',
    tone: 'bad',
    cause: 'No attempt reached us.',
    remedy: 'Look at the network, the proxy, and whether the receiver was up. Then recover it.',
  },
  phantom: {
    short: 'phantom',
    tone: 'bad',
    cause: 'The service noted that it was taken, and nothing of it is here: something else answered in our place.',
    remedy:
      'Look at what else listens at that address: a proxy with a default page, an old deployment, a tunnel. Then recover it.',
  },
  other_endpoint: {
    short: 'not for us',
    tone: 'quiet',
    cause: 'It went to another endpoint than ours (WEBHOOK_PUBLIC_URL).',
    remedy: null,
  },
  too_old: {
    short: 'too old to know',
    tone: 'quiet',
    cause: 'It was first seen when the keys of its time were deleted by their age: nobody can know any more.',
    remedy: null,
  },
  unrecoverable: {
    short: 'not recoverable',
    tone: 'quiet',
    cause:
      'It is not here, and the service shows no payload to recover it from. What it reported was read from the service since: nothing is lost with it.',
    remedy: null,
  },
};

export const classOptions = Object.entries(deliveryWords).map(([value, { short }]) => ({ value, text: short }));

export function classBadge({ class: kind }: Pick<DeliveryView, 'class'>): Value {
  return badge(deliveryWords[kind].short, deliveryWords[kind].tone);
}

/** The cause of this one delivery in words, with the reason where there is one. */
export function causeOf(delivery: DeliveryView): string {
  const { class: kind, reason, recoveredAt, missed } = delivery;
  const { cause } = deliveryWords[kind];
  if (recoveredAt !== null && !missed)
    return kind === 'pending_retry'
      ? 'The event is here: it was recovered. That the service still tries changes nothing.'
      : `${cause} It was recovered since.`;
  if (kind === 'pending_retry') return [cause, lastAttempt(delivery)].join(' ').trim();
  if (reason === null) return cause;
  return kind === 'rejected' ? `We rejected it: ${refusalOf(reason)}` : `${cause} (${reason})`;
}

/** Why it is not here yet, as far as the service's history says. */
function lastAttempt({ attempts, lastAttemptAt, httpStatus, reason }: DeliveryView): string {
  if (reason !== null && rejectionWords[reason] !== undefined)
    return `We rejected the last attempt: ${refusalOf(reason)}`;
  if (httpStatus === null) {
    const wasTried = lastAttemptAt !== null || (attempts ?? 0) > 0;
    return wasTried ? 'The last attempt got no answer: is the receiver up, and reached from outside?' : '';
  }
  if (httpStatus === 503) return 'The last attempt was answered 503: it could not be stored; see the database.';
  if (reason !== null) return `(${reason})`;
  return `The last attempt was answered ${httpStatus}${httpStatus < 300 ? ', and nothing of it is here' : ''}.`;
}

/** What to do about it; null: nothing is to be done. */
export function remedyOf(delivery: DeliveryView): string | null {
  const { class: kind, reason, recoveredAt, missed, recoverable, eventId } = delivery;
  if (recoveredAt !== null)
    return missed ? 'It was recovered and waits to be applied: look at its event if that lasts.' : null;
  if (missed && !recoverable && eventId === null)
    return 'The service shows no payload, so it can’t be recovered: the record that it names is read from the service’s lists instead.';
  const isRefused = kind === 'rejected' || kind === 'pending_retry';
  const own = isRefused && reason !== null ? rejectionWords[reason]?.remedy : undefined;
  return own ?? deliveryWords[kind].remedy;
}

function refusalOf(reason: string): string {
  const words = rejectionWords[reason];
  return words === undefined ? reason : `${words.means} (${reason})`;
}
