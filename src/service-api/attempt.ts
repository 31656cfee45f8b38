import type { Json } from '../domain/json.js';
import type { Contract } from './contract.js';
import { readJson, refusalOf, UnreadableError } from './refusal-of.js';
import type { ServiceClock } from './service-clock.js';
import { ContractViolationError, type ServiceError, UnavailableError } from './service-errors.js';

/** What is asked; `url` is whole. */
export interface ServiceRequest {
  operation: string;
  method: 'GET' | 'POST' | 'PATCH';
  url: URL;
  /** The catalog is public and gets no key (specification 5). */
  authorized: boolean;
  /** JSON text. */
  body?: string | undefined;
  idempotencyKey?: string | undefined;
  /** A success may come without a body: then the data is null. */
  mayBeEmpty?: boolean;
  /** Sent one single time, whatever comes of it. */
  once?: boolean;
  /** Asked before each attempt: nothing more is sent once it says so. */
  isTooLate?: (() => boolean) | undefined;
  /** Of a call that writes: kept up to date while it lasts. */
  progress?: WriteProgress;
}

/** `outcomeUnknown`: an attempt may have done what it was to do; only an answer that is accepted ends that. */
export interface WriteProgress {
  outcomeUnknown: boolean;
}

/** A call that writes, ready to be sent. */
export interface Sending {
  path?: Readonly<Record<string, string>>;
  body?: string | undefined;
  idempotencyKey?: string | undefined;
  once?: boolean;
  isTooLate?: (() => boolean) | undefined;
  progress: WriteProgress;
  signal?: AbortSignal | undefined;
}

export interface SentRequest {
  path: Readonly<Record<string, string>>;
  body?: string | undefined;
}

/** What the service said, and when: `from` and `to` are in ms of its clock, never inside the time that the call took. */
export interface Reply<T> {
  data: T;
  from: number;
  to: number;
  /** The header that counts, `headers.totalCount` of the contract, where there is one (specification 4.12). */
  totalCount: number | null;
}

export interface AttemptContext {
  apiKey: string;
  clock: ServiceClock;
  error: Contract['error'];
  countHeader: string;
  /** Bytes of an answer that are read at most. */
  bodyLimit: number;
  onStatus: (status: number) => void;
}

const FAILURE_BYTES = 65_536;
/** No connection came about, so nothing was sent. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** The same, while a connection is made. They may also end one that stood, when a router says so of its host. */
const NOT_REACHED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Asks once. Every way in which that can fail is a ServiceError, but for an abort, which rejects with its reason. */
export async function attempt(
  request: ServiceRequest,
  context: AttemptContext,
  signal: AbortSignal,
): Promise<Reply<Json>> {
  const { operation } = request;
  const sentAt = context.clock.local();
  const response = await send(request, context, signal);
  const receivedAt = context.clock.local();
  const { status } = response;
  context.onStatus(status);
  if (status >= 300 && status < 400) throw await redirected(response, operation);
  if (!response.ok) throw await failed(response, operation, context);
  noteDate(response.headers, { sentAt, receivedAt }, context.clock);
  const bytes = await bytesOf(response, operation, context.bodyLimit);
  const data = request.mayBeEmpty && bytes.byteLength === 0 ? null : readAnswer(bytes, operation, status);
  const { low, high } = context.clock.bounds();
  return {
    data,
    from: Math.floor(sentAt + low),
    to: Math.ceil(context.clock.local() + high),
    totalCount: countOf(response.headers, context.countHeader),
  };
}

async function send(request: ServiceRequest, { apiKey }: AttemptContext, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (request.authorized) headers['Authorization'] = `Bearer ${apiKey}`;
  if (request.body !== undefined) headers['Content-Type'] = 'application/json';
  if (request.idempotencyKey !== undefined) headers['Idempotency-Key'] = request.idempotencyKey;
  const { method, body = null } = request;
  try {
    return await fetch(request.url, { method, headers, body, signal, redirect: 'manual' });
  } catch (error) {
    throw lost(error, { operation: request.operation, signal, when: 'no answer' });
  }
}

async function bytesOf(response: Response, operation: string, limit: number): Promise<Uint8Array> {
  const { status } = response;
  try {
    return await readBody(response, limit);
  } catch (error) {
    if (error instanceof BodyTooLargeError)
      throw new ContractViolationError(`${error.message}, status ${status}`, { operation, status, cause: error });
    throw lost(error, { operation, status, when: `the answer broke off, status ${status}` });
  }
}

function readAnswer(bytes: Uint8Array, operation: string, status: number): Json {
  try {
    return readJson(bytes);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const problem = `the answer is ${error.message}, status ${status}`;
    throw new ContractViolationError(problem, { operation, status, cause: error, retryable: true });
  }
}

async function redirected(response: Response, operation: string): Promise<ServiceError> {
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  return new ContractViolationError(`the answer is a redirect, which is not followed, status ${status}`, {
    operation,
    status,
  });
}

async function failed(response: Response, operation: string, context: AttemptContext): Promise<ServiceError> {
  const body = await readBody(response, FAILURE_BYTES).catch(() => new Uint8Array());
  const answer = { operation, status: response.status, body, retryAfterMs: retryAfterMs(response.headers, Date.now()) };
  return refusalOf(answer, { error: context.error, secret: context.apiKey });
}

/** An abort stays what it is; anything else that the network does is an UnavailableError with its cause. */
function lost(
  error: unknown,
  about: { operation: string; status?: number; when: string; signal?: AbortSignal },
): unknown {
  if (about.signal?.aborted || (error instanceof Error && error.name === 'AbortError')) return error;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = codeOf(cause);
  const { operation, status = null, when } = about;
  const unsent = status === null && isUnsent(cause);
  return new UnavailableError(code === '' ? when : `${when} (${code})`, { operation, status, cause, unsent });
}

function isUnsent(cause: unknown): boolean {
  // One for each address of the host that was tried.
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.every(isUnsent);
  const code = codeOf(cause);
  return NOT_CONNECTED.has(code) || (NOT_REACHED.has(code) && Object(cause).syscall === 'connect');
}

/** Empty: it has none. */
const codeOf = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : '');

/** A copy out of a cache (Age) carries the date of its making. */
function noteDate(headers: Headers, times: { sentAt: number; receivedAt: number }, clock: ServiceClock): void {
  const date = httpDate(headers.get('date'));
  if (date !== null && Number(headers.get('age') ?? 0) === 0) clock.note({ ...times, date });
}

function countOf(headers: Headers, name: string): number | null {
  const count = headers.get(name);
  return count !== null && /^\d{1,15}$/.test(count) ? Number(count) : null;
}

/** The body was larger than allowed: `limit` bytes, after decompression. */
class BodyTooLargeError extends Error {
  constructor(limit: number) {
    super(`an answer of more than ${limit} bytes`);
    this.name = 'BodyTooLargeError';
  }
}

/** The bytes of an answer. Stops reading, and gives the connection up, as soon as there are more than `limit`. */
async function readBody(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > limit) throw new BodyTooLargeError(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/**
 * How long a Retry-After header (RFC 9110, 10.2.3) asks to wait, in ms: seconds, or an HTTP date, which is compared with
 * `date`, the answer's own Date header, so that no clock of ours matters; without that with `now` (ms). Null where it
 * says nothing that can be read.
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = httpDate(value);
  return at === null ? null : Math.max(0, at - (httpDate(headers.get('date')) ?? now));
}

function httpDate(value: string | null): number | null {
  if (value === null || !/^[A-Z][a-z]+, /.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}
