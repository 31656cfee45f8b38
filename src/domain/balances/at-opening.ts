import { addAmounts, compareAmounts, subtractAmounts, sumAmounts } from '../money.js';
import type { BalanceSums, BalanceVerdict } from './balance-proof.js';
import type { UntoldPayouts } from './untold-payouts.js';

/** What a balance was classified to be more by, because of payouts that were under way when its books were opened. */
export interface ToldAtOpening {
  /** All that were in doubt then. */
  payouts: string[];
  /** What those came to, and what of it the balance was more by: not less than nothing. */
  most: string;
  amount: string;
}

type InDoubt = UntoldPayouts['atOpening'];

/**
 * How much more a balance may be by them. Whose a payout was does not change: once a judgement has told what all of them
 * made, only one that was confirmed since may make it more, and only one that is distinguished since may make it less.
 * `attributed`: what finance has said of parts by which the balance is more, where no judgement has told yet.
 */
export function boundsAtOpening(
  { ids, amounts, most }: InDoubt,
  told: ToldAtOpening | null,
  attributed: string,
): { least: string; most: string; told: string } {
  if (told === null) return { least: '0', most: subtractAmounts(most, attributed), told: '0' };
  const kept = sumAmounts(amounts.filter((_, at) => told.payouts.includes(ids[at] ?? '')));
  const fresh = subtractAmounts(most, kept);
  const gone = subtractAmounts(told.most, kept);
  const stood = smaller(told.amount, most);
  const least = subtractAmounts(stood, gone);
  return {
    least: compareAmounts(least, '0') < 0 ? '0' : smaller(least, stood),
    most: smaller(addAmounts(stood, fresh), most),
    told: stood,
  };
}

/** What a judgement tells of them; null: nothing, because something else may be a part of it. */
export function tellAtOpening(
  { unclear, limit }: Pick<BalanceSums, 'unclear' | 'limit'>,
  { underWay, atOpening, likely }: UntoldPayouts,
  { unexplained, unknownAmount, atOpening: amount }: BalanceVerdict,
): ToldAtOpening | null {
  if (unclear !== null || unexplained !== '0') return null;
  const isNothing = amount === '0' && unknownAmount === '0';
  // What a sub-wallet was debited for a payout under way may be just as much as another one's is more.
  const isAlone = underWay.ids.length === 0 || (isNothing && compareAmounts(likely, '0') === 0);
  if (!isAlone || (!isNothing && compareAmounts(limit, '0') !== 0)) return null;
  return { payouts: atOpening.ids, most: atOpening.most, amount };
}

function smaller(a: string, b: string): string {
  return compareAmounts(a, b) <= 0 ? a : b;
}
