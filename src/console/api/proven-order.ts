import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { rulesOf } from '../../domain/orders/order-facts.js';
import { findInstallation } from '../../records/installation.js';
import { getOrder, type OrderDetail } from '../../records/orders/orders.js';
import {
  askForProof,
  deriveProof,
  isDecided,
  type ProofRecord,
  unreadSince,
} from '../../records/orders/prove-order.js';
import { earliestServiceNow } from '../../records/service-clock.js';
import { Problem } from '../problem.js';
import type { ApiDeps } from './api-deps.js';

/** Shorter than clients wait for an answer. */
const WAIT_MS = 8_000;
const LOOK_MS = 400;
/** Of one order, whoever asks and however often. */
const ASK_AGAIN_MS = 5_000;
/** Requests of one process that wait at once. */
const MOST_WAITING = 50;

interface ProofAsked {
  reference: string;
  /** Seconds. */
  within: number;
  /** Aborts when whoever asked is gone. */
  signal: AbortSignal;
}

/**
 * The order, not safe or proven within the time; a problem where that can't be said in time. Null: there is no such order. Another
 * process reads what is too old: it is asked for in the database, and who asks for the same order meanwhile shares the reading.
 */
type ProvenOrder = (deps: ApiDeps, asked: ProofAsked) => Promise<OrderDetail | null>;

/** What the requests of one process may cause is bounded together. */
export function createProvenOrder(): ProvenOrder {
  const lastAsked = new Map<string, number>();
  let waiting = 0;

  function mayAsk(reference: string): boolean {
    const now = performance.now();
    for (const [known, at] of lastAsked) if (now - at >= ASK_AGAIN_MS) lastAsked.delete(known);
    if (lastAsked.has(reference)) return false;
    lastAsked.set(reference, now);
    return true;
  }

  return async (deps, asked) => {
    const { db } = deps;
    const { reference, within } = asked;
    // Counted from when the request came: a reading that it causes is young enough.
    let since = await sinceOf(db, within);
    if (since === null || !(await isDecided(db, reference, since))) {
      if (waiting >= MOST_WAITING) throw tooMany();
      waiting += 1;
      try {
        since = await waitForProof(deps, { ...asked, since, mayAsk });
      } finally {
        waiting -= 1;
      }
    }
    const order = await getOrder(db, reference);
    if (order?.release.safe === true && Date.parse(order.release.provenAt ?? '') < since) throw notInTime(within);
    return order;
  };
}

interface Waiting extends ProofAsked {
  since: number | null;
  mayAsk: (reference: string) => boolean;
}

/** Returns when the proof had to be made at the earliest, ms of the service's clock. */
async function waitForProof(deps: ApiDeps, { reference, within, signal, mayAsk, ...given }: Waiting): Promise<number> {
  const { db, proofWaitMs = WAIT_MS } = deps;
  const deadline = performance.now() + proofWaitMs;
  const adoptedAt = (await findInstallation(db))?.adoptedAt ?? new Date(0);
  let { since } = given;
  let unread: ProofRecord[] = [];
  while (!signal.aborted) {
    since ??= await sinceOf(db, within);
    if (since !== null) {
      const from = since;
      unread = await unreadSince(db, unread, from);
      if (unread.length === 0) {
        unread = await db.transaction((trx) => deriveProof(trx, reference, from, { ...rulesOf(deps), adoptedAt }));
      }
      if (await isDecided(db, reference, from)) return from;
      if (unread.length > 0 && mayAsk(reference)) await askForProof(db, unread, from);
    }
    if (performance.now() >= deadline) break;
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  throw notInTime(within);
}

async function sinceOf(db: Knex, within: number): Promise<number | null> {
  const now = await earliestServiceNow(db);
  return now === null ? null : now - within * 1_000;
}

function notInTime(within: number): Problem {
  return new Problem(
    503,
    'Not proven in time',
    `The order's payments and deposits could not be read in time, so nothing proves it within the ${within} s that provenWithin asks for. Ship nothing on it now and ask again in some seconds; where that stays so, tallyhook doctor and the page Runs say why.`,
    { code: 'not_proven_in_time' },
  );
}

function tooMany(): Problem {
  return new Problem(
    503,
    'Too many wait',
    `${MOST_WAITING} requests wait for a proof already. Ask again in some seconds, or for fewer orders at once.`,
    { code: 'too_many_waiting' },
  );
}
