import { z } from 'zod';
import type { Actor } from '../../domain/console-roles.js';
import { type Change, changeShape, coverageShape } from '../../domain/views/proof-shapes.js';
import { secretShape } from '../../domain/views/webhook-shapes.js';
import { readChanges } from '../../records/changes.js';
import { defaultTake } from '../../records/database/paging.js';
import { coverage } from '../../records/runs/coverage.js';
import { fieldFor } from '../view/personal.js';
import { pageOf, paging } from './list-query.js';
import { type Operation, operation } from './operation.js';

const seq = z
  .string()
  .regex(/^\d{1,18}$/, 'takes the seq of the last change you read')
  .optional();

export const feedOperations: readonly Operation[] = [
  operation({
    id: 'listChanges',
    method: 'get',
    path: '/changes',
    group: 'Proof',
    summary: 'The feed of changes',
    description:
      'Every change of every field, oldest first and in an order that is safe to follow: go on from the last `seq` that you were given, and you miss nothing.',
    query: z.strictObject({
      take: paging.take,
      cursor: seq.meta({ description: 'The same as after.' }),
      after: seq.meta({ description: 'The seq of the last change you read.', examples: ['4096'] }),
    }),
    answers: {
      200: {
        description: 'The next changes; none: `nextCursor` is null, so keep the one before.',
        shape: pageOf(changeShape),
      },
    },
    answer: async ({ db }, { actor, query: { take = defaultTake, cursor = '0', after = cursor } }) => {
      const items = await readChanges(db, { after, take });
      return { body: { items: items.map((item) => changeFor(actor, item)), nextCursor: items.at(-1)?.seq ?? null } };
    },
  }),
  operation({
    id: 'listCoverage',
    method: 'get',
    path: '/coverage',
    group: 'Proof',
    summary: 'What is proven of each kind',
    answers: {
      200: {
        description: 'One of each kind that is read.',
        shape: z.object({ items: z.array(coverageShape), nextCursor: z.null() }),
      },
    },
    answer: async ({ db, runKinds }) => ({
      body: { items: await coverage(db, runKinds, new Date()), nextCursor: null },
    }),
  }),
  operation({
    id: 'listSecrets',
    method: 'get',
    path: '/secrets',
    group: 'Webhooks',
    summary: 'The evidence for a rotation',
    roles: ['operator'],
    answers: {
      200: { description: 'Every signing secret, never itself.', shape: z.object({ items: z.array(secretShape) }) },
    },
    answer: async ({ secretsStatus }) => ({ body: await secretsStatus() }),
  }),
];

function changeFor(actor: Actor, change: Change): Change {
  const { entity, field, from, to } = change;
  return { ...change, from: fieldFor(actor, entity.kind, field, from), to: fieldFor(actor, entity.kind, field, to) };
}
