import { randomUUID } from 'node:crypto';
import { canonicalHash } from '../domain/canonical-json.js';
import {
  fromJsonText,
  isJsonObject,
  type Json,
  type JsonObject,
  objectFromJsonText,
  toJsonText,
} from '../domain/json.js';
import { linksOfCall } from '../domain/own-calls.js';
import { textField } from '../domain/records.js';
import type { Reply, WriteProgress } from './attempt.js';
import { checkAnswer, checkRequest } from './check-request.js';
import {
  type Begun,
  type KeyLimits,
  type KeyOutcome,
  type KeyStore,
  type NotedWrite,
  type Settled,
  type SettledWrite,
  settleOpen,
} from './key-store.js';
import { type KeyedOperation, keyedOperations } from './operations.js';
import {
  ForeignAnswerError,
  InvalidRequestError,
  OutcomeUnknownError,
  RefusalError,
  TooLateError,
} from './service-errors.js';

/** How long the service remembers a key is not shown (specification 8), and one that it has forgotten pays twice. */
const REPLAY_WINDOW_MS = 600_000;

interface KeyedCallsDeps {
  store: KeyStore;
  send: (
    operation: KeyedOperation,
    request: KeyedRequest,
    about: { progress: WriteProgress; signal: AbortSignal | undefined; isTooLate: () => boolean },
  ) => Promise<Reply<Json>>;
  /** Takes the answer in; false where that failed. */
  report: (write: KeyedWrite, request: KeyedRequest, reply: Reply<Json>) => Promise<boolean>;
  /** The longest that one call may take, its retries among it. */
  deadlineMs: number;
  log: { warn(about: object, message: string): void } | undefined;
}

type KeyedWrite = NotedWrite<KeyedOperation>;

/**
 * Creating calls under an idempotency key (specification 7): written down before they are sent, repeated under the same
 * key alone, within REPLAY_WINDOW_MS and never later.
 */
export class KeyedCalls {
  private readonly deps: KeyedCallsDeps;
  private readonly limits: KeyLimits;

  constructor(deps: KeyedCallsDeps) {
    this.deps = deps;
    const { deadlineMs } = deps;
    this.limits = { leaseMs: Math.ceil(deadlineMs * 1.1), withinMs: Math.max(0, REPLAY_WINDOW_MS - deadlineMs) };
  }

  async call(operation: KeyedOperation, parts: KeyedParts, signal: AbortSignal | undefined): Promise<Reply<Json>> {
    const { write, request } = prepareKeyed(operation, parts);
    signal?.throwIfAborted();
    const elapsed = stopwatch();
    // It may be written down all the same, and is then sent by whoever settles.
    const begun = await this.deps.store.begin(write, this.limits).catch((error: unknown) => {
      throw this.unknown(write, 0, error);
    });
    if (!begun.ok) return this.madeBefore(write, begun);
    return this.send(write, request, { signal, elapsed, ...begun });
  }

  /** What a call made that can't be asked for again, as our records know it. */
  private async madeBefore(
    write: KeyedWrite,
    { reason, objectId }: Extract<Begun, { ok: false }>,
  ): Promise<Reply<Json>> {
    const { operation, key } = write;
    if (reason === 'other_request') throw otherRequest(write, objectId);
    const known = objectId === null ? null : await this.deps.store.made?.(operation, objectId).catch(() => null);
    if (!known) throw new TooLateError(operation, { key, objectId });
    return { data: known.fields, from: known.at, to: known.at, totalCount: null };
  }

  /** Sends every call with an unknown outcome once more under its key; gives up those that are too old for it. */
  async *settle(signal: AbortSignal | undefined): AsyncGenerator<SettledWrite> {
    let elapsed = stopwatch();
    const about = { operations: keyedOperations, limits: this.limits, signal };
    yield* settleOpen(this.deps.store, about, async (write) => {
      const settled = await this.settleOne(write, { signal, elapsed, age: write.age, again: true });
      elapsed = stopwatch();
      return settled;
    });
  }

