import { z } from 'zod';
import { decimal, time, url } from './parts.js';

/** Specification 2.8. */
export const balanceAnswer = z.strictObject({
  assetCode: z.string(),
  coinCode: z.string(),
  coin: z.string(),
  name: z.string(),
  network: z.string(),
  balance: decimal,
  frozen: decimal,
  available: decimal,
  usdRate: decimal,
  displayDecimals: z.int(),
  onChainDecimals: z.int(),
  color: z.string().regex(/^#[0-9A-F]{6}$/i),
});

/** Specification 2.10. */
export const merchantAssetAnswer = z.strictObject({ assetCode: z.string(), isActive: z.boolean() });

/** Specification 2.11. */
export const publicAssetAnswer = z.strictObject({
  assetCode: z.string(),
  name: z.string(),
  code: z.string(),
  network: z.string(),
  blockchainName: z.string(),
  category: z.enum(['crypto', 'stablecoin']),
  memoRequired: z.boolean(),
  fees: z.strictObject({ payin: z.string(), payout: z.string(), settlement: z.string() }),
  icon: url,
});

const method = {
  displayName: z.string(),
  accountType: z.string(),
  country: z.string(),
  network: z.string(),
  currency: z.string().nullable(),
};

/** Specification 2.6. */
export const settlementAccountAnswer = z.strictObject({
  id: z.string(),
  receptionAddress: z.string(),
  label: z.string().nullable(),
  isDefault: z.boolean(),
  settlementPaymentMethodId: z.string(),
  createdAt: time,
  maturedAt: time,
  isMatured: z.boolean(),
  revokedAt: time.nullable(),
  settlementPaymentMethod: z.strictObject({ id: z.string(), ...method }),
  paymentMethod: z.strictObject(method),
});

/** Specification 2.7. */
export const settlementMethodsAnswer = z.strictObject({
  provider: z.strictObject({ id: z.string(), name: z.string() }),
  paymentMethods: z.array(
    z.strictObject({
      providerPaymentMethodId: z.string(),
      providerPaymentMethodCode: z.string(),
      minimumAmount: decimal.nullable(),
      id: z.string(),
      ...method,
      addressPattern: z.string().nullable(),
      addressFormatExample: z.string().nullable(),
    }),
  ),
});
