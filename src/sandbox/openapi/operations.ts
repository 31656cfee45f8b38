import type { z } from 'zod';
import { merchantAssetSchema } from '../base/schemas.js';
import type { NamedList } from '../faults.js';
import { invoiceSchema } from '../invoices/create-invoice.js';
import { INVOICE_STATUSES } from '../invoices/invoice.js';
import { directSchema } from '../payments/create-direct.js';
import { INTENT_STATUSES } from '../payments/intent.js';
import { refundSchema } from '../payouts/create-refund.js';
import { withdrawalSchema } from '../payouts/create-withdrawal.js';
import { PAYOUT_STATUSES } from '../payouts/payout.js';
import { transferSchema } from '../wallets/create-transfer.js';
import { walletUpdateSchema } from '../wallets/save-wallet.js';
import { WALLET_STATUSES } from '../wallets/wallet.js';
import type { AnswerName } from './answers/answers.js';

/** What a parameter of the query may be. */
export type QueryParameter = 'text' | 'take' | 'page' | 'time' | readonly string[];

export interface Operation {
  /** Section of the specification; null for what it does not have. */
  section: string | null;
  operationId: string;
  method: 'get' | 'post' | 'patch';
  path: string;
  summary: string;
  tag: string;
  body?: z.ZodType;
  query?: { list: NamedList; parameters: Record<string, QueryParameter> };
  /** Takes the Idempotency-Key header. */
  replays?: boolean;
  status: 200 | 201;
  answer: AnswerName;
  /** Answers an array of them. */
  isList: boolean;
}

const PAGED = { cursor: 'text', take: 'take' } as const;

