import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import type { Json, JsonObject } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { isAmount } from '../domain/money.js';
import { ContractViolationError } from './service-errors.js';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const amount = z.custom<string>(isAmount, 'an amount is a decimal string').nullish();
const anything = z.custom<Json>(() => true).optional();
const object = z.custom<JsonObject>((value) => isJsonObject(value as Json), 'an object').nullish();
const integer = z
  .instanceof(LosslessNumber, { error: 'a number' })
  .transform((given) => Number(given.value))
  .pipe(z.int())
  .nullish();
const list = z.array(z.custom<Json>(() => true)).nullish();

/**
 * Specification 2.1. Like all schemas here: only the id must be there, fields that it does not name are kept as they
 * came, and a state may be any text, because lists of states are not complete.
 */
export const paymentIntent = z.looseObject({
  id: z.string().min(1),
  status: text,
  amountRequested: amount,
  currencyRequested: text,
  requestedCurrencyType: text,
  amountCryptoExpected: amount,
  assetCode: text,
  acceptedCoins: z.array(z.string()).nullish(),
  totalAmountReceived: amount,
  amountNetMerchant: amount,
  feeAmountTotal: amount,
  amountInRange: amount,
  amountRejected: amount,
  amountToRefund: amount,
  feeAmountOnRange: amount,
  feeAmountOnRejected: amount,
  source: text,
  merchantReference: text,
  metadata: object,
  invoiceId: text,
  productId: text,
  posTerminalId: text,
  irregularStatus: text,
  paymentResult: anything,
  customerRefundAddress: text,
  irregularActionBy: text,
  irregularActionAt: text,
  irregularRefundPayoutId: text,
  customerEmail: text,
  returnUrl: text,
  createdAt: text,
  expiresAt: text,
  paymentLink: text,
  statusHistory: list,
  payins: z
    .array(
      z.looseObject({
        id: z.string().min(1),
        amountGross: amount,
        amountNet: amount,
        feeAmount: amount,
        assetCode: text,
        status: text,
        txid: text,
        createdAt: text,
      }),
    )
    .nullish(),
});
export type PaymentIntent = z.output<typeof paymentIntent>;

/** Specification 2.2. */
export const payin = z.looseObject({
  id: z.string().min(1),
  paymentIntentId: text,
  payinType: text,
  txid: text,
  amountGross: amount,
  amountNet: amount,
  feeAmount: amount,
  assetCode: text,
  depositAddress: text,
  senderAddress: text,
  addressPurpose: text,
  status: text,
  kytStatus: text,
  confirmations: integer,
  createdAt: text,
  kytRiskScore: amount,
  statusHistory: list,
});
export type Payin = z.output<typeof payin>;

/** Specification 2.11. */
export const publicAsset = z.looseObject({
  assetCode: z.string().min(1),
  name: text,
  code: text,
  network: text,
  blockchainName: text,
  category: text,
  memoRequired: flag,
  fees: z.looseObject({ payin: text, payout: text, settlement: text }).nullish(),
  icon: text,
});
export type PublicAsset = z.output<typeof publicAsset>;

/** Specification 2.12. */
export const webhookEndpoint = z.looseObject({
  id: z.string().min(1),
  url: text,
  events: z.array(z.string()).nullish(),
  isActive: flag,
  createdAt: text,
});
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;

/** Specification 2.13. `payload` is kept as it came. */
const webhookDelivery = z.looseObject({
  id: z.string().min(1),
  endpointId: text,
  endpointUrl: text,
  eventType: text,
  status: text,
  httpStatus: integer,
  responseBody: anything,
  responseHeaders: anything,
  payload: anything,
  attempts: integer,
  lastAttemptAt: text,
  nextRetryAt: text,
  createdAt: text,
  attemptsList: list,
});

/** Specification 4.22. */
export const deliveryPage = z.looseObject({ items: z.array(webhookDelivery), nextCursor: z.string().nullish() });
export type DeliveryPage = z.output<typeof deliveryPage>;

/** The data as its schema says, or a ContractViolationError that names the place and the rule, never the value. */
export function readAs<S extends z.ZodType>(schema: S, data: Json, operation: string): z.output<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map((step) => `/${String(step)}`).join('') || 'the whole';
  throw new ContractViolationError(`the answer breaks the contract at ${place}: ${issue?.message ?? ''}`, {
    operation,
    status: 200,
    cause: parsed.error,
  });
}
