import { hexOf } from '../base/random.js';
import { Refusal } from '../base/refusal.js';
import { book, type NewTransaction } from '../ledger/book.js';
import type { Merchant } from '../service.js';
import { creditRecipient } from './credit-recipient.js';
import { gasInUsd, gasOf } from './gas.js';
import { debitOf, isOnChain, type Payout, type PayoutStatus, payoutSubject } from './payout.js';

/** What operators, compliance and the chain do with a payout. */
export type PayoutStep =
  | { step: 'approve' | 'broadcast' }
  /** `manual`: sent by hand outside of the chain, so that there is no hash. */
  | { step: 'confirm'; manual?: boolean | undefined }
  | { step: 'review' | 'fail'; reason?: string | undefined };

/** pending ⇄ under_review → approved → broadcast → confirmed; failed from each that is not final. */
const FROM: Record<PayoutStep['step'], readonly PayoutStatus[]> = {
  approve: ['pending', 'under_review'],
  broadcast: ['approved'],
  confirm: ['approved', 'broadcast'],
  review: ['pending', 'approved'],
  fail: ['pending', 'under_review', 'approved', 'broadcast'],
};

export function advancePayout(merchant: Merchant, payout: Payout, step: PayoutStep, source = 'dashboard'): Payout {
  take(merchant, payout, step, source);
  scheduleStep(merchant, payout, merchant.service.clock.now());
  return payout;
}

function take(merchant: Merchant, payout: Payout, step: PayoutStep, source: string): Payout {
  if (!FROM[step.step].includes(payout.status)) throw wrongStep(payout, step);
  switch (step.step) {
    case 'approve':
      payout.failureReason = null;
      if (payout.kytStatus !== null) payout.kytStatus = 'approved';
      return moved(merchant, payout, 'approved', source);
    case 'broadcast':
      if (!isOnChain(payout)) throw wrongStep(payout, step);
      broadcast(merchant, payout);
      return moved(merchant, payout, 'broadcast', 'blockchain');
    case 'confirm':
      confirm(merchant, payout, step);
      return moved(merchant, payout, 'confirmed', isOnChain(payout) && !step.manual ? 'blockchain' : source);
    case 'review':
      payout.failureReason = step.reason ?? 'held for a review by compliance';
      return moved(merchant, payout, 'under_review', source, payout.failureReason);
    case 'fail':
      merchant.ledger.release(payout.holder, payout.assetCode, debitOf(payout));
      payout.failureReason = step.reason ?? 'the network did not take the transaction';
  }
  return moved(merchant, payout, 'failed', source, payout.failureReason);
}

function wrongStep(payout: Payout, { step }: PayoutStep): Refusal {
  return new Refusal(409, 'PAYOUT_STATE', `a payout that is ${payout.status} can't take the step ${step}`);
}

function broadcast({ seed }: Merchant, payout: Payout): void {
  payout.txid = hexOf(seed, 'payout-txid', payout.number, 64);
  payout.networkFee = gasOf(seed, payout.assetCode, payout.number);
}

/** The money leaves: what was frozen is debited, the fee goes to the service, the rest to the recipient. */
function confirm(merchant: Merchant, payout: Payout, step: { manual?: boolean | undefined }): void {
  if (isOnChain(payout) && payout.status === 'approved' && !step.manual) throw wrongStep(payout, { step: 'confirm' });
  if (step.manual && payout.status === 'broadcast') throw wrongStep(payout, { step: 'confirm' });
  const { holder, assetCode, feeAmount, accountId, note } = payout;
  const at = merchant.service.clock.now();
  const debit = debitOf(payout);
  merchant.ledger.release(holder, assetCode, debit);
  if (payout.networkFee !== null)
    payout.networkFeeUsd = gasInUsd(merchant.service.rates, assetCode, payout.networkFee, at);
  if (debit === 0n) return;
  const transactions: NewTransaction[] =
    accountId === null ? [] : [{ accountId, type: 'withdrawal', feeAmount, note, counterpartyAccountId: null }];
  const lines = [
    { account: holder, amount: -debit },
    { account: 'fees', amount: feeAmount },
    { account: 'world', amount: debit - feeAmount },
  ] as const;
  book(merchant, { at, type: 'payout', assetCode, recordId: payout.id, lines }, transactions);
  creditRecipient(merchant, payout);
}

function moved(
  merchant: Merchant,
  payout: Payout,
  status: PayoutStatus,
  source: string,
  note: string | null = null,
): Payout {
  const at = merchant.service.clock.now();
  payout.status = status;
  payout.updatedAt = at;
  payout.history.push({ status, at, source, note });
  merchant.send(`payout.${status}`, () => payoutSubject(payout, merchant.service.faults.links));
  return payout;
}

/**
 * Lets the payout go its way by itself where the settings say so: a clock that jumps ahead runs through all steps. A step
 * that somebody else takes meanwhile counts anew; a review stops it until it is approved.
 */
export function scheduleStep(merchant: Merchant, payout: Payout, from: number): void {
  const { settings, clock } = merchant.service;
  const next = nextStep(payout);
  if (settings.payoutStepSeconds <= 0 || next === null) return;
  const taken = payout.history.length;
  const due = from + settings.payoutStepSeconds * 1000;
  clock.at(due, () => {
    if (payout.history.length !== taken) return;
    take(merchant, payout, { step: next }, 'system');
    scheduleStep(merchant, payout, due);
  });
}

/** Of a payout that nothing holds up. */
export function nextStep(payout: Payout): 'approve' | 'broadcast' | 'confirm' | null {
  if (payout.status === 'pending') return 'approve';
  if (payout.status === 'approved') return isOnChain(payout) ? 'broadcast' : 'confirm';
  return payout.status === 'broadcast' ? 'confirm' : null;
}
