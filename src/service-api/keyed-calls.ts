import type { Json } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { textField } from '../domain/records.js';
import type { Reply, WriteProgress } from './attempt.js';
import type { KeyedWrite, KeyLimits, KeyOutcome, KeyStore } from './key-store.js';
import { type KeyedParts, type KeyedRequest, keptRequest, prepareKeyed } from './keyed-request.js';
import type { KeyedOperation } from './operations.js';
import { InvalidRequestError, OutcomeUnknownError, RefusalError } from './service-errors.js';

/**
 * How long after its first use a key may be sent. How long the service remembers a key is not shown (specification 8),
 * and one that it has forgotten pays twice.
 */
const REPLAY_WINDOW_MS = 600_000;

export interface Sent {
  reply: Reply<Json>;
  request: KeyedRequest;
}

interface KeyedCallsDeps {
  store: KeyStore;
  send: (
    operation: KeyedOperation,
    request: KeyedRequest,
    about: { progress: WriteProgress; signal: AbortSignal | undefined },
  ) => Promise<Reply<Json>>;
  /** The longest that one call may take, its retries among it. */
  deadlineMs: number;
  log: { warn(about: object, message: string): void } | undefined;
}

export type SettledWrite = { operation: KeyedOperation; key: string } & (
  | { outcome: 'done'; sent: Sent }
  | { outcome: 'refused' | 'unsent' | 'doubt' | 'lost' }
);

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

  async call(operation: KeyedOperation, parts: KeyedParts, signal: AbortSignal | undefined): Promise<Sent> {
    const { write, request } = prepareKeyed(operation, parts);
    signal?.throwIfAborted();
    const begun = await this.deps.store.begin(write, this.limits);
    if (!begun.ok) throw notAgain(write, begun);
    return this.send(write, request, { signal, ...begun });
  }

  /** Sends every call in doubt once more under its key; gives up those that are too old for it. */
  async settle(signal: AbortSignal | undefined): Promise<SettledWrite[]> {
    const { store } = this.deps;
    const lost = await store.giveUp(this.limits);
    const settled: SettledWrite[] = lost.map(({ operation, key }) => ({ operation, key, outcome: 'lost' }));
    const asked = new Set<string>();
    for (;;) {
      signal?.throwIfAborted();
      const claimed = await store.claim(this.limits);
      if (claimed === null) return settled;
      const { age, ...write } = claimed;
      // Those that stay in doubt wait behind the others: this round has asked for all.
      if (asked.has(`${write.operation} ${write.key}`)) {
        await this.end(write, 'doubt', null);
        return settled;
      }
      asked.add(`${write.operation} ${write.key}`);
      settled.push(await this.settleOne(write, { signal, age, again: true }));
    }
  }

  private async settleOne(write: KeyedWrite, about: SendContext): Promise<SettledWrite> {
    const { operation, key } = write;
    if (write.request === null) {
      await this.end(write, 'lost', null);
      return { operation, key, outcome: 'lost' };
    }
    try {
      const sent = await this.send(write, keptRequest(write.request), about);
      return { operation, key, outcome: 'done', sent };
    } catch (error) {
      about.signal?.throwIfAborted();
      return { operation, key, outcome: error instanceof RefusalError ? 'refused' : 'doubt' };
    }
  }

  private async send(write: KeyedWrite, request: KeyedRequest, context: SendContext): Promise<Sent> {
    const { operation } = write;
    const { signal, age, again } = context;
    const progress: WriteProgress = { doubt: false };
    try {
      const reply = await this.deps.send(operation, request, { progress, signal });
      await this.end(write, 'done', idOf(reply.data));
      return { reply, request };
    } catch (error) {
      const outcome = outcomeOf(error, progress, again);
      const isKept = await this.end(write, outcome, null);
      if (outcome !== 'doubt' && isKept) throw error;
      if (signal?.aborted) throw error;
      throw this.unknown(write, age, error);
    }
  }

  /** False where it could not be written down, so that the call will be taken for one in doubt. */
  private async end(write: KeyedWrite, outcome: KeyOutcome, objectId: string | null): Promise<boolean> {
    try {
      await this.deps.store.end(write, outcome, objectId);
      return true;
    } catch (error) {
      const { operation } = write;
      this.deps.log?.warn({ operation, outcome, err: error }, 'how a call ended could not be written down');
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
  /** Since the key was first used, ms. */
  age: number;
  /** A call under this key was begun before, and its outcome is in doubt. */
  again: boolean;
}

/**
 * A replay that is refused says that nothing was made: what was made would have been answered (specification 7). Not so
 * where the refusal speaks of the caller alone, or of the moment.
 */
function outcomeOf(error: unknown, { doubt }: WriteProgress, again: boolean): KeyOutcome {
  if (doubt) return 'doubt';
  if (error instanceof RefusalError && (!again || isFinal(error))) return 'refused';
  return again ? 'doubt' : 'unsent';
}

function isFinal({ status }: RefusalError): boolean {
  return status !== 401 && status !== 403 && status !== 409 && status !== 429;
}

function idOf(data: Json): string | null {
  return isJsonObject(data) ? textField(data, 'id') : null;
}

function notAgain(
  { operation, key }: KeyedWrite,
  { reason, objectId }: { reason: 'expired' | 'other_request'; objectId: string | null },
): InvalidRequestError {
  const made = objectId === null ? '' : `; it made ${objectId}`;
  const named = `idempotencyKey ${JSON.stringify(key)}`;
  const problem =
    reason === 'expired'
      ? `${named} was first used too long ago for the service to be sure to know it${made}`
      : `${named} was used for another request${made}`;
  return new InvalidRequestError(problem, { operation });
}
