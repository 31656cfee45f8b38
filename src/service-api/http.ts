import { setTimeout as delay } from 'node:timers/promises';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  type RetryPolicy as CockatielRetryPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  ExponentialBackoff,
  halfJitterGenerator,
  handleWhen,
  retry,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
} from 'cockatiel';
import type { Json } from '../domain/json.js';
import { type AttemptContext, attempt, type Reply, type ServiceRequest, type WriteProgress } from './attempt.js';
import {
  CircuitOpenError,
  RateLimitedError,
  RefusalError,
  ServiceError,
  TooLateError,
  UnavailableError,
} from './service-errors.js';

/** How often and how long the client tries; times in ms. */
export interface RetryPolicy {
  /** One attempt, from sending to the last byte. */
  attemptMs: number;
  /** The whole call, with waiting for its turn, retries and their pauses. */
  deadlineMs: number;
  /** Retries after the first attempt. */
  retries: number;
  /** The pause before the first retry; doubled for each further one, with jitter. */
  pauseMs: number;
  longestPauseMs: number;
  /** A Retry-After of more is not waited for: the call fails, and its caller hears of it. */
  longestRetryAfterMs: number;
  /** After so many failures in a row nothing is sent for `openMs`, doubled each time up to `longestOpenMs`. */
  failures: number;
  openMs: number;
  longestOpenMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attemptMs: 20_000,
  deadlineMs: 120_000,
  retries: 3,
  pauseMs: 500,
  longestPauseMs: 15_000,
  longestRetryAfterMs: 30_000,
  failures: 8,
  openMs: 2_000,
  longestOpenMs: 30_000,
};

export interface ServiceHttpSettings extends Omit<AttemptContext, 'onStatus'> {
  retryPolicy: RetryPolicy;
  /** Resolves when it is the call's turn. */
  takeSlot: (signal: AbortSignal, operation: string) => Promise<void>;
  log?: { warn(about: object, message: string): void };
  /** After every attempt. `failure`: what says that the service is away; null: it answered, or who asked gave up. */
  onRequest?: (about: { operation: string; status: number | 'no_answer'; failure: UnavailableError | null }) => void;
  /** When calls begin to be held back, and when they no longer are. */
  onCircuit?: (state: 'open' | 'closed') => void;
}

/**
 * Calls to the service: bearer key, timeouts, retries, Retry-After, one rate, a circuit breaker. Safe to share: what the
 * service says to one call (wait, I am down) counts for all. Retries are the same request once more, byte for byte.
 */
export class ServiceHttp {
  private readonly settings: ServiceHttpSettings;
  private readonly circuit: CircuitBreakerPolicy;
  private quietUntil = 0;

  constructor(settings: ServiceHttpSettings) {
    this.settings = settings;
    const { failures, openMs, longestOpenMs } = settings.retryPolicy;
    this.circuit = circuitBreaker(handleWhen(isOutage), {
      breaker: new ConsecutiveBreaker(failures),
      halfOpenAfter: new ExponentialBackoff({
        generator: halfJitterGenerator,
        initialDelay: openMs,
        maxDelay: longestOpenMs,
      }),
    });
    this.circuit.onBreak(() => settings.onCircuit?.('open'));
    this.circuit.onReset(() => settings.onCircuit?.('closed'));
  }

  /** Rejects with a ServiceError, with what `takeSlot` throws, or with the reason of the caller's own abort. */
  async call(request: ServiceRequest, signal?: AbortSignal): Promise<Reply<Json>> {
    signal?.throwIfAborted();
    const { deadlineMs } = this.settings.retryPolicy;
    let last: unknown;
    const policy = this.retrying(request, (error) => {
      last = error;
    });
    try {
      return await timeout(deadlineMs, TimeoutStrategy.Aggressive).execute(
        ({ signal }) => policy.execute(() => this.once(request, signal), signal),
        signal,
      );
    } catch (error) {
      if (!(error instanceof TaskCancelledError)) throw error;
      signal?.throwIfAborted();
      throw new UnavailableError(`no good answer within ${deadlineMs} ms`, {
        operation: request.operation,
        cause: last ?? error,
        unsent: last === undefined && request.progress?.outcomeUnknown === false,
      });
    }
  }

