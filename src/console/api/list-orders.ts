import { z } from 'zod';
import { orderStatuses } from '../../domain/orders/reason-words.js';
import { foundShape } from '../../domain/views/find-shapes.js';
import { orderShape } from '../../domain/views/order-shapes.js';
import { described } from '../../domain/views/parts.js';
import { LONGEST_KEY_BYTES } from '../../records/database/database-text.js';
import { listOrders, namedReferences } from '../../records/orders/orders.js';
import { find } from '../../records/search/find.js';
import { badRequest, checkRange } from '../problem.js';
import { mayKnowPeople } from '../view/personal.js';
import { pageOf, paging } from './list-query.js';
import { type Operation, operation } from './operation.js';

const MOST_REFERENCES = 200;

const fits = (reference: string): boolean => Buffer.byteLength(reference) <= LONGEST_KEY_BYTES;
const takesMany = `takes ${MOST_REFERENCES} references at most`;

/** One alone may be several, with commas between them. */
const references = z
  .array(z.string())
  .max(MOST_REFERENCES, takesMany)
  .refine(
    (given) => given.every((one) => one !== '' && (given.length === 1 ? one.split(',') : [one]).every(fits)),
    `takes references of 1 to ${LONGEST_KEY_BYTES.toLocaleString('en')} bytes`,
  )
  .optional();

const since = 'takes a time with its zone such as 2026-10-31T18:00:00Z; a "+" in it is written %2B';

export const listOrdersOperation: Operation = operation({
  id: 'listOrders',
  method: 'get',
  path: '/orders',
  group: 'Orders',
  summary: 'List orders',
  description: 'Newest first, paged by key. An order has to fit every filter that is given.',
  query: z.strictObject({
    ...paging,
    status: described(
      z.enum(orderStatuses, `takes ${orderStatuses.join(', ')}`).optional(),
      'Only in this state.',
      'paid',
    ),
    safe: described(
      z.enum(['true', 'false'], 'takes true, false').optional(),
      'Only those whose goods may go out, or may not.',
      'true',
    ),
    reference: described(
      references,
      `Only these orders, by the store’s own references, byte for byte: the parameter once for each, ${MOST_REFERENCES} at most. Given once, they may stand in it with commas between them, unless the whole of it is the reference of an order: then it is that order alone. What no order has is left out of the answer.`,
      ['A-1001', 'A-1002'],
    ),
    updatedSince: described(
      z.iso.datetime({ offset: true, error: since }).optional(),
      'Only those of which the feed has a change since then: `updatedAt` is then or later. A change stands at the time at which its transaction began, and is seen seconds later: ask from a few minutes before the last time, or follow the feed, which misses nothing.',
      '2026-10-31T18:00:00Z',
    ),
    paymentIntentId: described(
      z.string().min(1, 'takes an id').optional(),
      'Only that of this payment: by its reference, or by its invoice. Both, where two could have it.',
      'pi_1',
    ),
    txid: described(
      z.string().min(1, 'takes the hash of a transaction').optional(),
      'Only those that this transaction on a chain paid, or gave back.',
      '0x5f3a',
    ),
    assetCode: described(
      z.string().min(1, 'takes the code of an asset').optional(),
      'Only those of which all that came in is of this asset.',
      'BTC',
    ),
    receivedFrom: described(
      z.string().optional(),
      'Only those for which so much came in, or more. Beside assetCode.',
      '0.5',
    ),
    receivedTo: described(z.string().optional(), 'Only those for which no more came in. Beside assetCode.', '2'),
  }),
  answers: { 200: { description: 'A page.', shape: pageOf(orderShape) } },
  answer: async ({ db }, { query: { safe, updatedSince, reference, ...query } }) => {
    checkRange(query);
    const named = reference === undefined ? undefined : await namedReferences(db, reference);
    if (named !== undefined && named.length > MOST_REFERENCES)
      throw badRequest(`The query parameter reference ${takesMany}.`, { parameter: 'reference' });
    const page = await listOrders(db, {
      ...query,
      reference: named,
      safe: safe === undefined ? undefined : safe === 'true',
      updatedSince: updatedSince === undefined ? undefined : new Date(updatedSince),
    });
    return { body: page };
  },
});

export const findOperation: Operation = operation({
  id: 'find',
  method: 'get',
  path: '/search',
  group: 'Orders',
  summary: 'Find anything',
  description:
    'By an order’s reference, any id, a transaction’s hash, an address, an e-mail; of ids, references and hashes four characters of the beginning are enough. A viewer finds nothing by what is hidden from them. A record that an older version saved is found by an address or an e-mail within a day.',
  query: z.strictObject({
    q: described(
      z.string().trim().min(1, 'takes a text').max(2_000, 'takes 2000 characters at most'),
      'The text, or one that contains it: an address of an explorer, a sentence.',
      'https://explorer.example/tx/5f3a',
    ),
  }),
  answers: { 200: { description: 'Fifty at most, those that have the whole text first.', shape: foundShape } },
  answer: async ({ db }, { actor, query: { q } }) => ({
    body: await find(db, q, { knowsPeople: mayKnowPeople(actor) }),
  }),
});
