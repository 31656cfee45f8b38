import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type FeedPage, type FeedQuery, feedHead, readChanges } from '../../records/changes.js';
import { tooManyWaiting } from '../problem.js';

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
export async function waitForChanges(
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
