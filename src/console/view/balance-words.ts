import { isZero } from '../../domain/money.js';
import type { Attribution } from '../../domain/views/balance-shapes.js';
import type { BalanceProof } from '../../records/balances/balance-proofs.js';
import { badge, type Value } from './values.js';

/** How a balance was judged, as the read API shows it. */
export type ShownProof = Omit<BalanceProof, 'assetCode' | 'held' | 'balance' | 'frozen'> & {
  status: 'agrees' | 'unexplained' | 'unproven';
  agreedBalance: string | null;
  agreedFrozen: string | null;
};

/** Null: it was never judged. */
export function proofOf(balance: object): ShownProof | null {
  return 'proof' in balance ? (balance.proof as ShownProof | null) : null;
}

export function attributionsOf(balance: object): Attribution[] {
  return 'attributions' in balance ? (balance.attributions as Attribution[]) : [];
}

export function proofBadge(proof: ShownProof | null): Value {
  if (proof === null) return badge('never judged', 'warn');
  if (proof.status === 'agrees') return badge('agrees', 'good');
  return proof.status === 'unproven' ? badge('unproven', 'warn') : badge('unexplained', 'bad');
}

/** Where two parts have opposite signs, or one is larger, is for the reader: only zero is called nothing. */
export function isNothing(value: string | null): boolean {
  return value === null || isZero(value);
}
