import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { orderStatuses, releaseReasons } from '../orders/reason-words.js';
import { type RecordKind, recordKinds } from '../records.js';
import { amount, anyObject, count, described, text, time } from './parts.js';
import { changeShape } from './proof-shapes.js';

const money = z.object({ amount, currency: text });

const order = z.object({
  reference: described(text, 'The store’s own, byte for byte.', 'A-1001'),
  status: described(z.enum(orderStatuses), 'docs/orders.md explains each.', 'paid'),
  expected: described(money.nullable(), 'What the store registered.', { amount: '49.9', currency: 'EUR' }),
  owed: described(
    money.nullable(),
    'What is missing of an order that is `underpaid`, in the currency that was asked for; null of any other, and where it can’t be known.',
    null,
  ),
  surplus: described(
    money.nullable(),
    'What is to be given back of an order that is `overpaid`, in the same way.',
    null,
  ),
  paymentIntents: described(z.array(text), 'Ids.', ['pi_1']),
  invoices: described(z.array(text), 'Ids.', []),
  refunds: described(z.array(text), 'Ids of payouts.', []),
  release: described(
    z.object({
      safe: described(z.boolean(), 'May the goods go out?', true),
      reason: described(
        z.enum(releaseReasons),
        '`proven` exactly where they may; docs/orders.md says what each asks for.',
        'proven',
      ),
      provenAt: described(time.nullable(), 'The oldest poll that the proof rests on; null where it is not safe.'),
    }),
    'Goods go out on this, and on nothing else.',
  ),
  registeredAt: time.nullable(),
  createdAt: time,
  updatedAt: described(
    time,
    'When its newest change was kept, of those that the feed shows: that `provenAt` moved is none.',
  ),
  received: described(
    money.nullable(),
    'What came in for its payments, as the service’s lists show it, in their asset; null where nothing did, or several assets.',
    { amount: '0.0009', currency: 'BTC' },
  ),
  seq: described(text, 'The place of its newest change in the feed of changes: what is not beyond is in this.', '4096'),
});

export const orderShape = order.meta({
  id: 'Order',
  description: 'An order of the store, derived from its payments, invoices and refunds.',
});
export type OrderView = z.output<typeof orderShape>;

/** What the store is sent (docs/operate.md). */
export const orderChangedShape = z
  .object({
    type: z.literal('order.changed'),
    id: described(text, 'The header webhook-id.', 'msg_5f3a'),
    timestamp: described(time, 'When the order changed.'),
    data: orderShape,
  })
  .meta({ id: 'OrderChanged', description: 'An order changed: it as it was then.' });

export const orderDetailShape = order
  .extend({
    similarReferences: described(
      z.array(text),
      'References of other orders that look the same: in upper or lower case, with a blank, an invisible character or another hyphen, with letters of another script. A hundred at most.',
      [],
    ),
    sharedBy: described(
      z.object({ paymentIntents: count, invoices: count }).nullable(),
      'How many carry the reference, where that is more than can be one order’s.',
    ),
  })
  .meta({ id: 'OrderDetail', description: 'An order, with what may be mistaken for it.' });
export type OrderDetail = z.output<typeof orderDetailShape>;

const record = z
  .object({
    kind: z.enum(recordKinds),
    id: text,
    verified: z.boolean(),
    absent: described(z.boolean(), 'The service’s list did not show it any more.'),
    knownAt: described(time, 'When the newest of it came to be known here.'),
    knownBy: changeShape.shape.source,
    fields: described(anyObject, 'By the names of the specification. What identifies a person is a digest.', {}),
  })
  .meta({ id: 'RecordAsOf', description: 'A record as it was known at a time.' });
export type RecordAsOf = Omit<z.output<typeof record>, 'kind' | 'fields'> & { kind: RecordKind; fields: JsonObject };

export const orderAsOfShape = z
  .object({
    reference: described(text, 'The store’s own, byte for byte.', 'A-1001'),
    asOf: described(time, 'What was known at that millisecond is in it.'),
    status: described(z.enum(orderStatuses).nullable(), 'Null where it is not known.', 'paid'),
    expected: money.nullable(),
    paymentIntents: z.array(text),
    invoices: z.array(text),
    refunds: z.array(text),
    release: z.object({ safe: z.boolean(), reason: z.enum([...releaseReasons, 'unknown']) }),
    toldLater: described(
      z.object({ changes: count, firstKnownAt: time.nullable() }),
      'What the service dates by then, and what was known later: it is not in the above.',
    ),
    records: z.array(record),
  })
  .meta({
    id: 'OrderAsOf',
    description: 'An order as it was known here at a time, not as things stood at the service.',
  });
export type OrderAsOfAnswer = z.output<typeof orderAsOfShape>;
