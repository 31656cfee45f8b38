import type { OrderStatus } from '../../domain/orders/order.js';
import { reasonWords } from '../../domain/orders/reason-words.js';
import type { ReleaseReason } from '../../domain/orders/reasons.js';
import type { OrderView } from '../../domain/views/order-shapes.js';
import { badge, type Tone, type Value, words } from './values.js';

const tones: Readonly<Record<OrderStatus, Tone>> = {
  awaiting_payment: 'quiet',
  confirming: 'info',
  paid_unverified: 'info',
  paid: 'good',
  underpaid: 'warn',
  overpaid: 'warn',
  paid_twice: 'bad',
  expired: 'quiet',
  cancelled: 'quiet',
  unmatched: 'warn',
  disputed: 'bad',
  partially_refunded: 'warn',
  refunded: 'quiet',
  shared_reference: 'bad',
};

export const orderStatuses = Object.keys(tones).map((value) => ({ value, text: words(value) }));

export function orderStatusTone(status: OrderStatus): Tone {
  return tones[status];
}

/** At a glance: may the goods go out? */
export function releaseBadge({ safe }: OrderView['release']): Value {
  return safe ? badge('safe to release', 'good') : badge('hold', 'quiet');
}

/** Why the goods are held, and what ends it. */
export function releaseReason(reason: string): string {
  return Object.hasOwn(reasonWords, reason)
    ? reasonWords[reason as ReleaseReason]
    : `The reason is "${words(reason)}".`;
}
