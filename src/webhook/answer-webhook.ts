import type { IncomingMessage } from 'node:http';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { type Answer, unavailable } from './answer.js';
import type { BodyRoom } from './body-room.js';
import { OverloadedError } from './group-commit.js';
import { headerValues } from './header-values.js';
import type { Envelope } from './parse-envelope.js';
import { type BodyRead, readBody } from './read-body.js';
import { type ReceiveDeps, type Received, receive } from './receive.js';
import type { RejectionLog } from './rejection-log.js';
import type { SecretMatchLog } from './secret-matches.js';

export interface AnswerDeps extends ReceiveDeps {
  log: Logger;
  metrics: Metrics;
  /** Bytes. */
  bodyLimit: number;
  bodyRoom: BodyRoom;
  rejections: RejectionLog;
  matches: SecretMatchLog;
  expired: (rawBody: Buffer, envelope: Envelope) => void;
  notStored: (error: unknown) => void;
}

const NOTHING: Buffer = Buffer.alloc(0);
const CONSUMED =
  'a body parser ran before the webhook handler: the signed bytes are gone and every webhook is refused; mount the handler before any body parser';

/** The answer to a request, once the event is committed or refused; null: nobody waits for it any more. */
export async function answerWebhook(deps: AnswerDeps, req: IncomingMessage): Promise<Answer | null> {
  if (req.method !== 'POST') {
    const body = { error: 'method_not_allowed', detail: 'webhooks come by POST' };
    return { status: 405, result: 'method_not_allowed', body, headers: { Allow: 'POST' } };
  }
  if (!isIdentity(req.headers['content-encoding'])) {
    const answer = refuse(deps, req, 415, 'unsupported_encoding', 'the Content-Encoding is not identity');
    return { ...answer, headers: { 'Accept-Encoding': 'identity' } };
  }
  const read = await readBody(req, deps.bodyLimit, deps.bodyRoom);
  if (!read.ok) return answerUnread(deps, req, read);
  const received = await receive(deps, { rawBody: read.rawBody, headers: headerValues(req) });
  return answerReceived(deps, req, received, read.rawBody);
}

function answerReceived(deps: AnswerDeps, req: IncomingMessage, received: Received, rawBody: Buffer): Answer {
  if (received.outcome === 'stored') {
    const { id, duplicate, label } = received;
    deps.metrics.signatureMatches.inc({ secret: label });
    deps.matches.add(label, deps.secrets.current());
    return { status: 200, result: duplicate ? 'duplicate' : 'accepted', body: { received: true, id, duplicate } };
  }
  if (received.outcome === 'not_stored') {
    deps.notStored(received.error);
    return received.error instanceof OverloadedError
      ? unavailable('overloaded', 'too many events are waiting to be stored')
      : unavailable('unavailable', 'the event could not be stored');
  }
  const { reason, detail, expired } = received;
  if (expired) deps.expired(rawBody, expired);
  return refuse(deps, req, reason.endsWith('_signature') ? 401 : 400, reason, detail, rawBody);
}

function answerUnread(deps: AnswerDeps, req: IncomingMessage, read: BodyRead & { ok: false }): Answer | null {
  if (read.problem === 'aborted') return null;
  if (read.problem === 'too_large') {
    const answer = refuse(deps, req, 413, 'too_large', `the body is larger than ${deps.bodyLimit} bytes`);
    return read.cutOff ? { ...answer, headers: { Connection: 'close' } } : answer;
  }
  if (read.problem === 'evicted') {
    const answer = unavailable('overloaded', 'too many bodies are under way');
    return { ...answer, headers: { ...answer.headers, Connection: 'close' } };
  }
  deps.log.error(CONSUMED);
  return unavailable('misconfigured', 'the receiver is not mounted correctly; its log says more');
}

function refuse(
  { rejections }: AnswerDeps,
  req: IncomingMessage,
  status: Answer['status'],
  reason: string,
  detail: string,
  rawBody = NOTHING,
): Answer {
  rejections.add({ reason, detail, rawBody, headers: headerValues(req) });
  return { status, result: reason, body: { error: reason, detail } };
}

function isIdentity(encoding: string | undefined): boolean {
  // No pattern: those that allow white space on both sides take seconds for a header full of it.
  return (
    encoding === undefined || encoding.split(',').every((name) => ['', 'identity'].includes(name.trim().toLowerCase()))
  );
}
