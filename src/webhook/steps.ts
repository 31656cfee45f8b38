import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { CANARY_MARK, canaryNonce, findingKey } from '../domain/events/event-key.js';
import { inTurns } from '../domain/in-turns.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Arrival, StoredArrival } from '../records/inbox/inbox.js';
import { ownTurn, turnFor } from '../records/own-turn.js';
import { OverloadedError } from './batcher.js';
import { type BodyProblem, type BodyRoom, discardRest, readBody } from './body-room.js';
import type { Envelope } from './parse-envelope.js';
import type { RejectionLog } from './rejection-log.js';
import type { SecretMatchLog } from './secret-matches.js';
import type { SecretSource } from './secret-source.js';
import { type Authentic, authenticating, type createUnsignedIds, type Tolerance } from './verify-signature.js';

/** What a request to the receiver is answered with (interface: "Receiver"). */
export interface Answer {
  status: 200 | 400 | 401 | 404 | 405 | 413 | 415 | 503;
  /** The label of the metrics. */
  result: string;
  body: object;
  headers?: Record<string, string>;
}

/** The event is not stored; the service should send it again. The only 5xx there is. */
export function unavailable(result: string, detail: string): Answer {
  return { status: 503, result, body: { error: 'unavailable', detail }, headers: { 'Retry-After': '5' } };
}

export function sendAnswer(res: ServerResponse, { status, body, headers }: Omit<Answer, 'result'>): void {
  if (res.headersSent || res.destroyed) return;
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  res.end(text);
}

interface KeySettings {
  /** EVENT_ID_POINTER */
  eventIdPointer: string;
  unsignedIds: ReturnType<typeof createUnsignedIds>;
}

export interface StepDeps extends KeySettings {
  log: Logger;
  metrics: Metrics;
  now: () => Date;
  secrets: SecretSource;
  tolerance: Tolerance;
  /** Bytes. */
  bodyLimit: number;
  bodyRoom: BodyRoom;
  rejections: RejectionLog;
  matches: SecretMatchLog;
  expired: (rawBody: Buffer, envelope: Envelope) => void;
  /** Whether the bytes with this word are of a canary of ours; null: they are of anybody. */
  claimCanary: (nonce: string, rawBody: Buffer) => Promise<'whole' | 'changed' | null>;
  store: (arrival: Arrival) => Promise<StoredArrival>;
  notStored: (error: unknown) => void;
}

/** What is known of a request; each step adds what the next one needs. */
interface Progress {
  startedAt: number;
  rawBody: Buffer;
  /** A test event that we sent ourselves a moment ago: nothing that it does counts as the service's. */
  canary: 'whole' | 'changed' | null;
  headers: Record<string, string[]>;
  label: string;
  /** null once its arrival is made: while that waits to be stored, nothing is held but its body. */
  envelope: Envelope | null;
  stored: StoredArrival;
}

const NOTHING: Buffer = Buffer.alloc(0);
/** An announced body that is still longer is not waited for. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const CONSUMED =
  'a body parser ran before the webhook handler, so the signed bytes are gone: mount the handler before any body parser';

/** From a request to its answer (interface: "Receiver"), one after the other. Never 5xx other than 503. */
export function webhookSteps(deps: StepDeps): (RequestHandler | ErrorRequestHandler)[] {
  return [
    postsOnly(deps),
    rawBody(deps),
    knowCanary(deps),
    verify(deps),
    store(deps),
    answer(deps),
    answerFailure(deps),
  ];
}

function postsOnly(deps: StepDeps): RequestHandler {
  return function postsOnly(req, res, next) {
    progressOf(res).startedAt = performance.now();
    if (req.method !== 'POST') {
      const body = { error: 'method_not_allowed', detail: 'webhooks come by POST' };
      conclude(deps, req, res, { status: 405, result: 'method_not_allowed', body, headers: { Allow: 'POST' } });
    } else if (!isIdentity(req.headers['content-encoding'])) {
      const rejection = reject(deps, req, 415, 'unsupported_encoding', 'the Content-Encoding is not identity');
      conclude(deps, req, res, { ...rejection, headers: { 'Accept-Encoding': 'identity' } });
    } else next();
  };
}

function rawBody(deps: StepDeps): RequestHandler {
  return async function rawBody(req, res, next) {
    const read = await readBody(req, deps.bodyLimit, deps.bodyRoom);
    if (typeof read === 'string') return conclude(deps, req, res, answerUnread(deps, req, read));
    progressOf(res).rawBody = read;
    next();
  };
}

function knowCanary(deps: StepDeps): RequestHandler {
  return async function knowCanary(_req, res, next) {
    const progress = progressOf(res);
    const nonce = canaryNonce(progress.rawBody);
    progress.canary = nonce === null ? null : await deps.claimCanary(nonce, progress.rawBody);
    next();
  };
}

function verify(deps: StepDeps): RequestHandler {
  return async function verify(req, res, next) {
    const progress = progressOf(res);
    const { rawBody } = progress;
    await turnFor(rawBody);
    const headers = headerValues(req);
    const { tolerance } = deps;
    const asked = { rawBody, headers, secrets: deps.secrets.current(), now: deps.now(), tolerance };
    const verdict = await inTurns(authenticating(asked), ownTurn);
    if (verdict.ok) {
      Object.assign(progress, { headers, label: verdict.label, envelope: verdict.envelope });
      return next();
    }
    const { reason, detail } = verdict;
    const status = reason.endsWith('_signature') ? 401 : 400;
    if (progress.canary !== null)
      return conclude(deps, req, res, refusal(status, CANARY_MARK, { error: reason, detail }));
    if (reason === 'expired_timestamp') deps.expired(rawBody, verdict.envelope);
    conclude(deps, req, res, reject(deps, req, status, reason, detail, rawBody));
  };
}

