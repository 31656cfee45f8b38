import type { z } from 'zod';
import type { Contract } from './contract.js';
import * as queries from './queries.js';
import * as requests from './request-schemas.js';

type Method = 'GET' | 'POST' | 'PATCH';

interface Definition {
  call: `${Method} /v1/${string}`;
  /** What its body must be; left out: it has none. */
  body?: z.ZodType;
  /** What its query may be; left out: it has none. */
  query?: z.ZodType;
  /** Query parameters whose names the specification shows. The others come from the contract. */
  shown?: readonly string[];
  /** The service promises to honour its idempotency key (specification 7). */
  keyed?: true;
  /** What the answer is, as far as every caller needs it to be that; left out: the specification does not show it. */
  answer?: 'array' | 'page' | 'object';
  public?: true;
}

interface Operation extends Definition {
  method: Method;
  path: string;
}

/** The endpoints of the specification, 4.1 to 4.22 in that order, and the list of payouts where the service has one. */
const operations = {
  createDirectPayment: {
    call: 'POST /v1/payment-intents/direct',
    body: requests.directPayment,
    answer: 'object',
    keyed: true,
  },
  createInvoice: { call: 'POST /v1/invoices', body: requests.invoice, answer: 'object' },
  listInvoices: {
    call: 'GET /v1/invoices',
    shown: ['cursor', 'take', 'status'],
    query: queries.invoiceQuery,
    answer: 'array',
  },
  createPayout: { call: 'POST /v1/accounts/{id}/payouts', body: requests.payout, answer: 'object', keyed: true },
  createRefund: { call: 'POST /v1/payouts/refund', body: requests.refund, answer: 'object', keyed: true },
  createTransfer: { call: 'POST /v1/accounts/{id}/transfers', body: requests.transfer, keyed: true },
  updateAccount: { call: 'PATCH /v1/accounts/{id}', body: requests.accountUpdate },
  closeAccount: { call: 'POST /v1/accounts/{id}/close' },
  archiveAccount: { call: 'POST /v1/accounts/{id}/archive' },
  listAccounts: { call: 'GET /v1/accounts', query: queries.accountQuery },
  listAccountTransactions: { call: 'GET /v1/accounts/{id}/transactions', query: queries.accountTransactionQuery },
  listTransactions: { call: 'GET /v1/accounts/transactions', query: queries.transactionQuery },
  updateMerchantAsset: {
    call: 'PATCH /v1/merchant-assets/{assetCode}',
    body: requests.merchantAssetUpdate,
    answer: 'object',
  },
  listPaymentIntents: {
    call: 'GET /v1/payment-intents',
    shown: ['cursor', 'take'],
    query: queries.paymentIntentQuery,
    answer: 'array',
  },
  getPayin: { call: 'GET /v1/payments/payins/{id}', answer: 'object' },
  listSettlementAccounts: { call: 'GET /v1/settlement-accounts', answer: 'array' },
  listSettlementPaymentMethods: {
    call: 'GET /v1/settlements/payment-methods',
    query: queries.settlementMethodQuery,
    answer: 'object',
  },
  getBalance: { call: 'GET /v1/wallet/balances/{assetCode}', answer: 'object' },
  getProduct: { call: 'GET /v1/products/{id}/manage', answer: 'object' },
  listPublicAssets: { call: 'GET /v1/public/assets', answer: 'array', public: true },
  listWebhookEndpoints: { call: 'GET /v1/webhook-endpoints', answer: 'array' },
  listWebhookDeliveries: { call: 'GET /v1/webhook-endpoints/deliveries', query: queries.deliveryQuery, answer: 'page' },
  listPayouts: { call: 'GET /v1/payouts', query: queries.payoutQuery },
} as const satisfies Record<string, Definition>;

export type OperationName = keyof typeof operations;

/** Operations that change nothing and may be repeated. */
export type ReadOperation = {
  [N in OperationName]: (typeof operations)[N]['call'] extends `GET ${string}` ? N : never;
}[OperationName];

/** Operations that change something. */
export type WriteOperation = Exclude<OperationName, ReadOperation>;

/** Those whose idempotency key the service promises to honour (specification 7). */
export type KeyedOperation = {
  [N in OperationName]: (typeof operations)[N] extends { keyed: true } ? N : never;
}[OperationName];

export function isKeyed(operation: OperationName): operation is KeyedOperation {
  return operationOf(operation).keyed === true;
}

export const operationNames = Object.keys(operations) as readonly OperationName[];
export const keyedOperations = operationNames.filter(isKeyed);

export function operationOf(name: OperationName): Operation {
  const [method, path] = operations[name].call.split(' ') as [Method, string];
  return { ...operations[name], method, path };
}

export function pathOf(operation: OperationName, contract: Contract): string {
  return operation === 'listPayouts' ? contract.paths.listPayouts : operationOf(operation).path;
}

export const partsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => part);

/** Our names of an operation's query parameters, each with the service's name. */
export function queryNamesOf(operation: OperationName, contract: Contract): Map<string, string> {
  const shown = (operationOf(operation).shown ?? []).map((name) => [name, name] as const);
  const configured: Record<string, Record<string, string>> = contract.query;
  return new Map([...shown, ...Object.entries(configured[operation] ?? {})]);
}
