import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Actor } from '../../domain/console-roles.js';
import { entityKinds } from '../../domain/records.js';
import { described } from '../../domain/views/parts.js';
import { type Change, changeShape, coverageShape } from '../../domain/views/proof-shapes.js';
import { secretShape } from '../../domain/views/webhook-shapes.js';
import { type FeedPage, type FeedQuery, feedHead, feedOrigin, readChanges } from '../../records/changes.js';
import { defaultTake } from '../../records/database/paging.js';
import { coverage } from '../../records/runs/coverage.js';
import { Problem, tooManyWaiting } from '../problem.js';
import { fieldFor } from '../view/personal.js';
import { pageOf, paging, wholeNumber } from './list-query.js';
import { type Operation, operation } from './operation.js';

const seq = z
  .string()
  .regex(/^\d{1,18}$/, 'takes the seq of the last change you read')
  .optional();

const LONGEST_WAIT = 30;

export const feedOperations: readonly Operation[] = [
  operation({
    id: 'listChanges',
    method: 'get',
    path: '/changes',
    group: 'Proof',
    summary: 'The feed of changes',
    description:
      'Every change of every field, oldest first and in an order that is safe to follow: go on from the last `nextCursor` that you were given, and you miss nothing. To begin with a list: take `head` and `epoch` first (`take=1`), read the list, then follow from that `head`.',
    query: z.strictObject({
      take: paging.take,
      cursor: described(seq, 'The same as after.'),
      after: described(seq, 'nextCursor, or the seq of the last change you read.', '4096'),
      entityKind: described(
        z.enum(entityKinds, `takes ${entityKinds.join(', ')}`).optional(),
        'Only of this kind. A page may be empty and yet have a `nextCursor`.',
        'order',
      ),
      reference: described(z.string().optional(), 'Only of this order, by the store’s reference.', 'A-1001'),
      wait: described(
        wholeNumber(LONGEST_WAIT, 'whole number of seconds', 0),
        'So many seconds an answer may be kept back until something is new.',
        30,
      ),
      epoch: described(z.string().optional(), 'That of the answer before: 410 where the history is another one since.'),
    }),
    answers: {
      200: {
        description: 'The next changes; `nextCursor` null: nothing is new, so keep the one before.',
        shape: pageOf(changeShape).extend({
          head: described(z.string(), 'The end of the feed, as it was asked.', '4100'),
          epoch: described(
            z.string().nullable(),
            'Names this history. Another one where the database was restored, moved or failed over.',
            '5f3a0c1d9be24a77',
          ),
        }),
      },
    },
    refusals: {
      410: 'The history is another one than that of `epoch`, or ends before `after`: the database was restored. Read the lists anew, then follow from `head`.',
      503: 'The database can not be asked now. Or, by `code`: `too_many_waiting`, too many answers are kept back already. Ask again after Retry-After.',
    },
    answer: async ({ db }, { actor, query, signal }) => {
      const { take = defaultTake, cursor = '0', after = cursor, entityKind: kind, reference, wait = 0 } = query;
      const { epoch, issued, head } = await feedOrigin(db);
      if ((query.epoch !== undefined && query.epoch !== epoch) || BigInt(after) > BigInt(issued))
        throw new Problem(
          410,
          'Gone',
          'The history is another one than you followed: the database was restored, or is another installation’s.',
          { head, epoch },
        );
      const asked = { after, take, kind, reference, head };
      const page = await (wait === 0 ? readChanges(db, asked) : waitForChanges(db, asked, { seconds: wait, signal }));
      return { body: { ...page, items: page.items.map((item) => changeFor(actor, item)), epoch } };
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

/** Answers of this process that may be kept back at once. */
const MOST_WAITING = 100;
const LOOK_EVERY_MS = 250;

let waiting = 0;
/** One look at the head for all who wait for it. */
const looks = new WeakMap<Knex, Promise<string>>();

/**
 * The first page that is not empty, else the one there is after so many seconds, or once whoever asked is gone.
 * @throws {Problem} 503 `too_many_waiting`
 */
async function waitForChanges(
  db: Knex,
  query: FeedQuery,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<FeedPage> {
  if (waiting >= MOST_WAITING)
    throw tooManyWaiting(`${MOST_WAITING} answers are kept back already. Ask again in some seconds.`);
  waiting += 1;
  try {
    const end = performance.now() + seconds * 1_000;
    let page = await readChanges(db, query);
    while (page.items.length === 0 && performance.now() < end && !signal.aborted) {
      const { nextCursor } = page;
      const isAtHead = BigInt(nextCursor ?? page.head) >= BigInt(page.head);
      const head = isAtHead ? await nextLook(db) : page.head;
      if (isAtHead && head === page.head) continue;
      const next = await readChanges(db, { ...query, head, after: nextCursor ?? query.after });
      page = { ...next, nextCursor: next.nextCursor ?? nextCursor };
    }
    return page;
  } finally {
    waiting -= 1;
  }
}

function nextLook(db: Knex): Promise<string> {
  const known = looks.get(db);
  if (known !== undefined) return known;
  const look = delay(LOOK_EVERY_MS)
    .then(() => feedHead(db))
    .finally(() => looks.delete(db));
  looks.set(db, look);
  return look;
}
