import type { Json } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { ConfigError } from '../errors.js';
import type { Reply } from './attempt.js';
import { buildUrl, type RequestParts } from './build-url.js';
import { type Contract, defaultContract } from './contract.js';
import { defaultPatience, type Patience, ServiceHttp, type ServiceHttpSettings } from './http.js';
import { operationOf, type ReadOperation } from './operations.js';
import { type ClockBounds, ServiceClock } from './service-clock.js';
import { ContractViolationError } from './service-errors.js';
import {
  type DeliveryPage,
  deliveryPage,
  type Payin,
  type PaymentIntent,
  type PublicAsset,
  payin,
  paymentIntent,
  publicAsset,
  readAs,
  type WebhookEndpoint,
  webhookEndpoint,
} from './wire.js';

export type { Reply };

export interface MerchantClientOptions extends Partial<Pick<ServiceHttpSettings, 'takeSlot' | 'log' | 'onRequest'>> {
  /** Paths such as /v1/payment-intents are appended to it. */
  baseUrl: string;
  apiKey: string;
  contract?: Contract;
  patience?: Partial<Patience>;
  /** Bytes of an answer; 20 MB by default. */
  bodyLimit?: number;
}

export interface ServiceRequestParts extends RequestParts {
  signal?: AbortSignal;
}

export interface PaymentIntentQuery {
  cursor?: string | undefined;
  /** 1 to 100; the service's default is 20. */
  take?: number | undefined;
  /** A status of specification 3.1, or `irregular`. */
  status?: string | undefined;
  assetCode?: string | undefined;
  productId?: string | undefined;
  posTerminalId?: string | undefined;
  invoiceId?: string | undefined;
}

export interface DeliveryQuery {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** 1 to 100; the service's default is 50. */
  take?: number | undefined;
  paymentIntentId?: string | undefined;
  payoutId?: string | undefined;
  depositId?: string | undefined;
  accountId?: string | undefined;
  endpointId?: string | undefined;
}

interface CallOptions {
  signal?: AbortSignal | undefined;
}

const BODY_LIMIT = 20 * 1024 * 1024;

/**
 * The payment service's Merchant API, one method per endpoint.
 *
 * The methods check the answer against the specification and reject with a ContractViolationError where an item has no
 * id, or an amount is a JSON number. `reply` checks no more than that a list is a list, and hands the items over exactly
 * as they came (numbers keep their digits): one bad record must not hide the rest of its page from a reconciler.
 *
 * All reject with a ServiceError; see service-errors.ts for what each means and which are worth another try.
 */
export class MerchantClient {
  private readonly http: ServiceHttp;
  private readonly serviceClock: ServiceClock;
  private readonly target: { baseUrl: string; contract: Contract };

  constructor(options: MerchantClientOptions) {
    const { apiKey, contract = defaultContract, patience, bodyLimit = BODY_LIMIT } = options;
    // What fetch says of a wrong header would show the key.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw new ConfigError('apiKey: accepted are printable characters without spaces');
    this.target = { baseUrl: checkedBaseUrl(options.baseUrl), contract };
    this.serviceClock = new ServiceClock(() => performance.timeOrigin + performance.now());
    this.http = new ServiceHttp({
      ...options,
      apiKey,
      error: contract.error,
      bodyLimit,
      clock: this.serviceClock,
      takeSlot: options.takeSlot ?? (() => Promise.resolve()),
      patience: { ...defaultPatience, ...patience },
    });
  }

  /** Any endpoint that reads, its answer as it came. Query parameters go by our names of the contract. */
  async reply(operation: ReadOperation, { signal, ...parts }: ServiceRequestParts = {}): Promise<Reply<Json>> {
    const url = buildUrl(operation, parts, this.target);
    const authorized = operationOf(operation).public !== true;
    const reply = await this.http.call({ operation, method: 'GET', url, authorized }, signal);
    checkOutline(operation, reply.data);
    return reply;
  }

  /** One page, newest first; the next page's cursor is the id of the last item (specification 4.14). */
  async listPaymentIntents(query: PaymentIntentQuery = {}, options: CallOptions = {}): Promise<Reply<PaymentIntent[]>> {
    const reply = await this.reply('listPaymentIntents', { query: { ...query }, ...withSignal(options) });
    return { ...reply, data: readAs(paymentIntent.array(), reply.data, 'listPaymentIntents') };
  }

  /** One deposit, with its compliance result and status history (specification 4.15). */
  async getPayin(id: string, options: CallOptions = {}): Promise<Reply<Payin>> {
    const reply = await this.reply('getPayin', { path: { id }, ...withSignal(options) });
    return { ...reply, data: readAs(payin, reply.data, 'getPayin') };
  }

  /** The assets that the service supports at all; needs no API key (specification 4.20). */
  async listPublicAssets(options: CallOptions = {}): Promise<Reply<PublicAsset[]>> {
    const reply = await this.reply('listPublicAssets', withSignal(options));
    return { ...reply, data: readAs(publicAsset.array(), reply.data, 'listPublicAssets') };
  }

  /** Newest first. A ForbiddenError where the account is no business account (specification 4.21). */
  async listWebhookEndpoints(options: CallOptions = {}): Promise<Reply<WebhookEndpoint[]>> {
    const reply = await this.reply('listWebhookEndpoints', withSignal(options));
    return { ...reply, data: readAs(webhookEndpoint.array(), reply.data, 'listWebhookEndpoints') };
  }

  /** One page, most recent first (specification 4.22). */
  async listWebhookDeliveries(query: DeliveryQuery = {}, options: CallOptions = {}): Promise<Reply<DeliveryPage>> {
    const reply = await this.reply('listWebhookDeliveries', { query: { ...query }, ...withSignal(options) });
    return { ...reply, data: readAs(deliveryPage, reply.data, 'listWebhookDeliveries') };
  }

  /** The likeliest time of the service's clock, in ms since the epoch. */
  serviceNow(): number {
    return this.serviceClock.now();
  }

  /** Service time minus our time, in ms, lies in [low, high]; null before the first answer that carries a date. */
  clock(): (ClockBounds & { samples: number }) | null {
    return this.serviceClock.measured();
  }
}

function withSignal({ signal }: CallOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function checkedBaseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigError('baseUrl: accepted is an http:// or https:// address without a user, ? or #');
  }
  return url.href.replace(/\/+$/, '');
}

function checkOutline(operation: ReadOperation, data: Json): void {
  const { answer } = operationOf(operation);
  const fits =
    answer === 'not shown' ||
    (answer === 'array' && Array.isArray(data)) ||
    (answer === 'object' && isJsonObject(data)) ||
    (answer === 'page' && isJsonObject(data) && Array.isArray(data['items']));
  if (fits) return;
  const expected = { array: 'an array', object: 'an object', page: 'an object with an array "items"' }[
    answer as 'array'
  ];
  throw new ContractViolationError(`the answer is not ${expected}`, { operation, status: 200 });
}
