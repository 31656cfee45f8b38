import { z } from 'zod';
import { DESTINATION_TYPES, PAYOUT_STATUSES, PAYOUT_TYPES } from '../../payouts/payout.js';
import { decimal, time, url } from './parts.js';

const step = z.strictObject({
  status: z.enum(PAYOUT_STATUSES),
  timestamp: time,
  source: z.string(),
  note: z.string().optional(),
});

/** Specification 2.4. `paymentIntentId` stands there where the faults say so. */
export const payoutAnswer = z.strictObject({
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
