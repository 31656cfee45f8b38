import { type NamedTransaction, namedTransactions } from '../../records/balances/transaction-rows.js';
import { endMarks, type WaitingMark, waitingMarks } from '../../records/runs/marks.js';
import type { RunContext } from '../deps.js';
import { NOTHING, writeFenced } from '../write-fenced.js';
import { type Covering, coverRange } from './cover-range.js';
import type { Window } from './feed.js';
import { OVERLAP_MS } from './windows.js';

const MOST_MARKS = 1_000;
/** Each a window of its own, of three calls or so; the others have their turn in the next runs. */
const MOST_LOOKED_AT = 20;

/**
 * Movements that events named longer ago than any closed window, once all of the feed was read. One that the feed has shown,
 * or of which an event says when it was, is read again where it stands, which settles it. What the feed does not know then
 * nothing would ever settle: its mark ends. Answers the ids of those.
 */
export async function settleNamed(
  run: RunContext,
  covering: Covering,
  { range, olderThanMs }: { range: Window; olderThanMs: number },
): Promise<string[]> {
  const { deps, tally, fence } = run;
  const { db, now } = deps;
  const about = { olderThanMs, limit: MOST_MARKS };
  const known = await placesOf(run, await waitingMarks(db, 'transaction', about));
  const standing = [...known.values()].filter((place) => isWithin(place, range)).slice(0, MOST_LOOKED_AT);
  for (const { createdAt } of standing) {
    if (createdAt === null || fence.dryRun) continue;
    await coverRange(covering, [{ from: createdAt - OVERLAP_MS, to: Math.min(range.to, createdAt + OVERLAP_MS) }]);
  }
  const left = await waitingMarks(db, 'transaction', about);
  const places = await placesOf(run, left);
  const looked = new Set(standing.map(({ id }) => id));
  const unknown = left.filter(({ id }) => {
    const place = places.get(id);
    return place === undefined || (!place.isRead && (looked.has(id) || !isWithin(place, range)));
  });
  if (unknown.length === 0) return [];
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    await endMarks(trx, 'transaction', unknown);
    return NOTHING;
  });
  return unknown.map(({ id }) => id);
}

async function placesOf({ deps }: RunContext, marks: readonly WaitingMark[]): Promise<Map<string, NamedTransaction>> {
  const held = marks.filter((mark) => mark.held).map(({ id }) => id);
  return new Map((await namedTransactions(deps.db, held)).map((place) => [place.id, place]));
}

function isWithin({ createdAt }: NamedTransaction, { from, to }: Window): boolean {
  return createdAt !== null && createdAt >= from && createdAt <= to;
}
