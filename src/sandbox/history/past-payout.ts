import { hexOf } from '../base/random.js';
import { gasInUsd, gasOf } from '../payouts/gas.js';
import type { NewPayout } from '../payouts/open-payout.js';
import type { Payout, PayoutStatus } from '../payouts/payout.js';
import type { Merchant } from '../service.js';

const STEP_MS = 10_000;

/** The states that a payout went through, its last one at the end. */
const WAYS: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['pending'],
  under_review: ['pending', 'under_review'],
  approved: ['pending', 'approved'],
  broadcast: ['pending', 'approved', 'broadcast'],
  confirmed: ['pending', 'approved', 'broadcast', 'confirmed'],
  failed: ['pending', 'approved', 'failed'],
};

export interface PastWay {
  id: string;
  number: number;
  at: number;
  /** Default: confirmed. */
  status?: PayoutStatus;
  /** Sent by hand, so that there is neither gas nor a hash. */
  manual?: boolean;
}

const REASONS: Partial<Record<PayoutStatus, string>> = {
  failed: 'the network did not take the transaction',
  under_review: 'held for a review by compliance',
};

/** A payout that came to its state before the start. What is confirmed or failed is in what the past left of the balance. */
export function pastPayout(merchant: Merchant, { source, ...given }: NewPayout, way: PastWay): Payout {
  const { id, number, at, status = 'confirmed', manual = false } = way;
  const { seed, service } = merchant;
  const onChain = given.destinationType === 'blockchain' && !manual;
  const steps = WAYS[status].filter((step) => onChain || step !== 'broadcast');
  const last = at + (steps.length - 1) * STEP_MS;
  const isSent = onChain && (status === 'broadcast' || status === 'confirmed');
  const gas = isSent ? gasOf(seed, given.assetCode, number) : null;
  const failureReason = REASONS[status] ?? null;
  return {
    ...given,
    id,
    number,
    isPast: status === 'confirmed' || status === 'failed',
    status,
    kytStatus: kytOf(given, status),
    failureReason,
    txid: isSent ? hexOf(seed, 'payout-txid', number, 64) : null,
    networkFee: gas,
    networkFeeUsd: gas !== null && status === 'confirmed' ? gasInUsd(service.rates, given.assetCode, gas, last) : null,
    createdAt: at,
    updatedAt: last,
    history: steps.map((step, n) => ({
      status: step,
      at: at + n * STEP_MS,
      source: n === 0 ? source : onChain && n > 1 ? 'blockchain' : 'dashboard',
      note: n === 0 ? given.note : step === status ? failureReason : null,
    })),
  };
}

function kytOf({ destinationType }: Pick<Payout, 'destinationType'>, status: PayoutStatus): Payout['kytStatus'] {
  if (destinationType !== 'blockchain') return null;
  return status === 'pending' || status === 'under_review' ? 'pending' : 'approved';
}
