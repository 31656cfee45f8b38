import { isLosslessNumber } from 'lossless-json';
import { valueAt } from '../domain/events/event-key.js';
import { isJsonObject, type Json } from '../domain/json.js';
import { JsonTextError, MAX_DEPTH, parseJson } from '../domain/json-table/read-table.js';
import { maskText } from '../domain/personal.js';
import type { Contract } from './contract.js';
import {
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  type Refusal,
  RefusedError,
  type ServiceError,
  UnauthorizedError,
  UnavailableError,
} from './service-errors.js';

const LONGEST_PART = 200;

/** An answer other than 2xx and 3xx, read as far as it could be. */
export interface FailedAnswer {
  operation: string;
  status: number;
  body: Uint8Array;
  retryAfterMs: number | null;
}

/**
 * The error that an answer stands for. The body's format is not shown (specification 7), so its parts are searched for
 * where the contract says, and none of them has to be there. `secret` is struck out of what the service says, and what says
 * of a person.
 */
export function refusalOf(
  { operation, status, body, retryAfterMs }: FailedAnswer,
  { error, secret }: { error: Contract['error']; secret: string },
): ServiceError {
  const document = readQuietly(body);
  const part = (pointer: string) => partOf(document, pointer, secret);
  const refusal: Refusal = {
    operation,
    status,
    serviceCode: part(error.code),
    serviceMessage: part(error.message),
    isOwnWord: isJsonObject(document),
  };
  if (status >= 500 || status === 408)
    return new UnavailableError(`the service failed, status ${status}`, { operation, status, retryAfterMs });
  switch (status) {
    case 401:
      return new UnauthorizedError('the API key is not accepted', refusal);
    case 403:
      return new ForbiddenError('the API key may not do this', refusal);
    case 404:
      return new NotFoundError('not found', refusal);
    case 429:
      return new RateLimitedError(refusal, retryAfterMs);
    default:
      return new RefusedError('the service refuses the request', refusal);
  }
}

function readQuietly(body: Uint8Array): Json {
  try {
    return readJson(body);
  } catch {
    return null;
  }
}

function partOf(document: Json, pointer: string, secret: string): string | null {
  let value = valueAt(document, pointer);
  if (isLosslessNumber(value)) return value.toString().slice(0, LONGEST_PART);
  if (Array.isArray(value)) value = value.filter((line) => typeof line === 'string').join('; ');
  if (typeof value !== 'string' || value === '') return null;
  return maskText(value.replaceAll(secret, '[key]').replaceAll(/\p{C}+/gu, ' ')).slice(0, LONGEST_PART);
}

/** What an answer holds instead of JSON, said without repeating any of it. */
export class UnreadableError extends Error {
  constructor(found: string, options?: { cause?: unknown }) {
    super(found, options);
    this.name = 'UnreadableError';
  }
}

/** JSON whose numbers keep their digits. @throws {UnreadableError} */
export function readJson(bytes: Uint8Array): Json {
  if (bytes.byteLength === 0) throw new UnreadableError('an empty body');
  const text = decode(bytes);
  try {
    return parseJson(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const found = /^\s*<(!doctype|html|\?xml)/i.test(text) ? 'an HTML or XML page' : `no JSON: ${error.message}`;
    throw new UnreadableError(`${found}, ${bytes.byteLength} bytes`, { cause: error });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableError(`no UTF-8 text, ${bytes.byteLength} bytes`, { cause });
  }
}
