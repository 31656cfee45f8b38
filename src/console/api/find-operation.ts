import { z } from 'zod';
import { foundShape } from '../../domain/views/find-shapes.js';
import { described } from '../../domain/views/parts.js';
import { find } from '../../records/search/find.js';
import { mayKnowPeople } from '../view/personal.js';
import { type Operation, operation } from './operation.js';

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
