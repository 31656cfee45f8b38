import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';

/** Crypto of the operating balance given for fiat. Its crypto leg is a payout. */
export interface Settlement {
  id: string;
  settlementAccountId: string;
  payoutId: string;
  /** The payment that was settled automatically. */
  paymentIntentId: string | null;
  assetCode: string;
  amount: bigint;
  feeAmount: bigint;
  fiatCurrency: string;
  fiatAmount: bigint;
  createdAt: number;
}

export function settlementRecord(settlement: Settlement) {
  const { amount, feeAmount, fiatAmount, createdAt, ...rest } = settlement;
  return {
    ...rest,
    amount: formatAmount(amount),
    feeAmount: formatAmount(feeAmount),
    fiatAmount: formatAmount(fiatAmount),
    createdAt: iso(createdAt),
  };
}
