import type { z } from 'zod';
import type { Json } from '../domain/json.js';
import { askedFor, readAs, readWritten } from './answer-fields.js';
import * as records from './answer-records.js';
import type { Reply } from './attempt.js';
import { checkQuery } from './check-request.js';
import type { ReadOperation, WriteOperation } from './operations.js';
import { type Page, pageOf } from './pages.js';
import type * as queries from './queries.js';
import type * as requests from './request-schemas.js';
import { ServiceCalls, type ServiceRequestParts } from './service-calls.js';
import { InvalidRequestError } from './service-errors.js';
import type { WriteParts } from './service-writes.js';

export type { ServiceClientOptions } from './service-calls.js';
export type { Reply };

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /**
   * Sent in the Idempotency-Key header; the body may have it instead. Made where there is none: so that two calls for the
   * same thing are one, give a key that follows from the thing, such as your order's number.
   */
  idempotencyKey?: string | undefined;
}

/** An answer that the specification does not show; `data`: what is of the form of T in a list; null: nothing is. */
export interface UnshownReply<T> extends Reply<T | null> {
  /** As it came; null where there was none. */
  body: Json;
}

type Read<T> = Promise<Reply<T>>;

/**
 * The payment service's Merchant API, one method per endpoint, in the order of specification 4.1 to 4.22.
 *
 * A request that breaks a rule of the specification is refused before anything is sent, with an InvalidRequestError that
 * names field and rule. Nothing is ever sent that the caller left out, but for the idempotency key of the four calls that
 * have one (direct payment, payout, refund, transfer): it is written down first, and only ever repeated with the same
 * call, within ten minutes. Where no answer says whether a call did its work, it rejects with an OutcomeUnknownError.
 *
 * The methods check the answer against the specification and reject with a ContractViolationError where an item has no
 * id, or an amount is a JSON number. What the specification does not show (4.6 to 4.9) may be any JSON, or nothing. `reply`
 * checks no more than that a list is a list, and hands the items over exactly
 * as they came (numbers keep their digits): one bad record must not hide the rest of its page from a reconciler.
 *
 * All reject with a ServiceError; see service-errors.ts for what each means and which are worth another try. An aborted call
 * that changes something rejects with an OutcomeUnknownError where it was sent, with a NotSentError where it was not; one
 * that reads, with the reason of its signal. Lists are read with `items(pages(…))`.
 */
export class ServiceClient extends ServiceCalls {
  private readonly memoRules = new MemoRules();

  /** Specification 4.1: a payment in one crypto asset; its deposit address is in the answer. */
  async createDirectPayment(
    body: requests.DirectPaymentRequest,
    options: CreateOptions = {},
  ): Read<records.DirectPayment> {
    return this.change('createDirectPayment', records.directPayment, { body, ...options });
  }

  /**
   * Specification 4.2. Sent one single time. Where the answer is lost, the invoice is searched for in the list; what is found
   * there lacks `emailDelivery`.
   */
  async createInvoice(body: requests.InvoiceRequest, options: CallOptions = {}): Read<records.Invoice> {
    return this.change('createInvoice', records.invoice, { body, ...options });
  }

  /** Specification 4.3: one page, newest first; the next page's cursor is the id of the last item. */
  async listInvoices(query: queries.InvoiceQuery = {}, options: CallOptions = {}): Read<records.Invoice[]> {
    return this.read('listInvoices', records.invoice.array(), { query, ...options });
  }

  /**
   * Specification 4.4: from a sub-wallet to an address on a chain. A memo is asked for, or refused, as far as this client
   * has read the asset's rule (listPublicAssets).
   */
  async createPayout(
    accountId: string,
    body: requests.PayoutRequest,
    options: CreateOptions = {},
  ): Read<records.Payout> {
    this.memoRules.check(body);
    return this.change('createPayout', records.payout, { path: { id: accountId }, body, ...options });
  }

  /** Specification 4.5. Without a key it has that of the payment, `refund-<paymentIntentId>`: a single refund each. */
  async createRefund(body: requests.RefundRequest, options: CreateOptions = {}): Read<records.Payout> {
    return this.change('createRefund', records.payout, { body, ...options });
  }

