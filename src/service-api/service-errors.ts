import { AppError } from '../errors.js';

/** A call to the payment service that did not end as hoped. The message names the operation, never the API key. */
export abstract class ServiceError extends AppError {
  readonly operation: string;
  /** Of the service's answer; null where there was none. */
  readonly status: number | null;

  constructor(problem: string, about: { operation: string; status?: number | null; cause?: unknown }) {
    super(`${about.operation}: ${problem}`, about.cause === undefined ? {} : { cause: about.cause });
    this.operation = about.operation;
    this.status = about.status ?? null;
  }
}

/** What the service itself says of a refusal: `code` and `message` of its error body, where it has them. */
export interface Refusal {
  operation: string;
  status: number;
  serviceCode: string | null;
  serviceMessage: string | null;
}

abstract class RefusalError extends ServiceError {
  readonly serviceCode: string | null;
  readonly serviceMessage: string | null;

  constructor(problem: string, refusal: Refusal) {
    const said = [refusal.serviceCode, refusal.serviceMessage].filter((part) => part !== null).join(': ');
    super(`${problem}, status ${refusal.status}${said === '' ? '' : ` (${said})`}`, refusal);
    this.serviceCode = refusal.serviceCode;
    this.serviceMessage = refusal.serviceMessage;
  }
}

/** 401: the API key is not accepted. */
export class UnauthorizedError extends RefusalError {
  readonly code = 'service_unauthorized';
}

/** 403: the API key may not do this, for example because it is reserved for business accounts (specification 4.21). */
export class ForbiddenError extends RefusalError {
  readonly code = 'service_forbidden';
}

/** 404. */
export class NotFoundError extends RefusalError {
  readonly code = 'service_not_found';
}

/** Any other 4xx: the request breaks a rule of the service. */
export class RefusedError extends RefusalError {
  readonly code = 'service_refused';
}

/** 429, also after the retries. `retryAfterMs`: what the service asked for; null where it did not say. */
export class RateLimitedError extends RefusalError {
  readonly code = 'service_rate_limited';
  override readonly retryable = true;
  readonly retryAfterMs: number | null;

  constructor(refusal: Refusal, retryAfterMs: number | null) {
    super('too many calls', refusal);
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer, or a 5xx: the service, or the way to it, is down. `cause` is what the network said. */
export class UnavailableError extends ServiceError {
  readonly code: string = 'service_unavailable';
  override readonly retryable = true;
  readonly retryAfterMs: number | null;

  constructor(
    problem: string,
    about: { operation: string; status?: number | null; cause?: unknown; retryAfterMs?: number | null },
  ) {
    super(problem, about);
    this.retryAfterMs = about.retryAfterMs ?? null;
  }
}

/** Not even asked: the calls before failed in a row. `cause` is how the last of them failed. */
export class CircuitOpenError extends UnavailableError {
  override readonly code = 'service_circuit_open';
}

/**
 * The answer is not what the specification promises. `retryable` where it could not be read at all (a proxy's page, an
 * answer cut short): the next one may be better.
 */
export class ContractViolationError extends ServiceError {
  readonly code = 'service_contract_violation';
  override readonly retryable: boolean;

  constructor(
    problem: string,
    about: { operation: string; status?: number | null; cause?: unknown; retryable?: boolean },
  ) {
    super(problem, about);
    this.retryable = about.retryable ?? false;
  }
}

/** Refused here, before anything was sent. The message names the field and its rule. */
export class InvalidRequestError extends ServiceError {
  readonly code = 'invalid_request';
}
