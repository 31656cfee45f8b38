import { findAsset } from '../assets/assets.js';
import { amountOf, formatAmount, roundDown } from '../base/money.js';
import { expectedAmount, type Intent } from './intent.js';

/** The service's fee on a payin: one percent, rounded down to the asset's decimals. */
export function feeOn(gross: bigint, assetCode: string): bigint {
  return roundDown(gross / 100n, findAsset(assetCode)?.decimals ?? 18);
}

/** What the settled payins sum up to. */
export const receivedTotal = (intent: Intent): bigint => sumOver(intent, 'amountGross');

function sumOver(intent: Intent, field: 'amountGross' | 'feeAmount'): bigint {
  let sum = 0n;
  for (const payin of intent.payins) {
    if (payin.status === 'confirmed' || payin.status === 'unmatched') sum += amountOf(payin[field]);
  }
  return sum;
}

/**
 * The part of the received amount that lies outside the acceptable range: all of an underpayment, the excess of an
 * overpayment, nothing within the tolerance.
 */
export function rejectedPart(intent: Intent, toleranceBasisPoints: number): bigint {
  const expected = amountOf(expectedAmount(intent));
  const total = receivedTotal(intent);
  const tolerance = (expected * BigInt(toleranceBasisPoints)) / 10_000n;
  if (total < expected - tolerance) return total;
  if (total <= expected + tolerance) return 0n;
  // What was accepted before is not put in question by a later payin.
  const accepted = amountOf(intent.amountInRange);
  return total - (accepted > expected ? accepted : expected);
}

/** The merchant's net if this part of what was received were in question. */
export const netWithout = (intent: Intent, rejected: bigint): bigint => split(intent, rejected, 0n).net;

interface Split {
  total: bigint;
  fees: bigint;
  inRange: bigint;
  feeOnRange: bigint;
  net: bigint;
}

function split(intent: Intent, rejected: bigint, leastNet: bigint): Split {
  const total = receivedTotal(intent);
  const fees = sumOver(intent, 'feeAmount');
  const inRange = total - rejected;
  const due = rejected === 0n ? fees : feeOn(inRange, intent.assetCode ?? '');
  const share = due < fees ? due : fees;
  // Fees are rounded for each payin: the fee on their sum may be a unit more.
  const feeOnRange = inRange - share < leastNet ? inRange - leastNet : share;
  return { total, fees, inRange, feeOnRange, net: inRange - feeOnRange };
}

/**
 * Fills the amount fields from the settled payins. `rejected` is what a decision is needed about; it stays out of the
 * merchant's net unless it was encashed. feeAmountOnRange + feeAmountOnRejected is always the sum of the payins' fees.
 * `leastNet`: what the merchant has been credited already and a further payin does not take back.
 */
export function applyAmounts(intent: Intent, rejected: bigint, leastNet = 0n): void {
  const { total, fees, inRange, feeOnRange, net } = split(intent, rejected, leastNet);
  const whole = rejected === 0n || intent.irregularStatus === 'encashed';
  intent.totalAmountReceived = formatAmount(total);
  intent.amountInRange = formatAmount(inRange);
  intent.feeAmountOnRange = formatAmount(feeOnRange);
  intent.amountRejected = rejected === 0n ? null : formatAmount(rejected);
  intent.amountToRefund = intent.amountRejected;
  intent.feeAmountOnRejected = rejected === 0n ? null : formatAmount(fees - feeOnRange);
  intent.amountNetMerchant = formatAmount(whole ? total - fees : net);
  intent.feeAmountTotal = formatAmount(whole ? fees : feeOnRange);
}
