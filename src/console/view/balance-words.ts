import { isZero } from '../../domain/money.js';
import type { BalanceProofView } from '../../domain/views/balance-shapes.js';
import { badge, type Value } from './values.js';

export function proofBadge(proof: BalanceProofView | null): Value {
  if (proof === null) return badge('never judged', 'warn');
  if (proof.status === 'agrees') return badge('agrees', 'good');
  return proof.status === 'unproven' ? badge('unproven', 'warn') : badge('unexplained', 'bad');
}

/** Where two parts have opposite signs, or one is larger, is for the reader: only zero is called nothing. */
export function isNothing(value: string | null): boolean {
  return value === null || isZero(value);
}
