import { z } from 'zod';
import { amount, anything, flag, id, integer, list, object, text } from './fields.js';

/**
 * Specification 2.1. Like all schemas here: only the id must be there, fields that it does not name are kept as they
 * came, and a state may be any text, because lists of states are not complete.
 */
export const paymentIntent = z.looseObject({
  id: id,
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
        id: id,
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

/** Specification 2.1, last paragraph, and 4.1: the types of what it has beyond an item of the list are not shown. */
export const directPayment = paymentIntent.extend({
  depositAddress: text,
  memo: anything,
  memoType: anything,
  amountToSend: amount,
  expiryHours: anything,
});
export type DirectPayment = z.output<typeof directPayment>;

/** Specification 2.2. */
export const payin = z.looseObject({
  id: id,
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

/** Specification 2.3. */
export const invoice = z.looseObject({
  id,
  customerEmail: text,
  customerName: text,
  amount,
  currency: text,
  assetCode: text,
  description: text,
  /** Free, whatever it looks like: the articles are asked of what is sent, not of what is read. */
  meta: anything,
  status: text,
  paymentIntentId: text,
  expiresAt: text,
  createdAt: text,
  paymentLink: text,
  emailDelivery: z.looseObject({ sent: flag, error: text }).nullish(),
});
export type Invoice = z.output<typeof invoice>;

/** Specification 2.9. */
export const product = z.looseObject({
  id,
  name: text,
  description: text,
  amount,
  currency: text,
  assetCode: text,
  permanentLinkSlug: text,
  imageUrl: text,
  isActive: flag,
  paymentLink: text,
  createdAt: text,
  stats: z.looseObject({ totalIntents: integer, completedIntents: integer, totalRevenue: amount }).nullish(),
});
export type Product = z.output<typeof product>;
