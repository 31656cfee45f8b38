import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import {
  type AttemptOutcome,
  type ClaimedCallback,
  claimCallback,
  collectCallbacks,
  finishAttempt,
} from '../records/callbacks/claim-callback.js';
import { pruneCallbacks } from '../records/callbacks/list-callbacks.js';
import { describeError } from '../records/database/database-errors.js';
import { logFailure, repeat } from '../records/database/repeat.js';
import {
  CALL_TIMEOUT_MS,
  type CallOutAnswer,
  type CallOutDeps,
  callOut,
  retryInMs,
  signedHeaders,
} from './call-out.js';

export interface CallbackDeps extends CallOutDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
  metrics: Pick<Metrics, 'callbacks'>;
  /** STORE_CALLBACK_URL, STORE_CALLBACK_SECRET. */
  url: string;
  secret: string;
  adoptedAt: Date;
  /** How long what was sent is kept; left out: for ever. */
  keepDays?: number;
  retry?: { firstMs: number; maxAttempts: number };
}

/** With pauses from 5 seconds to an hour they are given up after about a day and a half. */
const RETRY = { firstMs: 5_000, maxAttempts: 50 };
/** A claim outlives the call by far: nobody else sends while a call of ours may still arrive. */
const CLAIM_MARGIN_MS = 20_000;
/** A process that stood still for so long between claim and call leaves the claim to end. */
const LATEST_START_MS = 5_000;
/** Several orders at once. */
const LANES = 4;
const IDLE_MS = 500;

/** Sends what is due, until the signal; a call under way is ended in peace. Never throws. */
async function sendLoop(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const sent = await sendNextCallback(deps).catch((error: unknown) => {
      deps.log.warn({ error: describeError(error) }, 'callback loop failed');
      return false;
    });
    if (!sent) await delay(IDLE_MS, undefined, { signal }).catch(() => {});
  }
}

/** One attempt of the one that has been due for the longest. False: nothing is due. */
export async function sendNextCallback(deps: CallbackDeps): Promise<boolean> {
  const asked = performance.now();
  const claimMs = (deps.timeoutMs ?? CALL_TIMEOUT_MS) + CLAIM_MARGIN_MS;
  const claimed = await claimCallback(deps.db, { seconds: claimMs / 1_000 });
  if (claimed === null) return false;
  if (performance.now() - asked > LATEST_START_MS) return true;
  const answer = await callOut(requestOf(claimed, deps), deps);
  const outcome = outcomeOf(answer, claimed, deps.retry ?? RETRY);
  await finishAttempt(deps.db, claimed, outcome);
  logOutcome(deps, claimed, outcome);
  return true;
}

/** The same bytes at every attempt; only the time of the attempt, and so the signature, is another. */
function requestOf({ webhookId, changedAt, data }: ClaimedCallback, { url, secret, now }: CallbackDeps) {
  const body = `{"type":"order.changed","id":${JSON.stringify(webhookId)},"timestamp":${JSON.stringify(changedAt)},"data":${data}}`;
  return { url, method: 'POST', headers: signedHeaders(secret, { id: webhookId, at: now(), body }), body } as const;
}

function outcomeOf(
  answer: CallOutAnswer,
  { attempts }: ClaimedCallback,
  { firstMs, maxAttempts }: { firstMs: number; maxAttempts: number },
): AttemptOutcome {
  if (answer.ok) return answer;
  const { httpStatus, error } = answer;
  const pause = Math.max(retryInMs(attempts, firstMs), answer.retryAfterMs ?? 0);
  return { ok: false, httpStatus, error, retryInMs: attempts >= maxAttempts ? null : pause };
}

function logOutcome({ log, metrics }: CallbackDeps, { id, attempts }: ClaimedCallback, outcome: AttemptOutcome): void {
  const result = outcome.ok ? 'sent' : outcome.retryInMs === null ? 'dead' : 'failed';
  metrics.callbacks.inc({ result });
  if (outcome.ok) return;
  const { httpStatus, error } = outcome;
  log.warn({ callback: id, attempts, httpStatus, error, result }, 'callback not accepted');
}

const PAUSE_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Sends the store every order that changes, until the signal. Two leaders at once send no order twice or backwards. Never throws. */
export async function callbackLoops(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  const lanes = Array.from({ length: LANES }, () => sendLoop(deps, signal));
  await Promise.all([collectLoop(deps, signal), ...lanes]);
}

async function collectLoop(deps: CallbackDeps, signal: AbortSignal): Promise<void> {
  let prunedAt = Number.NEGATIVE_INFINITY;
  await repeat({ signal, everyMs: PAUSE_MS, failed: logFailure(deps.log, 'callback scan failed') }, async () => {
    while (await collectCallbacks(deps.db, deps)) if (signal.aborted) return;
    if (deps.keepDays === undefined || performance.now() - prunedAt <= PRUNE_EVERY_MS) return;
    await pruneCallbacks(deps.db, { days: deps.keepDays });
    prunedAt = performance.now();
  });
}
