import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '../domain/canonical-json.js';
import { fromJsonText, type Json, type JsonObject, objectFromJsonText, toJsonText } from '../domain/json.js';
import { linksOfCall } from '../domain/own-calls.js';
import { checkRequest } from './check-request.js';
import type { NotedWrite } from './key-store.js';
import type { KeyedOperation } from './operations.js';
import { InvalidRequestError } from './service-errors.js';

/** A creating call with its key, ready to be sent, once or again. */
export interface KeyedRequest {
  path: Readonly<Record<string, string>>;
  /** JSON text. */
  body: string;
  /** The Idempotency-Key header; undefined where the body has the key. */
  header: string | undefined;
}

export interface KeyedParts {
  path?: Readonly<Record<string, string>>;
  body: unknown;
  idempotencyKey?: string | undefined;
}

const HEADER_SAFE = /^[\x21-\x7e]+$/;

/**
 * Checks the body and gives the call its key: the body's, else the one beside it, else one that is made. The body is
 * sent as it was given; a key that is not in it travels in the header.
 * @throws {InvalidRequestError}
 */
export function prepareKeyed(
  operation: KeyedOperation,
  { path = {}, body, idempotencyKey }: KeyedParts,
): { write: NotedWrite<KeyedOperation>; request: KeyedRequest } {
  checkRequest(operation, body);
  const given = body as { idempotencyKey?: string; totpCode?: string; paymentIntentId?: string };
  const inBody = given.idempotencyKey;
  if (inBody !== undefined && idempotencyKey !== undefined && inBody !== idempotencyKey) {
    throw new InvalidRequestError('idempotencyKey is given in the body and beside it, and they differ', { operation });
  }
  const key = inBody ?? idempotencyKey ?? madeKey(operation, given.paymentIntentId);
  const inHeader = inBody === undefined && HEADER_SAFE.test(key);
  const whole = { ...given, idempotencyKey: key };
  const textWithKey = checkRequest(operation, whole) ?? '{}';
  const request: KeyedRequest = {
    path,
    body: inHeader ? (checkRequest(operation, body) ?? '{}') : textWithKey,
    header: inHeader ? key : undefined,
  };
  // A code is good for half a minute, and nothing that is to be kept.
  const kept = given.totpCode === undefined ? toJsonText({ ...request }) : null;
  const links = linksOfCall(operation, { path, request: objectFromJsonText(textWithKey) });
  return { write: { operation, key, hash: hashOf(operation, path, textWithKey), request: kept, links }, request };
}

/** What `prepareKeyed` kept. */
export function keptRequest(text: string): KeyedRequest {
  const { path, body, header } = objectFromJsonText(text);
  return {
    path: path as Record<string, string>,
    body: body as string,
    header: typeof header === 'string' ? header : undefined,
  };
}

/** Specification 4.5: the service derives the same key, which guarantees a single refund per payment. */
function madeKey(operation: KeyedOperation, paymentIntentId: string | undefined): string {
  return operation === 'createRefund' ? `refund-${paymentIntentId}` : randomUUID();
}

function hashOf(operation: KeyedOperation, path: KeyedRequest['path'], body: string): string {
  const { idempotencyKey: _, totpCode: __, ...rest } = fromJsonText(body) as JsonObject;
  const asked: Json = { operation, path: { ...path }, body: rest };
  return createHash('sha256').update(canonicalJson(asked)).digest('hex');
}