/** The service's API: 4.1 to 4.22 in that order, then the list of payouts. */
export const OPERATIONS: readonly Operation[] = [
  post(
    '4.1',
    'createDirectPayment',
    'DirectPayment',
    '/v1/payment-intents/direct',
    'Create a single-crypto payment',
    'Payments',
    { body: directSchema, replays: true },
  ),
  post('4.2', 'createInvoice', 'NewInvoice', '/v1/invoices', 'Create an invoice and send it', 'Invoices', {
    body: invoiceSchema,
  }),
  list('4.3', 'listInvoices', 'Invoice', '/v1/invoices', 'List invoices', 'Invoices', {
    list: 'invoices',
    parameters: { ...PAGED, status: INVOICE_STATUSES, merchantReference: 'text' },
  }),
  post('4.4', 'createPayout', 'Payout', '/v1/accounts/{id}/payouts', 'Withdraw from a sub-wallet', 'Payouts', {
    body: withdrawalSchema,
    replays: true,
  }),
  post('4.5', 'createRefund', 'Payout', '/v1/payouts/refund', 'Refund a payment', 'Payouts', {
    body: refundSchema,
    replays: true,
  }),
  post('4.6', 'createTransfer', 'Transfer', '/v1/accounts/{id}/transfers', 'Transfer inside the platform', 'Accounts', {
    body: transferSchema,
    replays: true,
  }),
  {
    ...post('4.7', 'updateAccount', 'Account', '/v1/accounts/{id}', 'Update a sub-wallet', 'Accounts', {
      body: walletUpdateSchema,
    }),
    method: 'patch',
    status: 200,
  },
  {
    ...post('4.8', 'closeAccount', 'Account', '/v1/accounts/{id}/close', 'Close a sub-wallet', 'Accounts', {}),
    status: 200,
  },
  {
    ...post('4.9', 'archiveAccount', 'Account', '/v1/accounts/{id}/archive', 'Archive a sub-wallet', 'Accounts', {}),
    status: 200,
  },
  list('4.10', 'listAccounts', 'Account', '/v1/accounts', 'List sub-wallets', 'Accounts', {
    list: 'accounts',
    parameters: { ...PAGED, status: WALLET_STATUSES, search: 'text' },
  }),
  list(
    '4.11',
    'listAccountTransactions',
    'Transaction',
    '/v1/accounts/{id}/transactions',
    'Transactions of a sub-wallet',
    'Accounts',
    { list: 'accountTransactions', parameters: PAGED },
  ),
  list(
    '4.12',
    'listTransactions',
    'Transaction',
    '/v1/accounts/transactions',
    'Transactions of all sub-wallets',
    'Accounts',
    { list: 'transactions', parameters: { ...PAGED, from: 'time', to: 'time', page: 'page' } },
  ),
  {
    ...post(
      '4.13',
      'updateMerchantAsset',
      'MerchantAsset',
      '/v1/merchant-assets/{assetCode}',
      'Enable or disable an asset',
      'Assets',
      { body: merchantAssetSchema },
    ),
    method: 'patch',
    status: 200,
  },
  list('4.14', 'listPaymentIntents', 'PaymentIntent', '/v1/payment-intents', 'List payment intents', 'Payments', {
    list: 'paymentIntents',
    parameters: {
      ...PAGED,
      status: [...INTENT_STATUSES, 'irregular'],
      assetCode: 'text',
      productId: 'text',
      posTerminalId: 'text',
      invoiceId: 'text',
    },
  }),
  get('4.15', 'getPayin', 'Payin', '/v1/payments/payins/{id}', 'Show a payin', 'Payments'),
  list(
    '4.16',
    'listSettlementAccounts',
    'SettlementAccount',
    '/v1/settlement-accounts',
    'List fiat accounts',
    'Settlements',
  ),
  {
    ...list(
      '4.17',
      'listSettlementPaymentMethods',
      'SettlementMethods',
      '/v1/settlements/payment-methods',
      'Ways to settle',
      'Settlements',
      { list: 'settlementMethods', parameters: { assetCode: 'text' } },
    ),
    isList: false,
  },
  get('4.18', 'getBalance', 'Balance', '/v1/wallet/balances/{assetCode}', 'Balance of an asset', 'Assets'),
  get('4.19', 'getProduct', 'Product', '/v1/products/{id}/manage', 'Product and its statistics', 'Products'),
  list('4.20', 'listPublicAssets', 'PublicAsset', '/v1/public/assets', 'Public catalog', 'Assets'),
  list(
    '4.21',
    'listWebhookEndpoints',
    'WebhookEndpoint',
    '/v1/webhook-endpoints',
    'List webhook endpoints',
    'Webhooks',
  ),
  {
    ...list(
      '4.22',
      'listWebhookDeliveries',
      'DeliveryPage',
      '/v1/webhook-endpoints/deliveries',
      'Delivery history',
      'Webhooks',
      {
        list: 'deliveries',
        parameters: {
          ...PAGED,
          paymentIntentId: 'text',
          payoutId: 'text',
          depositId: 'text',
          accountId: 'text',
          endpointId: 'text',
        },
      },
    ),
    isList: false,
  },
  list(null, 'listPayouts', 'Payout', '/v1/payouts', 'List payouts', 'Payouts', {
    list: 'payouts',
    parameters: { ...PAGED, status: PAYOUT_STATUSES },
  }),
];

type Named = [
  section: string | null,
  operationId: string,
  answer: AnswerName,
  path: string,
  summary: string,
  tag: string,
];

function post(...given: [...Named, Pick<Operation, 'body' | 'replays'>]): Operation {
  const [section, operationId, answer, path, summary, tag, more] = given;
  return { section, operationId, method: 'post', path, summary, tag, status: 201, answer, isList: false, ...more };
}

function get(...given: Named): Operation {
  const [section, operationId, answer, path, summary, tag] = given;
  return { section, operationId, method: 'get', path, summary, tag, status: 200, answer, isList: false };
}

function list(...given: [...Named, query?: Operation['query']]): Operation {
  const [section, operationId, answer, path, summary, tag, query] = given;
  return { ...get(section, operationId, answer, path, summary, tag), isList: true, ...(query ? { query } : {}) };
}
