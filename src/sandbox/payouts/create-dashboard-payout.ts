import { z } from 'zod';
import { amountOf } from '../base/money.js';
import { address, amount, assetCode, feeBearer, text } from '../base/schemas.js';
import { holderOf } from '../ledger/ledger.js';
import type { Merchant } from '../service.js';
import { checkOutgoing, findWallet } from '../wallets/find-wallet.js';
import { memoFor, withdrawableAsset } from './create-withdrawal.js';
import { checkInternalDestination } from './credit-recipient.js';
import { openPayout } from './open-payout.js';
import { DESTINATION_TYPES, NEW_PAYOUT_WORD, type Payout } from './payout.js';

/** What an operator fills in; without an account the operating balance pays. */
export const dashboardPayoutSchema = z.object({
  assetCode,
  amount,
  destinationType: z.enum(DESTINATION_TYPES).default('blockchain'),
  destinationAddress: address,
  destinationMemo: text(120).nullish(),
  feeBearer: feeBearer.nullish(),
  merchantReference: text(255).nullish(),
  note: text(255).nullish(),
  accountId: z.string().nullish(),
});

export type DashboardPayoutInput = z.input<typeof dashboardPayoutSchema>;

/** A payout made in the dashboard. One that stays inside the platform costs nothing. */
export function createDashboardPayout(merchant: Merchant, request: z.output<typeof dashboardPayoutSchema>): Payout {
  const asset = withdrawableAsset(merchant, request.assetCode);
  const wallet = request.accountId ? findWallet(merchant, request.accountId) : null;
  if (wallet) checkOutgoing(wallet);
  const onChain = request.destinationType === 'blockchain';
  if (!onChain) checkInternalDestination(merchant, request);
  return openPayout(merchant, {
    source: 'dashboard',
    holder: holderOf(wallet?.id ?? null),
    accountId: wallet?.id ?? null,
    payoutType: merchant.service.faults.newPayoutWord ? NEW_PAYOUT_WORD : onChain ? 'withdrawal' : 'internal_transfer',
    assetCode: asset.assetCode,
    amount: amountOf(request.amount),
    feeAmount: onChain ? asset.payoutFee : 0n,
    feeBearer: request.feeBearer ?? wallet?.feeBearer ?? 'merchant',
    destinationType: request.destinationType,
    destinationAddress: request.destinationAddress,
    destinationMemo: onChain ? memoFor(asset, request.destinationMemo) : null,
    merchantReference: request.merchantReference ?? null,
    note: request.note ?? null,
    paymentIntentId: null,
  });
}