  private retrying({ operation, once }: ServiceRequest, onFailure: (error: unknown) => void): CockatielRetryPolicy {
    const { retries, pauseMs, longestPauseMs, longestRetryAfterMs } = this.settings.retryPolicy;
    const worthIt = (error: Error) => !once && isPassing(error) && (askedPause(error) ?? 0) <= longestRetryAfterMs;
    const policy = retry(handleWhen(worthIt), {
      maxAttempts: retries,
      backoff: new DelegateBackoff(({ attempt, result }) => {
        const full = Math.min(pauseMs * 2 ** (attempt - 1), longestPauseMs);
        return full * (0.5 + Math.random() / 2) + (('error' in result && askedPause(result.error)) || 0);
      }),
    }).dangerouslyUnref();
    policy.onRetry((about) => {
      const error = 'error' in about ? about.error : null;
      onFailure(error);
      const { attempt, delay } = about;
      this.settings.log?.warn(
        { operation, attempt, pauseMs: Math.round(delay), problem: error?.message },
        'call retried',
      );
    });
    return policy;
  }

  private async once(request: ServiceRequest, signal: AbortSignal): Promise<Reply<Json>> {
    await this.keepQuiet(signal);
    await this.settings.takeSlot(signal, request.operation);
    signal.throwIfAborted();
    if (request.isTooLate?.()) throw new TooLateError(request.operation);
    try {
      return await this.circuit.execute(() => this.attempt(request, signal));
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      const failure = this.circuit.lastFailure;
      const cause = failure && 'error' in failure ? failure.error : error;
      throw new CircuitOpenError(
        `not sent, because the service failed several times in a row, last with ${cause.message}`,
        { operation: request.operation, cause },
      );
    }
  }

  private async attempt(request: ServiceRequest, signal: AbortSignal): Promise<Reply<Json>> {
    const { attemptMs } = this.settings.retryPolicy;
    const { operation } = request;
    const settleUnknown = assumeUnknown(request.progress);
    let status: number | null = null;
    let failure: UnavailableError | null = null;
    const context = { ...this.settings, onStatus: (given: number) => void (status = given) };
    try {
      return await timeout(attemptMs, TimeoutStrategy.Aggressive).execute(
        (inner) => attempt(request, context, inner.signal),
        signal,
      );
    } catch (error) {
      if (didNothing(error)) settleUnknown();
      this.respectPause(error);
      const isLate = error instanceof TaskCancelledError && !signal.aborted;
      const given = isLate
        ? new UnavailableError(`no whole answer within ${attemptMs} ms`, { operation, status, cause: error })
        : error;
      if (given instanceof UnavailableError) failure = given;
      throw given;
    } finally {
      this.count({ operation, status: status ?? 'no_answer', failure });
    }
  }

  /** Whoever counts calls can't change what came of one. */
  private count(about: Parameters<NonNullable<ServiceHttpSettings['onRequest']>>[0]): void {
    try {
      this.settings.onRequest?.(about);
    } catch (error) {
      this.settings.log?.warn({ operation: about.operation, err: error }, 'call not counted');
    }
  }

  /** When the service asks one call to wait, all of them wait. */
  private respectPause(error: unknown): void {
    const asked = askedPause(error);
    if (asked === null) return;
    const pause = Math.min(asked, this.settings.retryPolicy.longestRetryAfterMs);
    this.quietUntil = Math.max(this.quietUntil, performance.now() + pause);
  }

  private async keepQuiet(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (;;) {
      const pause = this.quietUntil - performance.now();
      if (pause <= 0) return;
      await delay(pause, undefined, { signal });
    }
  }
}

/**
 * From the first byte sent on, what a write was to do may have been done. What is returned is for an attempt that did
 * nothing: it leaves what is unknown of those before it.
 */
function assumeUnknown(progress: WriteProgress | undefined): () => void {
  if (progress === undefined) return () => {};
  const before = progress.outcomeUnknown;
  progress.outcomeUnknown = true;
  return () => {
    progress.outcomeUnknown = before;
  };
}

/** The error proves that its attempt changed nothing at the service. */
function didNothing(error: unknown): boolean {
  return error instanceof RefusalError || (error instanceof UnavailableError && error.unsent);
}

/** Worth another attempt: an outage, a limit, or an answer that could not be read; not while the circuit is open. */
function isPassing(error: Error): boolean {
  return error instanceof ServiceError && error.retryable && !(error instanceof CircuitOpenError);
}

/** Speaks against the service's health. A limit does not: it answers. */
const isOutage = (error: Error): boolean => isPassing(error) && !(error instanceof RateLimitedError);

function askedPause(error: unknown): number | null {
  return error instanceof RateLimitedError || error instanceof UnavailableError ? error.retryAfterMs : null;
}
