import { z } from 'zod';
import type { Named } from '../domain/json.js';
import { compareAmounts, isAmount, multiplyAmounts, sumAmounts } from '../domain/money.js';
import {
  amount,
  assetCode,
  flag,
  freeObject,
  isoTime,
  LONGEST_KEY,
  narrowKey,
  oneOf,
  refundAmount,
  text,
  totpCode,
  wholeNumber,
} from './request-fields.js';

/** Specification 2.15. */
const autoSettlement = z.strictObject({
  enabled: flag.optional(),
  settlementAccountAddress: text().optional(),
  settlementPaymentMethodId: text().optional(),
});

/** Specification 2.14: rules of the fields inside are not shown. */
const customer = z.looseObject(
  {
    firstName: z.string('is to be a text').optional(),
    lastName: z.string('is to be a text').optional(),
    email: z.string('is to be a text').optional(),
    refundAddress: z.string('is to be a text').optional(),
  },
  'is to be an object: the customer journey runs on your site',
);

/** Specification 4.1. */
export const directPayment = z
  .strictObject({
    requestedCoin: text(),
    amount,
    customer,
    requestedCurrencyType: oneOf('crypto', 'fiat').optional(),
    currencyRequested: z.string('is to be a text').optional(),
    merchantReference: text().optional(),
    idempotencyKey: text(LONGEST_KEY).optional(),
    metadata: freeObject.optional(),
    autoSettlement: autoSettlement.optional(),
  })
  .superRefine(({ requestedCurrencyType, currencyRequested }, context) => {
    if (requestedCurrencyType !== 'fiat' || /^[A-Z]{3}$/.test(currencyRequested ?? '')) return;
    const message = 'is to be a currency of ISO 4217, because requestedCurrencyType is fiat';
    context.addIssue({ code: 'custom', path: ['currencyRequested'], message });
  });
/** A customer's field of another name is passed on, and yet no misspelt one is let through here. */
export type DirectPaymentRequest = Omit<z.input<typeof directPayment>, 'customer'> & {
  customer: Named<z.input<typeof customer>>;
};

const invoiceItem = z.strictObject({
  name: text(),
  quantity: wholeNumber(0),
  unitPrice: amount,
  description: z.string('is to be a text').optional(),
});

/** Specification 4.2. Which fields are required is not shown: these make an invoice, and distinguish it from others. */
export const invoice = z
  .strictObject({
    customerEmail: text(),
    customerName: text().optional(),
    amount,
    currency: text(),
    description: z.string('is to be a text').optional(),
    expiresAt: isoTime.optional(),
    assetCode: text().optional(),
    meta: z
      .looseObject({
        items: z.array(invoiceItem, 'is to be a list of items').optional(),
        notes: z.string('is to be a text').optional(),
      })
      .optional(),
    merchantReference: text().optional(),
    language: text().optional(),
    collectCustomerInformation: flag.optional(),
    autoSettlement: autoSettlement.optional(),
  })
  .superRefine(({ amount, meta }, context) => {
    if (meta?.items === undefined) return;
    // Issues of their own.
    if (![amount, ...meta.items.map(({ unitPrice }) => unitPrice)].every(isAmount)) return;
    if (!meta.items.every(({ quantity }) => /^\d+$/.test(String(quantity)))) return;
    const sum = sumAmounts(
      meta.items.map(({ unitPrice, quantity }) => multiplyAmounts(unitPrice, String(quantity), 'down')),
    );
    if (compareAmounts(sum, amount) === 0) return;
    const message = `add up to ${sum}, and are to add up to amount exactly`;
    context.addIssue({ code: 'custom', path: ['meta', 'items'], message });
  });
export type InvoiceRequest = z.input<typeof invoice>;

/** Specification 4.4. */
export const payout = z
  .strictObject({
    assetCode,
    amount,
    destinationAddress: text(255, 3),
    amountType: oneOf('crypto', 'fiat').optional(),
    fiatCurrency: text(8).optional(),
    destinationMemo: text(120).optional(),
    note: text(255).optional(),
    merchantReference: text(255).optional(),
    idempotencyKey: narrowKey(120).optional(),
    totpCode: totpCode.optional(),
    feeBearer: oneOf('merchant', 'customer').optional(),
  })
  .superRefine(({ amountType, fiatCurrency }, context) => {
    if (amountType !== 'fiat' || fiatCurrency !== undefined) return;
    context.addIssue({ code: 'custom', path: ['fiatCurrency'], message: 'is required where amountType is fiat' });
  });
export type PayoutRequest = z.input<typeof payout>;

/** Specification 4.5. */
export const refund = z.strictObject({
  paymentIntentId: text(),
  amount: refundAmount.optional(),
  destinationAddress: text(255, 3).optional(),
  feeBearer: oneOf('customer', 'merchant').optional(),
  totpCode: totpCode.optional(),
  idempotencyKey: text(LONGEST_KEY).optional(),
});
export type RefundRequest = z.input<typeof refund>;

/** Specification 4.6. */
export const transfer = z
  .strictObject({
    assetCode,
    amount,
    fromOperating: flag.optional(),
    toWalletAccountId: text().optional(),
    toEmail: text().optional(),
    toOperating: flag.optional(),
    feeAmount: amount.optional(),
    note: text().optional(),
    totpCode: totpCode.optional(),
    idempotencyKey: narrowKey(LONGEST_KEY).optional(),
  })
  .superRefine(({ fromOperating, toWalletAccountId, toEmail, toOperating }, context) => {
    if (fromOperating === true) return;
    const given = [toWalletAccountId !== undefined, toEmail !== undefined, toOperating === true].filter(Boolean).length;
    if (given === 1) return;
    const named = 'toWalletAccountId, toEmail and toOperating';
    const message = `is to be exactly one of ${named}, unless fromOperating is true; given are ${given}`;
    context.addIssue({ code: 'custom', path: ['destination'], message });
  });
export type TransferRequest = z.input<typeof transfer>;

/** Specification 4.7: no least length is given, and an empty text is the one way to clear a field. */
export const accountUpdate = z.strictObject({
  label: text(120, 0).optional(),
  externalRef: text(120, 0).optional(),
  email: text(200, 0).optional(),
  phoneNumber: text(40, 0).optional(),
  status: oneOf('active', 'frozen', 'closed').optional(),
});
export type AccountUpdateRequest = z.input<typeof accountUpdate>;

/** Specification 4.13. */
export const merchantAssetUpdate = z.strictObject({ isActive: flag });
export type MerchantAssetUpdateRequest = z.input<typeof merchantAssetUpdate>;
