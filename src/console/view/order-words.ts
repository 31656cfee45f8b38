import { words } from '../../domain/in-words.js';
import type { OrderStatus } from '../../domain/orders/order.js';
import type { OrderView } from '../../domain/views/order-shapes.js';
import { options } from './sections.js';
import { amount, badge, badgesOf, none, type Tone, type Value } from './values.js';

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

export const orderStatuses = options(Object.keys(tones), words);

export const orderBadge = badgesOf(tones);

/** At a glance: may the goods go out? */
export function releaseBadge({ safe }: OrderView['release']): Value {
  return safe ? badge('safe to release', 'good') : badge('hold', 'quiet');
}

/** What the store registered. */
export function expectedOf(expected: OrderView['expected']): Value {
  return expected === null ? none('not registered') : amount(expected.amount, expected.currency);
}
