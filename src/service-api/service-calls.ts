import { valueAt } from '../domain/events/event-key.js';
import { fromJsonText, isJsonObject, type Json } from '../domain/json.js';
import { ConfigError } from '../errors.js';
import type { Reply, Sending } from './attempt.js';
import { checkOutline, checkQuery, checkRequest } from './check-request.js';
import { type Contract, defaultContract } from './contract.js';
import { defaultRetryPolicy, type RetryPolicy, ServiceHttp, type ServiceHttpSettings } from './http.js';
import { type KeyStore, MemoryKeyStore, type SettledWrite } from './key-store.js';
import {
  type OperationName,
  operationOf,
  pathOf,
  queryNamesOf,
  type ReadOperation,
  type WriteOperation,
} from './operations.js';
import { type ClockBounds, ServiceClock } from './service-clock.js';
import { InvalidRequestError } from './service-errors.js';
import { type Answered, ServiceWrites, type WriteParts } from './service-writes.js';

export interface ServiceClientOptions
  extends Partial<Pick<ServiceHttpSettings, 'takeSlot' | 'log' | 'onRequest' | 'onCircuit'>> {
  /** Paths such as /v1/payment-intents are appended to it. */
  baseUrl: string;
  apiKey: string;
  contract?: Contract;
  retryPolicy?: Partial<RetryPolicy>;
  /** Bytes of an answer; 20 MB by default. */
  bodyLimit?: number;
  /**
   * Where creating calls are written down before they are sent. Without one they are kept in memory. What the process does
   * not outlive is then settled by nobody, and Tallyhook does not see the calls: it learns of a refund only from polls and the
   * delivery history, and can't see from them which payment it was for. The client says so when it is made: in `log`, or
   * without one as a warning of the process.
   */
  keyStore?: KeyStore;
  /**
   * After every call that changed something, before it resolves. What it throws is logged; a creating call is then handed
   * over again when it is settled.
   */
  onAnswer?: (answered: Answered) => Promise<void>;
}

export interface ServiceRequestParts extends RequestParts {
  signal?: AbortSignal | undefined;
}

const BODY_LIMIT = 20 * 1024 * 1024;
const UNSEEN = 'creating calls are kept in memory: Tallyhook does not see them (databaseUrl)';

/** What all methods of the client share: addresses, the key, the way to the service, its clock. */
export class ServiceCalls {
  private readonly http: ServiceHttp;
  private readonly serviceClock: ServiceClock;
  private readonly target: { baseUrl: string; contract: Contract };
  private readonly writes: ServiceWrites;

  constructor(options: ServiceClientOptions) {
    const { apiKey, contract = defaultContract, bodyLimit = BODY_LIMIT } = options;
    // What fetch says of a wrong header would show the key.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw new ConfigError('apiKey: accepted are printable characters without spaces');
    const retryPolicy = { ...defaultRetryPolicy, ...options.retryPolicy };
    this.target = { baseUrl: checkedBaseUrl(options.baseUrl), contract };
    this.serviceClock = new ServiceClock(() => performance.timeOrigin + performance.now());
    this.http = new ServiceHttp({
      ...options,
      apiKey,
      error: contract.error,
      countHeader: contract.headers.totalCount,
      bodyLimit,
      clock: this.serviceClock,
      takeSlot: options.takeSlot ?? (() => Promise.resolve()),
      retryPolicy,
    });
    const { log, onAnswer, keyStore: store = new MemoryKeyStore() } = options;
    if (options.keyStore === undefined) {
      if (log === undefined) process.emitWarning(UNSEEN);
      else log.warn({ detail: UNSEEN }, 'creating calls kept in memory');
    }
    this.writes = new ServiceWrites({
      store,
      send: (operation, sending) => this.send(operation, sending),
      listInvoices: (query, signal) => this.reply('listInvoices', { query, signal }),
      earliestNow: () => this.earliestNow(),
      pauseMs: retryPolicy.pauseMs,
      deadlineMs: retryPolicy.deadlineMs,
      onAnswer,
      log,
    });
  }

  /** Any endpoint that reads, its answer as it came, but for what a page of a list calls its parts. Query parameters go by our names of the contract. */
  async reply(operation: ReadOperation, { signal, ...parts }: ServiceRequestParts = {}): Promise<Reply<Json>> {
    const url = buildUrl(operation, parts, this.target);
    const authorized = operationOf(operation).public !== true;
    const reply = await this.http.call({ operation, method: 'GET', url, authorized }, signal);
    const data = inOurNames(operation, reply.data, this.target.contract);
    checkOutline(operation, data);
    return { ...reply, data };
  }

