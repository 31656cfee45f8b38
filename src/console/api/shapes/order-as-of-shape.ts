import { z } from 'zod';
import { amount, anyObject, count, described, text, time } from './parts.js';

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

/** What is answered with `asOf`. */
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