function store(deps: StepDeps): RequestHandler {
  return async function store(req, res, next) {
    const progress = progressOf(res);
    const arrival = await takeArrival(progress, deps);
    try {
      progress.stored = await deps.store(arrival);
    } catch (error) {
      deps.notStored(error);
      const isTooMuch = error instanceof OverloadedError;
      const [result, detail] = isTooMuch
        ? ['overloaded', 'too many events are waiting to be stored']
        : ['unavailable', 'the event could not be stored'];
      return conclude(deps, req, res, unavailable(result, detail));
    }
    next();
  };
}

function answer(deps: StepDeps): RequestHandler {
  return function answer(req, res) {
    const { stored, label, canary } = progressOf(res);
    const { id, duplicate } = stored;
    if (canary !== 'whole') {
      deps.metrics.signatureMatches.inc({ secret: label });
      deps.matches.add(label, deps.secrets.current());
    }
    const result = canary === 'whole' ? CANARY_MARK : duplicate ? 'duplicate' : 'accepted';
    conclude(deps, req, res, { status: 200, result, body: { received: true, id, duplicate } });
  };
}

function answerFailure(deps: StepDeps): ErrorRequestHandler {
  return function answerFailure(error, req, res, _next) {
    deps.log.error({ err: error }, 'webhook failed');
    conclude(deps, req, res, unavailable('failed', 'the event could not be stored'));
  };
}

async function takeArrival(progress: Progress, deps: StepDeps): Promise<Arrival> {
  const { envelope, label, canary } = progress;
  if (envelope === null) throw new TypeError('nothing was verified');
  progress.envelope = null;
  const arrival = await arrivalOf({ envelope, label }, progress, deps);
  // Under no secret: what a secret signed says whether the service still uses it.
  return canary === 'whole' ? { ...arrival, mark: CANARY_MARK, secretLabel: null } : arrival;
}

/** An authentic event as it is stored. */
export async function arrivalOf(
  { envelope, label }: Pick<Authentic, 'envelope' | 'label'>,
  { rawBody, headers }: Pick<Progress, 'rawBody' | 'headers'>,
  { eventIdPointer, unsignedIds }: KeySettings,
): Promise<Arrival> {
  const trusted = unsignedIds(headers);
  await turnFor(rawBody);
  const asked = { envelope: envelope.document, headers: trusted, pointer: eventIdPointer };
  const key = await inTurns(findingKey(asked), ownTurn);
  return {
    key: key.key,
    keyType: key.keyType,
    eventId: key.eventId,
    contentHash: key.contentHash,
    eventType: envelope.event,
    timestamp: envelope.timestamp,
    source: 'webhook',
    secretLabel: label,
    mark: envelope.mark,
    body: rawBody,
  };
}

/** Express gives each response its `locals`; a router that serves alone does not. */
function progressOf(res: Response): Progress {
  res.locals ??= {};
  return (res.locals['webhook'] ??= {}) as Progress;
}

/** null: the sender is gone, nobody waits for an answer. */
function conclude({ metrics }: StepDeps, req: Request, res: Response, given: Answer | null): void {
  metrics.webhookRequests.inc({ result: given?.result ?? 'aborted' });
  metrics.webhookRequestDuration.observe((performance.now() - progressOf(res).startedAt) / 1000);
  if (given) sendAnswer(res, given);
  discardRest(req);
}

function answerUnread(deps: StepDeps, req: IncomingMessage, problem: BodyProblem): Answer | null {
  if (problem === 'aborted') return null;
  if (problem === 'too_large') {
    const rejection = reject(deps, req, 413, 'too_large', `the body is larger than ${deps.bodyLimit} bytes`);
    const isHopeless = Number(req.headers['content-length']) > MAX_DISCARDED_BYTES;
    return isHopeless ? { ...rejection, headers: { Connection: 'close' } } : rejection;
  }
  if (problem === 'evicted') {
    const rejection = unavailable('overloaded', 'too many bodies are under way');
    return { ...rejection, headers: { ...rejection.headers, Connection: 'close' } };
  }
  deps.log.error({ detail: CONSUMED }, 'webhook body already read');
  return unavailable('misconfigured', 'the receiver is not mounted correctly; its log says more');
}

function reject(
  { rejections }: StepDeps,
  req: IncomingMessage,
  status: Answer['status'],
  reason: string,
  detail: string,
  rawBody = NOTHING,
): Answer {
  rejections.add({ reason, detail, rawBody, headers: headerValues(req) });
  return refusal(status, reason, { error: reason, detail });
}

function refusal(status: Answer['status'], result: string, body: { error: string; detail: string }): Answer {
  return { status, result, body };
}

function isIdentity(encoding: string | undefined): boolean {
  // No pattern: those that allow white space on both sides take seconds for a header full of it.
  return (
    encoding === undefined || encoding.split(',').every((name) => ['', 'identity'].includes(name.trim().toLowerCase()))
  );
}

/**
 * All values of each header, names in lowercase. Like `req.headersDistinct`, which in many of the releases of Node that
 * we run on throws when a sender names a header `__proto__` (CVE-2026-21710).
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = rawHeaders[i + 1] ?? '';
    const known = values[name];
    if (known) known.push(value);
    else values[name] = [value];
  }
  return values;
}
