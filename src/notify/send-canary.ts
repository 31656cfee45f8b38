import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { canaryBody, eventKey } from '../domain/events/event-key.js';
import { atOnce } from '../domain/in-turns.js';
import { MAX_DEPTH, readingTable } from '../domain/json-table/read-table.js';
import type { Logger } from '../log.js';
import type { OutboundRules } from '../outbound-address.js';
import { describeError } from '../records/database/database-errors.js';
import { beginCanary, type CanaryOutcome, canaryArrival, endCanary } from '../records/inbox/canaries.js';
import { callOut } from './call-out.js';

export interface CanaryDeps {
  db: Knex;
  log: Logger;
  now: () => Date;
  /** WEBHOOK_PUBLIC_URL */
  url: string;
  rules: OutboundRules;
  everySeconds: number;
  eventIdPointer: string;
  /** The service's headers by a secret that is accepted now; null: none is. */
  sign: (body: Buffer, timestamp: number) => Record<string, string> | null;
  /** From the request until it is applied. */
  timeoutMs?: number;
}

/** Less than the least time between two, so that one is on its way at a time. */
const TIMEOUT_MS = 20_000;
const WAKE_MS = 5_000;
const POLL_MS = 50;

/** Sends one whenever it is due, from whichever process wakes first, until the signal. Never throws. */
export async function sendCanaries(deps: CanaryDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sendCanary(deps).catch((error: unknown) =>
      deps.log.warn({ error: describeError(error) }, 'canary not followed'),
    );
    await delay(WAKE_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}

/**
 * STORY of a canary: written down, signed and sent to our own public address, answered, stored and applied. It came back
 * when these very bytes stand in the inbox, known again and applied; a 200 alone may be anybody's. Null: it is not due.
 */
export async function sendCanary(deps: CanaryDeps): Promise<CanaryOutcome | null> {
  const { db, log, everySeconds } = deps;
  const timestamp = Math.floor(deps.now().getTime() / 1_000);
  const nonce = randomBytes(16).toString('hex');
  const body = Buffer.from(canaryBody(nonce, timestamp));
  const id = await beginCanary(db, { nonce, body, everySeconds });
  if (id === null) return null;
  const outcome = await followCanary(deps, { id, body, timestamp });
  await endCanary(db, id, outcome);
  if (outcome.error !== null) log.warn({ error: outcome.error }, 'canary failed');
  return outcome;
}

async function followCanary(
  deps: CanaryDeps,
  { id, body, timestamp }: { id: string; body: Buffer; timestamp: number },
): Promise<CanaryOutcome> {
  const { db, url, rules, eventIdPointer, timeoutMs = TIMEOUT_MS } = deps;
  const failed = (error: string, known: Partial<CanaryOutcome> = {}): CanaryOutcome => ({
    answeredMs: null,
    storedMs: null,
    appliedMs: null,
    ...known,
    error,
  });
  const headers = deps.sign(body, timestamp);
  if (headers === null) return failed('no secret is accepted that could sign it');
  const began = performance.now();
  const answer = await callOut(
    { url, method: 'POST', headers, body: body.toString() },
    { rules, timeoutMs: timeoutMs / 2 },
  );
  if (!answer.ok) return failed(answer.error);
  const answeredMs = Math.round(performance.now() - began);
  const { key } = eventKey({
    envelope: atOnce(readingTable(body.toString(), MAX_DEPTH)),
    headers: {},
    pointer: eventIdPointer,
  });
  for (;;) {
    const arrival = await canaryArrival(db, id, key, body);
    if (arrival?.appliedMs != null) return { answeredMs, ...arrival, error: null };
    if (arrival === null)
      return failed(`answered ${answer.httpStatus}, and the inbox lacks it: something else answers there`, {
        answeredMs,
      });
    if (performance.now() - began > timeoutMs)
      return failed(`stored, and not applied within ${timeoutMs / 1_000} s`, { answeredMs, ...arrival });
    await delay(POLL_MS);
  }
}