  /** Specification 4.6: between a sub-wallet and another, or the operating balance. */
  async createTransfer(
    accountId: string,
    body: requests.TransferRequest,
    options: CreateOptions = {},
  ): Promise<UnshownReply<records.Transaction>> {
    return this.unshown('createTransfer', records.transaction, { path: { id: accountId }, body, ...options });
  }

  /** Specification 4.7. */
  async updateAccount(
    accountId: string,
    body: requests.AccountUpdateRequest,
    options: CallOptions = {},
  ): Promise<UnshownReply<records.SubWallet>> {
    return this.unshown('updateAccount', records.account, { path: { id: accountId }, body, ...options });
  }

  /** Specification 4.8: moves all balances to the operating balance and releases the addresses. Can't be undone. */
  async closeAccount(accountId: string, options: CallOptions = {}): Promise<UnshownReply<records.SubWallet>> {
    return this.unshown('closeAccount', records.account, { path: { id: accountId }, ...options });
  }

  /** Specification 4.9: hides a closed account from the list. */
  async archiveAccount(accountId: string, options: CallOptions = {}): Promise<UnshownReply<records.SubWallet>> {
    return this.unshown('archiveAccount', records.account, { path: { id: accountId }, ...options });
  }

  /** Specification 4.10: one page. */
  async listAccounts(query: queries.AccountQuery = {}, options: CallOptions = {}): Read<Page<records.SubWallet>> {
    return this.readPage('listAccounts', records.account, { query, ...options });
  }

  /** Specification 4.11: one page of one sub-wallet's transactions. */
  async listAccountTransactions(
    accountId: string,
    query: queries.AccountTransactionQuery = {},
    options: CallOptions = {},
  ): Read<Page<records.Transaction>> {
    return this.readPage('listAccountTransactions', records.transaction, {
      path: { id: accountId },
      query,
      ...options,
    });
  }

  /** Specification 4.12: the transactions of all sub-wallets; `totalCount` where a page is asked for by its number. */
  async listTransactions(
    query: queries.TransactionQuery = {},
    options: CallOptions = {},
  ): Read<Page<records.Transaction>> {
    return this.readPage('listTransactions', records.transaction, { query, ...options });
  }

  /** Specification 4.13: whether an asset can be chosen at all. */
  async updateMerchantAsset(
    assetCode: string,
    body: requests.MerchantAssetUpdateRequest,
    options: CallOptions = {},
  ): Read<records.MerchantAsset> {
    return this.change('updateMerchantAsset', records.merchantAsset, { path: { assetCode }, body, ...options });
  }

  /** Specification 4.14: one page, newest first; the next page's cursor is the id of the last item. */
  async listPaymentIntents(
    query: queries.PaymentIntentQuery = {},
    options: CallOptions = {},
  ): Read<records.PaymentIntent[]> {
    return this.read('listPaymentIntents', records.paymentIntent.array(), { query, ...options });
  }

  /** Specification 4.15: one payin, with its compliance result and status history. */
  async getPayin(id: string, options: CallOptions = {}): Read<records.Payin> {
    const reply = await this.read('getPayin', records.payin, { path: { id }, ...options });
    return askedFor('getPayin', reply, reply.data.id === id);
  }

  /** Specification 4.16: newest first. */
  async listSettlementAccounts(options: CallOptions = {}): Read<records.SettlementAccount[]> {
    return this.read('listSettlementAccounts', records.settlementAccount.array(), options);
  }

  /** Specification 4.17: to where a crypto asset can be settled, and from which amount on. */
  async listSettlementPaymentMethods(
    query: queries.SettlementMethodQuery,
    options: CallOptions = {},
  ): Read<records.SettlementMethods> {
    return this.read('listSettlementPaymentMethods', records.settlementMethods, { query, ...options });
  }

  /** Specification 4.18: zero where the asset was never received. A coin alone may be answered with its network. */
  async getBalance(assetCode: string, options: CallOptions = {}): Read<records.Balance> {
    const reply = await this.read('getBalance', records.balance, { path: { assetCode }, ...options });
    const shown = reply.data.assetCode;
    return askedFor('getBalance', reply, shown === assetCode || shown.startsWith(`${assetCode}.`));
  }