  /** What a call would send, checked, but for the headers. @throws {InvalidRequestError} */
  preview(
    operation: OperationName,
    { body, ...parts }: RequestParts & { body?: unknown },
  ): { method: string; url: string; body: Json } {
    const { method } = operationOf(operation);
    const text = method === 'GET' ? undefined : checkRequest(operation, body);
    checkQuery(operation, parts.query ?? {});
    const url = buildUrl(operation, parts, this.target).href;
    return { method, url, body: text === undefined ? null : fromJsonText(text) };
  }

  /**
   * Asks once more, under the same key, for what creating calls that began in the last ten minutes left unknown, and gives
   * up what is older; searches for invoices of unknown outcome, and sends none. Of each how it ended; `done` also went to `onAnswer`.
   */
  settleWrites(signal?: AbortSignal): Promise<SettledWrite[]> {
    return this.writes.settle(signal);
  }

  /** The likeliest time of the service's clock, in ms since the epoch. */
  serviceNow(): number {
    return this.serviceClock.now();
  }

  /** The earliest that the service's clock may show now, as polls are dated by it. */
  earliestNow(): number {
    return this.serviceClock.local() + this.serviceClock.bounds().low;
  }

  /** Service time minus our time, in ms, lies in [low, high]; null before the first answer that carries a date. */
  clock(): (ClockBounds & { samples: number }) | null {
    return this.serviceClock.measured();
  }

  /** Checks, sends, and settles what is unknown (see ServiceWrites). The answer as it came. */
  protected write(operation: WriteOperation, parts: WriteParts): Promise<Reply<Json>> {
    return this.writes.call(operation, parts);
  }

  private async send(operation: OperationName, { path = {}, signal, ...sending }: Sending): Promise<Reply<Json>> {
    const url = buildUrl(operation, { path }, this.target);
    const { method, answer } = operationOf(operation);
    const mayBeEmpty = answer === undefined;
    return this.http.call({ operation, method, url, authorized: true, mayBeEmpty, ...sending }, signal);
  }
}

export function checkedBaseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ConfigError('baseUrl: accepted is an http:// or https:// address without a user, ? or #');
  return url.href.replace(/\/+$/, '');
}

/** A page as `{items, nextCursor}`, whatever the service calls them (`pages` of the contract). All else as it came. */
export function inOurNames(operation: OperationName, data: Json, { pages }: Pick<Contract, 'pages'>): Json {
  if (!isJsonObject(data) || operationOf(operation).answer !== undefined) return data;
  if (pages.items === '/items' && pages.nextCursor === '/nextCursor') return data;
  const items = valueAt(data, pages.items);
  if (!Array.isArray(items)) return data;
  const nextCursor = valueAt(data, pages.nextCursor);
  return { ...data, items, ...(nextCursor === undefined ? {} : { nextCursor }) };
}

interface RequestParts {
  /** Values of the {placeholders} of the path. */
  path?: Readonly<Record<string, string>>;
  /** By our names (contract.ts), whatever the service calls them. What is undefined is left out. */
  query?: Readonly<Record<string, string | number | undefined>>;
}

const MAX_TAKE = 100;
/** URLs would carry another character in its place. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Nothing is added that the caller left out. @throws {InvalidRequestError} that names the field and its rule. */
function buildUrl(
  operation: OperationName,
  { path = {}, query = {} }: RequestParts,
  { baseUrl, contract }: { baseUrl: string; contract: Contract },
): URL {
  const refuse = (field: string, rule: string) => new InvalidRequestError(`${field} ${rule}`, { operation });
  const filled = pathOf(operation, contract).replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = Object.hasOwn(path, field) ? path[field] : undefined;
    // "." and ".." would climb to another path, however they are written.
    if (!value || value === '.' || value === '..' || LONE_SURROGATE.test(value))
      throw refuse(field, 'is to be an identifier');
    return encodeURIComponent(value);
  });
  const url = new URL(`${baseUrl}${filled}`);
  const names = queryNamesOf(operation, contract);
  for (const [field, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const name = names.get(field);
    if (name === undefined) throw refuse(field, `is not known; known are ${[...names.keys()].join(', ') || 'none'}`);
    const problem = field === 'take' ? takeProblem(value) : textProblem(value);
    if (problem !== null) throw refuse(field, problem);
    url.searchParams.append(name, String(value));
  }
  return url;
}

/** Specification 8. */
function takeProblem(value: string | number): string | null {
  const take = typeof value === 'number' || /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  return Number.isInteger(take) && take >= 1 && take <= MAX_TAKE
    ? null
    : `is to be a whole number from 1 to ${MAX_TAKE}`;
}

function textProblem(value: string | number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'is to be a finite number';
  return value !== '' && !LONE_SURROGATE.test(value) ? null : 'is to be a text, not empty, without lone surrogates';
}
