import { z } from 'zod';
import { accountAnswer, accountPageAnswer, transactionAnswer, transferAnswer } from './account-answers.js';
import {
  balanceAnswer,
  merchantAssetAnswer,
  publicAssetAnswer,
  settlementAccountAnswer,
  settlementMethodsAnswer,
} from './money-answers.js';
import { directPaymentAnswer, payinAnswer, paymentIntentAnswer } from './payment-answers.js';
import { payoutAnswer } from './payout-answer.js';
import { invoiceAnswer, newInvoiceAnswer, productAnswer } from './sale-answers.js';
import { deliveryPageAnswer, webhookEndpointAnswer } from './webhook-answers.js';

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
