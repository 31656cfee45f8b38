import { type JsonObject, type Plain, plain } from '../domain/json.js';
import { AppError } from '../errors.js';

interface About {
  operation: string;
  status?: number | null;
  cause?: unknown;
}

/** A call to the payment service that did not end as hoped. The message names the operation, never the API key. */
export abstract class ServiceError extends AppError {
  readonly operation: string;
  /** Of the service's answer; null where there was none. */
  readonly status: number | null;
  abstract readonly remedy: string;

  constructor(problem: string, about: About) {
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
  /** The body is a JSON object, as the service's own are (specification 4); a proxy that answers in its place has a page. */
  isOwnWord?: boolean;
}

/** The service answered, and said no: it did nothing. */
export abstract class RefusalError extends ServiceError {
  readonly serviceCode: string | null;
  readonly serviceMessage: string | null;
  readonly isOwnWord: boolean;

  constructor(problem: string, refusal: Refusal) {
    const said = [refusal.serviceCode, refusal.serviceMessage].filter((part) => part !== null).join(': ');
    super(`${problem}, status ${refusal.status}${said === '' ? '' : ` (${said})`}`, refusal);
    this.serviceCode = refusal.serviceCode;
    this.serviceMessage = refusal.serviceMessage;
    this.isOwnWord = refusal.isOwnWord ?? false;
  }

  /** The automatic settlement that was asked for is not possible (specification 4.1, 7): another destination, or none. */
  get autoSettlement(): boolean {
    return this.serviceCode?.startsWith('AUTO_SETTLEMENT_') ?? false;
  }
}

/** 401: the API key is not accepted. */
export class UnauthorizedError extends RefusalError {
  readonly code = 'service_unauthorized';
  readonly remedy = 'use a key of this environment that has not expired: see the service’s dashboard';
}

/** 403: the API key may not do this, for example because it is reserved for business accounts (specification 4.21). */
export class ForbiddenError extends RefusalError {
  readonly code = 'service_forbidden';
  readonly remedy = 'use a key that may do this, or ask the service for the permission';
}

/** 404. */
export class NotFoundError extends RefusalError {
  readonly code = 'service_not_found';
  readonly remedy = 'check the identifier, and that the key belongs to the account that owns it';
}

/** Any other 4xx: the request breaks a rule of the service. */
export class RefusedError extends RefusalError {
  readonly code = 'service_refused';
  readonly remedy = 'correct the request as the service says, then send it again';
}

/** 429, also after the retries. `retryAfterMs`: what the service asked for; null where it did not say. */
export class RateLimitedError extends RefusalError {
  readonly code = 'service_rate_limited';
  readonly remedy = 'ask again later, and less often';
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
  readonly remedy = 'ask again later; if it lasts, check the address and the way to the service';
  override readonly retryable = true;
  readonly retryAfterMs: number | null;
  /** No connection came about: the service knows nothing of the call. */
  readonly unsent: boolean;

  constructor(problem: string, about: About & { retryAfterMs?: number | null; unsent?: boolean }) {
    super(problem, about);
    this.retryAfterMs = about.retryAfterMs ?? null;
    this.unsent = about.unsent ?? false;
  }
}

/** Not even asked: the calls before failed in a row. `cause` is how the last of them failed. */
export class CircuitOpenError extends UnavailableError {
  override readonly code = 'service_circuit_open';

  constructor(problem: string, about: About) {
    super(problem, { ...about, unsent: true });
  }
}

/** `retryable` where it could not be read at all (a proxy's page, an answer cut short): the next one may be better. */
export class ContractViolationError extends ServiceError {
  readonly code = 'service_contract_violation';
  readonly remedy = 'see that SERVICE_BASE_URL is the service itself and no proxy’s page, then run: tallyhook doctor';
  override readonly retryable: boolean;

  constructor(problem: string, about: About & { retryable?: boolean }) {
    super(problem, about);
    this.retryable = about.retryable ?? false;
  }
}

/** Refused here, before anything was sent. The message names the field and its rule. */
export class InvalidRequestError extends ServiceError {
  readonly code = 'invalid_request';
  readonly remedy = 'correct the field; nothing was sent';
}

/** Nothing was sent: the caller aborted it before, or it got no turn. `cause` says which. Its key is as free as before. */
export class NotSentError extends ServiceError {
  readonly code = 'not_sent';
  readonly remedy = 'nothing was sent; make the same call again if it is still wanted';

  constructor(operation: string, cause: unknown) {
    super(`not sent${cause instanceof Error ? `: ${cause.message}` : ''}`, { operation, cause });
  }
}

/** Not sent (once more), because its key was first used too long ago for the service to be sure to know it (specification 8). */
export class TooLateError extends ServiceError {
  readonly code = 'too_late';
  readonly remedy: string;
  readonly idempotencyKey: string | null;
  /** Of what the key made, and nothing more is known of it here; null: not known, or nothing. */
  readonly objectId: string | null;

  constructor(
    operation: string,
    { key = null, objectId = null }: { key?: string | null; objectId?: string | null } = {},
  ) {
    const named = key === null ? 'the key' : `idempotencyKey ${JSON.stringify(key)}`;
    const made = objectId === null ? '' : `; it made ${objectId}`;
    super(`not sent: ${named} was first used too long ago for the service to be sure to know it${made}`, { operation });
    this.idempotencyKey = key;
    this.objectId = objectId;
    this.remedy =
      objectId === null
        ? 'look for what the key made before you use another'
        : 'it was done before: read the record; another key would do it twice';
  }
}

/**
 * The service answered a creating call with something else than was asked for: what the key stood for before (in another
 * system with the same account, or before this database). Of what was asked for, nothing is known to have been made.
 */
export class ForeignAnswerError extends ServiceError {
  readonly code = 'foreign_answer';
  readonly remedy =
    'look at the record; if it is another one, the key was used before: choose a key that nothing else uses';
  /** Of the record that the service showed. */
  readonly objectId: string;

  constructor(about: { operation: string; field: string; objectId: string }) {
    super(`the answer is ${about.objectId}, which was not asked for: its ${about.field} is another`, about);
    this.objectId = about.objectId;
  }
}

/**
 * A call that writes may or may not have done its work, and it is not known now. Never send it again by other means.
 *
 * - With `idempotencyKey`: whoever keeps the keys asks once more with the same key, until `until`, and so does a call of
 *   yours with that key; see settleWrites of the client.
 * - Of an invoice: `candidates` are those in the service's list that it may be; none, or several.
 * - Otherwise: the call may simply be repeated, and ends in the same state.
 *
 * `cause` is how the last attempt failed; the reason of its signal, where the caller aborted a call that was sent.
 */
export class OutcomeUnknownError extends ServiceError {
  readonly code = 'outcome_unknown';
  readonly remedy: string;
  readonly idempotencyKey: string | null;
  /** Our time; null where no key can settle it. */
  readonly until: Date | null;
  readonly candidates: readonly Plain<JsonObject>[];

  constructor(
    problem: string,
    about: About & { remedy: string; idempotencyKey?: string; until?: Date; candidates?: readonly JsonObject[] },
  ) {
    super(problem, about);
    this.remedy = about.remedy;
    this.idempotencyKey = about.idempotencyKey ?? null;
    this.until = about.until ?? null;
    this.candidates = (about.candidates ?? []).map((candidate) => plain(candidate));
  }
}
