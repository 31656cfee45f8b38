import { z } from 'zod';
import { entityKinds } from '../records.js';
import { orderShape } from './order-shapes.js';
import { described, text, time } from './parts.js';

const { reference, status, release, paymentIntents } = orderShape.shape;

export const foundShape = z
  .object({
    searched: described(z.array(text), 'The text, and what was taken out of it.', [
      'https://explorer.example/tx/5f3a',
      '5f3a',
    ]),
    items: z.array(
      z.object({
        kind: z.enum(entityKinds),
        id: described(text, 'Its id; of an order its reference.', 'in_1'),
        by: described(text, 'The field that has it.', 'txid'),
        exact: described(z.boolean(), 'False: it only begins so.', true),
        orders: described(z.array(text), 'References of the orders that it belongs to.', ['A-1001']),
      }),
    ),
    orders: described(
      z.array(
        z.object({
          reference,
          status,
          release,
          says: described(
            text,
            'Why the goods go out or do not, and what changes that.',
            'The screening of a payin is not finished. What changes it: the service ends it; wait.',
          ),
          paymentIntents,
          payins: described(z.array(text), 'Ids.', ['in_1']),
          deliveries: described(z.array(text), 'Ids of what the service delivered of its payments, the newest ten.', [
            'de_1',
          ]),
        }),
      ),
      'The first five orders of what was found.',
    ),
    deliveriesReadAt: described(
      time.nullable(),
      'Of which time the deliveries are: when the newest complete reading of the delivery history began. Null: there is none.',
    ),
    more: described(z.boolean(), 'There is more than is shown: give more of the text.', false),
  })
  .meta({
    id: 'Found',
    description: 'Whatever has the text as an id, a hash, an address or an e-mail, or begins with it.',
  });
export type Found = z.output<typeof foundShape>;