  /** Specification 4.19. */
  async getProduct(id: string, options: CallOptions = {}): Read<records.Product> {
    const reply = await this.read('getProduct', records.product, { path: { id }, ...options });
    return askedFor('getProduct', reply, reply.data.id === id);
  }

  /** Specification 4.20: the assets that the service supports at all; needs no API key. */
  async listPublicAssets(options: CallOptions = {}): Read<records.PublicAsset[]> {
    const reply = await this.read('listPublicAssets', records.publicAsset.array(), options);
    this.memoRules.learn(reply.data);
    return reply;
  }

  /** Specification 4.21: newest first. A ForbiddenError where the account is no business account. */
  async listWebhookEndpoints(options: CallOptions = {}): Read<records.WebhookEndpoint[]> {
    return this.read('listWebhookEndpoints', records.webhookEndpoint.array(), options);
  }

  /** Specification 4.22: one page, most recent first. */
  async listWebhookDeliveries(
    query: queries.DeliveryQuery = {},
    options: CallOptions = {},
  ): Read<records.DeliveryPage> {
    const parts = { query, ...options };
    const reply = await this.read('listWebhookDeliveries', records.deliveryPage, parts);
    return { ...reply, data: { ...reply.data, nextCursor: reply.data.nextCursor ?? null } };
  }

  /**
   * Not in the specification: a NotFoundError where the service has no such list. One page, newest first, out of an array or
   * an object with `items`; the next page's cursor is the id of the last item.
   */
  async listPayouts(query: queries.PayoutQuery = {}, options: CallOptions = {}): Read<records.Payout[]> {
    const parts = { query, ...options };
    const { data, ...about } = await this.readPage('listPayouts', records.payout, parts);
    return { ...about, data: data.items };
  }

  private async read<S extends z.ZodType>(
    operation: ReadOperation,
    schema: S,
    parts: ServiceRequestParts,
  ): Read<z.output<S>> {
    checkQuery(operation, parts.query ?? {});
    const reply = await this.reply(operation, parts);
    return { ...reply, data: readAs(schema, reply.data, operation) };
  }

  private async readPage<S extends z.ZodType>(
    operation: ReadOperation,
    schema: S,
    parts: ServiceRequestParts,
  ): Read<Page<z.output<S>>> {
    checkQuery(operation, parts.query ?? {});
    const reply = await this.reply(operation, parts);
    const { items, nextCursor } = pageOf(reply.data, operation);
    const read = items.map((item: Json, at) => readAs(schema, item, operation, `/${at}`));
    return { ...reply, data: { items: read, nextCursor } };
  }

  private async change<S extends z.ZodType>(
    operation: WriteOperation,
    schema: S,
    parts: WriteParts,
  ): Read<z.output<S>> {
    const reply = await this.write(operation, parts);
    return { ...reply, data: readWritten(schema, reply.data, operation) };
  }

  private async unshown<S extends z.ZodType>(
    operation: WriteOperation,
    schema: S,
    parts: WriteParts,
  ): Promise<UnshownReply<z.output<S>>> {
    const reply = await this.write(operation, parts);
    return { ...reply, data: schema.safeParse(reply.data).data ?? null, body: reply.data };
  }
}

interface Asset {
  assetCode: string;
  memoRequired?: boolean | null | undefined;
}

/** Which assets need a memo at their destination and which have none (specification 2.11, 4.4), as far as was read. */
class MemoRules {
  private readonly required = new Map<string, boolean>();

  learn(catalog: readonly Asset[]): void {
    for (const { assetCode, memoRequired } of catalog) {
      if (typeof memoRequired === 'boolean') this.required.set(assetCode, memoRequired);
    }
  }

  /** @throws {InvalidRequestError} Without its memo, or with one that means nothing there, a payout may be lost. */
  check({ assetCode, destinationMemo }: { assetCode: string; destinationMemo?: string | undefined }): void {
    const required = this.required.get(assetCode);
    if (required === undefined || required === (destinationMemo !== undefined)) return;
    const rule = required ? 'is required' : 'is to be left out';
    throw new InvalidRequestError(`destinationMemo ${rule} for ${assetCode}`, { operation: 'createPayout' });
  }
}
