import type { Contract } from './contract.js';

interface Operation {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Query parameters whose names the specification shows. The others come from the contract. */
  query?: readonly string[];
  /** What the answer is, as far as every caller needs it to be that. */
  answer: 'array' | 'page' | 'object' | 'not shown';
  public?: true;
}

/** The endpoints of the specification, 4.1 to 4.22 in that order, and the list of payouts where the service has one. */
const operations = {
  createDirectPayment: { method: 'POST', path: '/v1/payment-intents/direct', answer: 'object' },
  createInvoice: { method: 'POST', path: '/v1/invoices', answer: 'object' },
  listInvoices: { method: 'GET', path: '/v1/invoices', query: ['cursor', 'take', 'status'], answer: 'array' },
  createPayout: { method: 'POST', path: '/v1/accounts/{id}/payouts', answer: 'object' },
  createRefund: { method: 'POST', path: '/v1/payouts/refund', answer: 'object' },
  createTransfer: { method: 'POST', path: '/v1/accounts/{id}/transfers', answer: 'not shown' },
  updateAccount: { method: 'PATCH', path: '/v1/accounts/{id}', answer: 'not shown' },
  closeAccount: { method: 'POST', path: '/v1/accounts/{id}/close', answer: 'not shown' },
  archiveAccount: { method: 'POST', path: '/v1/accounts/{id}/archive', answer: 'not shown' },
  listAccounts: { method: 'GET', path: '/v1/accounts', answer: 'not shown' },
  listAccountTransactions: { method: 'GET', path: '/v1/accounts/{id}/transactions', answer: 'not shown' },
  listTransactions: { method: 'GET', path: '/v1/accounts/transactions', answer: 'not shown' },
  updateMerchantAsset: { method: 'PATCH', path: '/v1/merchant-assets/{assetCode}', answer: 'object' },
  listPaymentIntents: { method: 'GET', path: '/v1/payment-intents', query: ['cursor', 'take'], answer: 'array' },
  getPayin: { method: 'GET', path: '/v1/payments/payins/{id}', answer: 'object' },
  listSettlementAccounts: { method: 'GET', path: '/v1/settlement-accounts', answer: 'array' },
  listSettlementPaymentMethods: { method: 'GET', path: '/v1/settlements/payment-methods', answer: 'object' },
  getBalance: { method: 'GET', path: '/v1/wallet/balances/{assetCode}', answer: 'object' },
  getProduct: { method: 'GET', path: '/v1/products/{id}/manage', answer: 'object' },
  listPublicAssets: { method: 'GET', path: '/v1/public/assets', answer: 'array', public: true },
  listWebhookEndpoints: { method: 'GET', path: '/v1/webhook-endpoints', answer: 'array' },
  listWebhookDeliveries: { method: 'GET', path: '/v1/webhook-endpoints/deliveries', answer: 'page' },
  listPayouts: { method: 'GET', path: '/v1/payouts', answer: 'not shown' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Operations that change nothing and may be repeated. */
export type ReadOperation = {
  [N in OperationName]: (typeof operations)[N]['method'] extends 'GET' ? N : never;
}[OperationName];

/** Operations that change something. */
export type WriteOperation = Exclude<OperationName, ReadOperation>;

/** Those whose idempotency key the service promises to honour (specification 7). */
export type KeyedOperation = 'createDirectPayment' | 'createPayout' | 'createRefund' | 'createTransfer';

export const keyedOperations: readonly KeyedOperation[] = [
  'createDirectPayment',
  'createPayout',
  'createRefund',
  'createTransfer',
];

export function isKeyed(operation: OperationName): operation is KeyedOperation {
  return keyedOperations.some((keyed) => keyed === operation);
}

export const operationNames = Object.keys(operations) as readonly OperationName[];

export function operationOf(name: OperationName): Operation {
  return operations[name];
}

/** The path of an operation, with its {placeholders}. */
export function pathOf(operation: OperationName, contract: Contract): string {
  return operation === 'listPayouts' ? contract.paths.listPayouts : operations[operation].path;
}

/** Our names of an operation's query parameters, each with the service's name. */
export function queryNamesOf(operation: OperationName, contract: Contract): Map<string, string> {
  const shown = (operationOf(operation).query ?? []).map((name) => [name, name] as const);
  const configured: Record<string, Record<string, string>> = contract.query;
  return new Map([...shown, ...Object.entries(configured[operation] ?? {})]);
}
