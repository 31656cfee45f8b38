import { z } from 'zod';
import { INTENT_STATUSES, PAYIN_STATUSES } from '../../payments/intent.js';
import { decimal, freeObject, time, transitionsOf, url } from './parts.js';

const payinSummary = z.strictObject({
  id: z.string(),
  amountGross: decimal,
  amountNet: decimal,
  feeAmount: decimal,
  assetCode: z.string(),
  status: z.enum(PAYIN_STATUSES),
  txid: z.string().nullable(),
  createdAt: time,
});

/** Specification 2.1, with the metadata of 4.1. See unnamed-fields.ts. */
export const paymentIntentAnswer = z.strictObject({
  id: z.string(),
  status: z.enum(INTENT_STATUSES),
  amountRequested: decimal,
  currencyRequested: z.string(),
  requestedCurrencyType: z.enum(['fiat', 'crypto']),
  amountCryptoExpected: decimal.nullable(),
  assetCode: z.string().nullable(),
  acceptedCoins: z.array(z.string()),
  totalAmountReceived: decimal,
  amountNetMerchant: decimal,
  feeAmountTotal: decimal,
  amountInRange: decimal.nullable(),
  amountRejected: decimal.nullable(),
  amountToRefund: decimal.nullable(),
  feeAmountOnRange: decimal.nullable(),
  feeAmountOnRejected: decimal.nullable(),
  source: z.string(),
  merchantReference: z.string().nullable(),
  invoiceId: z.string().nullable(),
  productId: z.string().nullable(),
  posTerminalId: z.string().nullable(),
  irregularStatus: z.enum(['none', 'pending_decision', 'encashed', 'refunded']),
  paymentResult: z
    .strictObject({ amountExpected: decimal.nullable(), amountReceived: decimal, payinCount: z.int() })
    .nullable(),
  customerRefundAddress: z.string().nullable().meta({ description: 'Masked.' }),
  irregularActionBy: z.string().nullable(),
  irregularActionAt: time.nullable(),
  irregularRefundPayoutId: z.string().nullable(),
  customerEmail: z.string().nullable(),
  returnUrl: z.string().nullable(),
  createdAt: time,
  expiresAt: time,
  paymentLink: url,
  statusHistory: transitionsOf(INTENT_STATUSES),
  payins: z.array(payinSummary),
  metadata: freeObject.nullable(),
});

/** The answer of the direct creation (specification 2.1, 4.1). */
export const directPaymentAnswer = z.strictObject({
  ...paymentIntentAnswer.shape,
  depositAddress: z.string(),
  memo: z.string().nullable(),
  memoType: z.string().nullable(),
  amountToSend: decimal,
  expiryHours: z.number(),
});

/** Specification 2.2. `accountId`: a deposit to a sub-wallet says which; one to the merchant's own address, null. */
export const payinAnswer = z.strictObject({
  id: z.string(),
  paymentIntentId: z.string().nullable(),
  payinType: z.enum(['blockchain', 'merchant_deposit', 'internal_transfer']),
  txid: z.string().nullable(),
  amountGross: decimal,
  amountNet: decimal,
  feeAmount: decimal,
  assetCode: z.string(),
  depositAddress: z.string(),
  senderAddress: z.string().nullable(),
  addressPurpose: z.enum(['PAYMENT_INTENT', 'MERCHANT_DEPOSIT', 'STATIC_ADDRESS']).nullable(),
  status: z.enum(PAYIN_STATUSES),
  kytStatus: z.enum(['pending', 'approved', 'rejected']).nullable(),
  confirmations: z.int().nullable(),
  createdAt: time,
  kytRiskScore: decimal.nullable(),
  statusHistory: transitionsOf(PAYIN_STATUSES),
  accountId: z.string().nullable().optional(),
});
