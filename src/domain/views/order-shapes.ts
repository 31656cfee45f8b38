import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { orderStatuses, releaseReasons } from '../orders/reasons.js';
import type { RecordKind } from '../records.js';
import { amount, anyObject, count, described, text, time } from './parts.js';

const order = z.object({
  reference: described(text, 'The store’s own, byte for byte.', 'A-1001'),
  status: described(z.enum(orderStatuses), 'docs/orders.md explains each.', 'paid'),
  expected: described(z.object({ amount, currency: text }).nullable(), 'What the store registered.', {
    amount: '49.9',
    currency: 'EUR',
  }),
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
      provenAt: described(time.nullable(), 'The oldest reading that the proof rests on; null where it is not safe.'),
    }),
    'Goods go out on this, and on nothing else.',
  ),
  registeredAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
  seq: described(text, 'The place of its newest change in the feed of changes: what is not beyond is in this.', '4096'),
});

export const orderShape = order.meta({
  id: 'Order',
  description: 'An order of the store, derived from its payments, invoices and refunds.',
});
export type OrderView = z.output<typeof orderShape>;

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
    kind: text,
    id: text,
    verified: z.boolean(),
    absent: described(z.boolean(), 'The service’s list did not show it any more.'),
    knownAt: described(time, 'When the newest of it came to be known here.'),
    knownBy: z.object({ type: text, ref: text }),
    fields: described(anyObject, 'By the names of the specification. What identifies a person is a digest.', {}),
  })
  .meta({ id: 'RecordAsOf', description: 'A record as it was known at a time.' });
export type RecordAsOf = Omit<z.output<typeof record>, 'kind' | 'fields'> & { kind: RecordKind; fields: JsonObject };

export const orderAsOfShape = z
  .object({
    reference: described(text, 'The store’s own, byte for byte.', 'A-1001'),
    asOf: described(time, 'What was known at that millisecond is in it.'),
    status: text.nullable(),
    expected: z.object({ amount, currency: text }).nullable(),
    paymentIntents: z.array(text),
    invoices: z.array(text),
    refunds: z.array(text),
    release: z.object({ safe: z.boolean(), reason: text }),
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
