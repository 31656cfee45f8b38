import { z } from 'zod';
import { amount, flag, id, integer, list, signedAmount, text } from './fields.js';

/** Specification 2.4. */
export const payout = z.looseObject({
  id,
  merchantReference: text,
  payoutType: text,
  amount,
  assetCode: text,
  destinationAddress: text,
  destinationType: text,
  destinationMemo: text,
  feeAmount: amount,
  networkFeeAmount: amount,
  networkFeeAssetCode: text,
  networkFeeUsdEquivalent: amount,
  txid: text,
  txUrl: text,
  status: text,
  failureReason: text,
  feeBearer: text,
  kytStatus: text,
  createdAt: text,
  updatedAt: text,
  statusHistory: list,
});
export type Payout = z.output<typeof payout>;

/** Specification 2.5: the fields are not shown, these are what may be written. Not even the id is certain. */
export const account = z.looseObject({
  id: text,
  label: text,
  externalRef: text,
  email: text,
  phoneNumber: text,
  status: text,
  createdAt: text,
});
export type SubWallet = z.output<typeof account>;

/** Specification 4.11, 4.12: the fields are not shown. */
export const movement = z.looseObject({ id: text, assetCode: text, amount: signedAmount, feeAmount: signedAmount });
export type Movement = z.output<typeof movement>;

const paymentMethod = {
  displayName: text,
  accountType: text,
  country: text,
  network: text,
  currency: text,
};

/** Specification 2.6. */
export const settlementAccount = z.looseObject({
  id,
  receptionAddress: text,
  label: text,
  isDefault: flag,
  settlementPaymentMethodId: text,
  createdAt: text,
  maturedAt: text,
  isMatured: flag,
  revokedAt: text,
  settlementPaymentMethod: z.looseObject({ id: text, ...paymentMethod }).nullish(),
  paymentMethod: z.looseObject(paymentMethod).nullish(),
});
export type SettlementAccount = z.output<typeof settlementAccount>;

/** Specification 2.7. */
export const settlementMethods = z.looseObject({
  provider: z.looseObject({ id: text, name: text }).nullish(),
  paymentMethods: z.array(
    z.looseObject({
      id: text,
      providerPaymentMethodId: text,
      providerPaymentMethodCode: text,
      minimumAmount: amount,
      addressPattern: text,
      addressFormatExample: text,
      ...paymentMethod,
    }),
  ),
});
export type SettlementMethods = z.output<typeof settlementMethods>;

/** Specification 2.8. `usdRate` "0": the market could not price the asset. */
export const balance = z.looseObject({
  assetCode: id,
  coinCode: text,
  coin: text,
  name: text,
  network: text,
  balance: signedAmount,
  frozen: signedAmount,
  available: signedAmount,
  usdRate: amount,
  displayDecimals: integer,
  onChainDecimals: integer,
  color: text,
});
export type Balance = z.output<typeof balance>;

/** Specification 2.10. */
export const merchantAsset = z.looseObject({ assetCode: id, isActive: flag });
export type MerchantAsset = z.output<typeof merchantAsset>;

/** Specification 2.11. */
export const publicAsset = z.looseObject({
  assetCode: id,
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
