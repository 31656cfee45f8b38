import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type ReleaseRules, rulesOf } from '../../domain/orders/order-facts.js';
import type { OrderDetail } from '../../domain/views/order-shapes.js';
import { adoptedAtOf } from '../../records/installation.js';
import { getOrder } from '../../records/orders/orders.js';
import {
  askForProof,
  deriveProof,
  isDecided,
  type ProofRecord,
  unreadSince,
} from '../../records/orders/prove-order.js';
import { earliestServiceNow } from '../../records/service-notes.js';
import type { ApiDeps } from '../api-deps.js';
import { Problem, tooManyWaiting } from '../problem.js';

/** Shorter than clients wait for an answer. */
const WAIT_MS = 8_000;
/** How often it is checked within that. */
const CHECKS = 16;
/** Of one order, whoever asks and however often. */
const ASK_AGAIN_MS = 5_000;
/** Orders that requests of one process wait for at once. */
const MOST_ORDERS = 20;

interface ProofAsked {
  reference: string;
  /** Seconds. */
  within: number;
  /** Aborts when whoever asked is gone. */
  signal: AbortSignal;
}

/** What is waited for of one order, and by how many. */
interface Wait {
  ended: Promise<void>;
  requests: number;
  left: AbortController;
}

/**
 * Gives an order, not safe or proven within the time; a problem where that can't be said in time. Null: there is no such order. Another
 * process reads what is too old: it is asked for in the database, and who asks for the same order meanwhile shares the poll.
 * What the requests of one process may cause is bounded together.
 */
export function createProvenOrder(): (deps: ApiDeps, asked: ProofAsked) => Promise<OrderDetail | null> {
  const waits = new Map<string, Wait>();
  const lastAsked = new Map<string, number>();

  function mayAsk(reference: string): boolean {
    const now = performance.now();
    for (const [known, at] of lastAsked) if (now - at >= ASK_AGAIN_MS) lastAsked.delete(known);
    if (lastAsked.has(reference)) return false;
    lastAsked.set(reference, now);
    return true;
  }

  function begin(deps: ApiDeps, { reference, ...until }: Pick<Proving, 'reference' | 'since' | 'deadline'>): Wait {
    if (waits.size >= MOST_ORDERS) {
      const why = `A proof of ${MOST_ORDERS} other orders is waited for already. Ask again in some seconds, or for fewer orders at once.`;
      throw tooManyWaiting(why);
    }
    const left = new AbortController();
    const ended = readAgain(deps, { reference, ...until, signal: left.signal, mayAsk });
    const wait = { ended, requests: 0, left };
    const end = (): void => void (waits.get(reference) === wait && waits.delete(reference));
    left.signal.addEventListener('abort', end);
    ended.then(end, end);
    waits.set(reference, wait);
    return wait;
  }

  async function share(wait: Wait, signal: AbortSignal): Promise<void> {
    wait.requests += 1;
    try {
      await Promise.race([wait.ended, aborted(signal)]);
    } finally {
      wait.requests -= 1;
      if (wait.requests === 0) wait.left.abort();
    }
  }

  return async (deps, { reference, within, signal }) => {
    const { db } = deps;
    const { waitMs, checkMs } = timesOf(deps);
    const deadline = performance.now() + waitMs;
    // Counted from when the request came: a poll that it causes is young enough.
    let since = await sinceOf(db, within);
    let rules: ReleaseRules | null = rulesOf(deps);
    while (since === null || !(await isDecided(db, reference, { since, rules }))) {
      if (signal.aborted || performance.now() >= deadline) throw notInTime(within);
      if (since === null) {
        await delay(checkMs);
        since = await sinceOf(db, within);
      } else {
        await share(waits.get(reference) ?? begin(deps, { reference, since, deadline }), signal);
        rules = null;
      }
    }
    const order = await getOrder(db, reference);
    if (order?.release.safe === true && Date.parse(order.release.provenAt ?? '') < since) throw notInTime(within);
    return order;
  };
}

interface Proving {
  reference: string;
  /** Service clock, ms. */
  since: number;
  deadline: number;
  signal: AbortSignal;
  mayAsk: (reference: string) => boolean;
}

/** Has what the order rests on read again, until it is decided or time is up. */
async function readAgain(deps: ApiDeps, { reference, since, deadline, signal, mayAsk }: Proving): Promise<void> {
  const { db } = deps;
  const { checkMs } = timesOf(deps);
  const rules = { ...rulesOf(deps), adoptedAt: await adoptedAtOf(db) };
  let unread: ProofRecord[] = [];
  while (!signal.aborted) {
    unread = await unreadSince(db, unread, since);
    if (unread.length === 0) unread = await db.transaction((trx) => deriveProof(trx, reference, since, rules));
    if (await isDecided(db, reference, { since, rules: null })) return;
    if (unread.length > 0 && mayAsk(reference)) await askForProof(db, unread, since);
    if (performance.now() >= deadline) return;
    await delay(checkMs, undefined, { signal }).catch(() => {});
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function sinceOf(db: Knex, within: number): Promise<number | null> {
  const now = await earliestServiceNow(db);
  return now === null ? null : now - within * 1_000;
}

function notInTime(within: number): Problem {
  const why = `The order's payments and payins could not be read in time, so nothing proves it within the ${within} s that provenWithin asks for. Ship nothing on it now and ask again in some seconds; where that stays so, tallyhook doctor and the page Runs say why.`;
  return new Problem(503, 'Not proven in time', why, { code: 'not_proven_in_time' });
}

/** How long is waited in all, and between two checks. */
function timesOf({ proofWaitMs: waitMs = WAIT_MS }: ApiDeps): { waitMs: number; checkMs: number } {
  return { waitMs, checkMs: waitMs / CHECKS };
}
