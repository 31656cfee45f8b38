import { addAmounts, compareAmounts, isZero, subtractAmounts, sumAmounts } from '../money.js';
import type { BalanceSums, BalanceVerdict } from './balance-proof.js';
import type { UnnamedPayouts } from './unnamed-payouts.js';

/** What a balance was classified to be more by, because of payouts that were under way when its books were opened. */
export interface FoundAtOpening {
  /** All that were in doubt then. */
  payouts: string[];
  /** What those came to, and what of it the balance was more by: not less than nothing. */
  most: string;
  amount: string;
}

type InDoubt = UnnamedPayouts['atOpening'];

/**
 * How much more a balance may be by them. Whose a payout was does not change: once a classification has found what all of them
 * made, only one that was confirmed since may make it more, and only one that is distinguished since may make it less.
 * `attributed`: what finance has said of parts by which the balance is more, where no classification has found it yet.
 */
export function boundsAtOpening(
  { ids, amounts, most }: InDoubt,
  found: FoundAtOpening | null,
  attributed: string,
): { least: string; most: string; found: string } {
  if (found === null) return { least: '0', most: subtractAmounts(most, attributed), found: '0' };
  const kept = sumAmounts(amounts.filter((_, at) => found.payouts.includes(ids[at] ?? '')));
  const fresh = subtractAmounts(most, kept);
  const gone = subtractAmounts(found.most, kept);
  const stood = smaller(found.amount, most);
  const least = subtractAmounts(stood, gone);
  return {
    least: compareAmounts(least, '0') < 0 ? '0' : smaller(least, stood),
    most: smaller(addAmounts(stood, fresh), most),
    found: stood,
  };
}

/** What a classification finds of them; null: nothing, because something else may be a part of it. */
export function findAtOpening(
  { unclear, limit }: Pick<BalanceSums, 'unclear' | 'limit'>,
  { underWay, atOpening, likely }: UnnamedPayouts,
  { unexplained, unknownAmount, atOpening: amount }: BalanceVerdict,
): FoundAtOpening | null {
  if (unclear !== null || unexplained !== '0') return null;
  const isNothing = amount === '0' && unknownAmount === '0';
  // What a sub-wallet was debited for a payout under way may be just as much as another one's is more.
  const isAlone = underWay.ids.length === 0 || (isNothing && isZero(likely));
  if (!isAlone || (!isNothing && !isZero(limit))) return null;
  return { payouts: atOpening.ids, most: atOpening.most, amount };
}

const smaller = (a: string, b: string): string => (compareAmounts(a, b) <= 0 ? a : b);
