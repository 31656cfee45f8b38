import { z } from 'zod';
import { INVOICE_STATUSES } from '../../invoices/invoice.js';
import { DESTINATION_TYPES, PAYOUT_STATUSES, PAYOUT_TYPES } from '../../payouts/payout.js';
import { WALLET_STATUSES } from '../../wallets/wallet.js';
import {
  balanceAnswer,
  merchantAssetAnswer,
  publicAssetAnswer,
  settlementAccountAnswer,
  settlementMethodsAnswer,
} from './money-answers.js';
import { decimal, freeObject, signedDecimal, time, url } from './parts.js';
import { directPaymentAnswer, payinAnswer, paymentIntentAnswer } from './payment-answers.js';

const balance = z.strictObject({ assetCode: z.string(), balance: decimal, frozen: decimal, available: decimal });
const address = z.strictObject({ assetCode: z.string(), address: z.string(), memo: z.string().nullable() });

/** The account record, which the specification does not show (2.5). See unnamed-fields.ts. */
const accountAnswer = z.strictObject({
  id: z.string(),
  label: z.string().nullable(),
  externalRef: z.string().nullable(),
  email: z.string().nullable(),
  phoneNumber: z.string().nullable(),
  status: z.enum(WALLET_STATUSES),
  isArchived: z.boolean(),
  balances: z.array(balance),
  depositAddresses: z.array(address),
  createdAt: time,
  updatedAt: time,
});

/** The other shape that the list of accounts may have. */
const accountPageAnswer = z.strictObject({ items: z.array(accountAnswer), nextCursor: z.string().nullable() });

const transferAnswer = z.strictObject({
  id: z.string(),
  status: z.literal('executed'),
  fromAccountId: z.string().nullable().meta({ description: 'null: the operating balance' }),
  toAccountId: z.string().nullable().meta({ description: 'null: the operating balance' }),
  assetCode: z.string(),
  amount: decimal,
  feeAmount: decimal,
  amountNet: decimal,
  note: z.string().nullable(),
  createdAt: time,
});

const transactionAnswer = z.strictObject({
  id: z.string(),
  accountId: z.string(),
  assetCode: z.string(),
  type: z.enum(['deposit', 'withdrawal', 'transfer_in', 'transfer_out', 'closure']),
  amount: signedDecimal,
  feeAmount: decimal,
  balanceAfter: decimal,
  note: z.string().nullable(),
  referenceId: z.string(),
  counterpartyAccountId: z.string().nullable(),
  createdAt: time,
});

const step = z.strictObject({
  status: z.enum(PAYOUT_STATUSES),
  timestamp: time,
  source: z.string(),
  note: z.string().optional(),
});

/** Specification 2.4. `paymentIntentId` stands there where the faults say so. */
const payoutAnswer = z.strictObject({
  id: z.string(),
  merchantReference: z.string().nullable(),
  payoutType: z.enum(PAYOUT_TYPES),
  amount: decimal,
  assetCode: z.string(),
  destinationAddress: z.string(),
  destinationType: z.enum(DESTINATION_TYPES),
  destinationMemo: z.string().nullable(),
  feeAmount: decimal,
  networkFeeAmount: decimal.nullable(),
  networkFeeAssetCode: z.string().nullable(),
  networkFeeUsdEquivalent: decimal.nullable(),
  txid: z.string().nullable(),
  txUrl: url.nullable(),
  status: z.enum(PAYOUT_STATUSES),
  failureReason: z.string().nullable(),
  feeBearer: z.enum(['merchant', 'customer']),
  kytStatus: z.enum(['pending', 'approved', 'rejected']).nullable(),
  createdAt: time,
  updatedAt: time,
  statusHistory: z.array(step),
  paymentIntentId: z.string().nullable().optional(),
});

/** Specification 2.3. `merchantReference` stands there where the faults say so. */
const invoiceAnswer = z.strictObject({
  id: z.string(),
  customerEmail: z.string(),
  customerName: z.string(),
  amount: decimal,
  currency: z.string(),
  assetCode: z.string().nullable(),
  description: z.string().nullable(),
  meta: freeObject.nullable(),
  status: z.enum(INVOICE_STATUSES),
  paymentIntentId: z.string().nullable(),
  expiresAt: time.nullable(),
  createdAt: time,
  paymentLink: url,
  merchantReference: z.string().nullable().optional(),
});

/** The answer of the creation says what the e-mail came to. */
const newInvoiceAnswer = z.strictObject({
  ...invoiceAnswer.shape,
  emailDelivery: z.strictObject({ sent: z.boolean(), error: z.string().optional() }),
});

/** Specification 2.9. */
const productAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  amount: decimal,
  currency: z.string(),
  assetCode: z.string().nullable(),
  permanentLinkSlug: z.string().regex(/^[a-z0-9-]+$/),
  imageUrl: z.string().nullable(),
  isActive: z.boolean(),
  paymentLink: url,
  createdAt: time,
  stats: z.strictObject({ totalIntents: z.int(), completedIntents: z.int(), totalRevenue: decimal }),
});

/** Specification 2.12. */
const webhookEndpointAnswer = z.strictObject({
  id: z.string(),
  url,
  events: z.array(z.string()),
  isActive: z.boolean(),
  createdAt: time,
});

const attempt = z.strictObject({
  attempt: z.int(),
  attemptedAt: time,
  httpStatus: z.int().nullable(),
  error: z.string().nullable(),
  durationMs: z.number(),
});

/** Specification 6.1; the id stands there where the faults say so. */
const payload = z.strictObject({ id: z.string().optional(), event: z.string(), timestamp: z.int(), data: freeObject });

/** Specification 2.13. */
const delivery = z.strictObject({
  id: z.string(),
  endpointId: z.string(),
  endpointUrl: url,
  eventType: z.string(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  httpStatus: z.int().nullable(),
  responseBody: z.string().nullable(),
  responseHeaders: freeObject.nullable(),
  payload,
  attempts: z.int(),
  lastAttemptAt: time.nullable(),
  nextRetryAt: time.nullable(),
  createdAt: time,
  attemptsList: z.array(attempt),
});

/** Specification 4.22. */
const deliveryPageAnswer = z.strictObject({ items: z.array(delivery), nextCursor: z.string().nullable() });

/** What the service answers, by the names of the OpenAPI document. */
const ANSWERS = {
  PaymentIntent: paymentIntentAnswer,
  DirectPayment: directPaymentAnswer,
  Payin: payinAnswer,
  Invoice: invoiceAnswer,
  NewInvoice: newInvoiceAnswer,
  Payout: payoutAnswer,
  Account: accountAnswer,
  AccountPage: accountPageAnswer,
  Transfer: transferAnswer,
  Transaction: transactionAnswer,
  SettlementAccount: settlementAccountAnswer,
  SettlementMethods: settlementMethodsAnswer,
  Balance: balanceAnswer,
  MerchantAsset: merchantAssetAnswer,
  PublicAsset: publicAssetAnswer,
  Product: productAnswer,
  WebhookEndpoint: webhookEndpointAnswer,
  DeliveryPage: deliveryPageAnswer,
} as const;

export type AnswerName = keyof typeof ANSWERS;

/** The same as the document's components, but for those that nothing refers to; one that holds another refers to it. */
export function answerComponents(without: readonly string[]): Record<string, Record<string, unknown>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(ANSWERS)) {
    if (!without.includes(id)) registry.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutNames(schema)]));
}

/** A component is named by its place in the document. */
function withoutNames(schema: Record<string, unknown>): Record<string, unknown> {
  const { $schema: _schema, $id: _id, ...rest } = schema;
  return rest;
}