  private async settleOne(write: KeyedWrite, context: SendContext): Promise<Settled> {
    if (write.request === null) {
      await this.end(write, 'lost', null);
      return { outcome: 'lost', objectIds: [] };
    }
    try {
      const { data } = await this.send(write, keptRequest(write.request), context);
      return { outcome: 'done', objectIds: [idOf(data)].filter((id) => id !== null) };
    } catch (error) {
      context.signal?.throwIfAborted();
      if (error instanceof ForeignAnswerError) return { outcome: 'lost', objectIds: [error.objectId] };
      return { outcome: error instanceof RefusalError ? 'refused' : 'unknown', objectIds: [] };
    }
  }

  private async send(write: KeyedWrite, request: KeyedRequest, context: SendContext): Promise<Reply<Json>> {
    const { operation } = write;
    const { signal, age, again, elapsed } = context;
    const progress: WriteProgress = { outcomeUnknown: false };
    const isTooLate = () => elapsed() > REPLAY_WINDOW_MS - age;
    try {
      const reply = await this.deps.send(operation, request, { progress, signal, isTooLate });
      checkAnswer(operation, objectFromJsonText(request.body), reply.data);
      const isReported = await this.deps.report(write, request, reply);
      // Asking again hands the answer over again; what was not kept can't be asked again.
      await this.end(write, isReported || write.request === null ? 'done' : 'unknown', idOf(reply.data));
      return reply;
    } catch (error) {
      const outcome = outcomeOf(error, progress, again);
      const isKept = await this.end(write, outcome, null);
      if ((outcome !== 'unknown' && isKept) || error instanceof ForeignAnswerError) throw error;
      throw this.unknown(write, age, error);
    }
  }

  /** False where it could not be written down, so that the call will be taken for one with an unknown outcome. */
  private async end(write: KeyedWrite, outcome: KeyOutcome, objectId: string | null): Promise<boolean> {
    try {
      await this.deps.store.end(write, outcome, objectId);
      return true;
    } catch (error) {
      const { operation } = write;
      this.deps.log?.warn({ operation, outcome, err: error }, 'call outcome not saved');
      return false;
    }
  }

  private unknown({ operation, key }: KeyedWrite, age: number, cause: unknown): OutcomeUnknownError {
    const until = new Date(Date.now() + Math.max(0, this.limits.withinMs - age));
    return new OutcomeUnknownError('it is not known whether the service did it', {
      operation,
      cause,
      idempotencyKey: key,
      until,
      remedy: `send it again with idempotencyKey ${JSON.stringify(key)} before ${until.toISOString()}, or let the scheduler do so; never with another key`,
    });
  }
}

interface SendContext {
  signal: AbortSignal | undefined;
  /** Since the key was first used until it was looked up, ms. */
  age: number;
  /** A call under this key was begun before, and its outcome is unknown. */
  again: boolean;
  /** Since just before the key was looked up, ms. */
  elapsed: () => number;
}

/** By whichever clock went further: one stands still while the machine sleeps, the other may be set. */
function stopwatch(): () => number {
  const [wall, steady] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - steady);
}

/**
 * A replay that is refused says that nothing was made: what was made would have been answered (specification 7). Not so
 * where the refusal is not the service's own, or speaks of the caller alone, or of the moment.
 */
function outcomeOf(error: unknown, { outcomeUnknown }: WriteProgress, again: boolean): KeyOutcome {
  if (error instanceof ForeignAnswerError) return 'lost';
  // Meanwhile another process may have taken it up.
  if (outcomeUnknown || error instanceof TooLateError) return 'unknown';
  if (error instanceof RefusalError && (!again || isFinal(error))) return 'refused';
  return again ? 'unknown' : 'unsent';
}

function isFinal({ status, isOwnWord }: RefusalError): boolean {
  return isOwnWord && status !== 401 && status !== 403 && status !== 409 && status !== 429;
}

const idOf = (data: Json): string | null => (isJsonObject(data) ? textField(data, 'id') : null);

function otherRequest({ operation, key }: KeyedWrite, objectId: string | null): InvalidRequestError {
  const made = objectId === null ? '' : `; it made ${objectId}`;
  return new InvalidRequestError(`idempotencyKey ${JSON.stringify(key)} was used for another request${made}`, {
    operation,
  });
}

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
  if (inBody !== undefined && idempotencyKey !== undefined && inBody !== idempotencyKey)
    throw new InvalidRequestError('idempotencyKey is given in the body and beside it, and they differ', { operation });
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
  return canonicalHash({ operation, path: { ...path }, body: rest });
}
