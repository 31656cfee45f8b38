import { addressOf } from '../assets/address.js';
import { findAsset } from '../assets/assets.js';
import type { IdCodec } from '../base/ids.js';
import { formatAmount } from '../base/money.js';
import { createDraw, hexOf } from '../base/random.js';
import { feeOn } from './amounts.js';
import type { Intent, Payin } from './intent.js';

/** A payin's number is made of its intent's place and its own place there, so that its id alone finds it. */
export const MOST_PAYINS = 64;

const payinNumber = (position: number, index: number): number => position * MOST_PAYINS + index;

export function placeOfPayin(n: number): { position: number; index: number } {
  return { position: Math.floor(n / MOST_PAYINS), index: n % MOST_PAYINS };
}

export interface NewPayin {
  seed: number;
  ids: IdCodec;
  intent: Intent;
  amount: bigint;
  at: number;
  late: boolean;
  senderAddress?: string;
}

/** A payin just seen on the chain: everything but its place in the intent's list and its later fate. */
export function createPayin({ seed, ids, intent, amount, at, late, senderAddress }: NewPayin): Payin {
  const n = payinNumber(intent.position, intent.payins.length);
  const assetCode = intent.assetCode ?? '';
  const fee = feeOn(amount, assetCode);
  const risk = Math.floor(createDraw(seed, 'kyt-score')(n) * 2000);
  return {
    id: ids.encode(n),
    txid: hexOf(seed, 'txid', n, 64),
    amountGross: formatAmount(amount),
    amountNet: formatAmount(amount - fee),
    feeAmount: formatAmount(fee),
    assetCode,
    depositAddress: intent.depositAddress ?? '',
    senderAddress: senderAddress ?? addressOf(seed, 'sender', n, assetCode),
    status: 'pending',
    kytStatus: 'pending',
    kytRiskScore: (risk / 100).toFixed(2),
    createdAt: at,
    firstBlockAt: null,
    confirmationsNeeded: findAsset(assetCode)?.confirmations ?? 1,
    late,
    history: [{ status: 'pending', at, source: 'blockchain' }],
  };
}
