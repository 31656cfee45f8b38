import { grouped } from '../grouped.js';
import type { Json } from '../json.js';
import { compareAmounts, isAmount, isZero, negated, subtractAmounts, sumAmounts } from '../money.js';
import type { Line, Moved } from './entry.js';

export function line(account: string, assetCode: string, amount: string): Line {
  return { account, assetCode, amount, memo: false };
}

/** One line for each account and asset, none of zero, in the order of their names: two of the same say the same. */
export function netLines(lines: readonly Line[]): Line[] {
  return [...grouped(lines, ({ memo, assetCode, account }) => JSON.stringify([memo, assetCode, account]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, same]) => ({ ...(same[0] as Line), amount: sumAmounts(same.map(({ amount }) => amount)) }))
    .filter(({ amount }) => !isZero(amount));
}

export function negatedLines(lines: readonly Line[]): Line[] {
  return lines.map((one) => ({ ...one, amount: negated(one.amount) }));
}

/** Assets whose legs do not add up to zero; memos are no legs. */
export function unbalanced(lines: readonly Line[]): string[] {
  const assets = new Set(lines.map(({ assetCode }) => assetCode));
  return [...assets].filter((asset) => {
    const legs = lines.filter(({ assetCode, memo }) => assetCode === asset && !memo);
    return compareAmounts(sumAmounts(legs.map(({ amount }) => amount)), '0') !== 0;
  });
}

/** A fee beside an amount that moved; of what began before the opening it is not known. */
export function feeBeside(amount: string, moved: Pick<Moved, 'base'>, fee: Json | undefined): string {
  return !stoodAtOpening(moved) && isAmount(fee) && !isZero(amount) ? fee : '0';
}

export function sinceOpening({ delta, base }: Pick<Moved, 'delta' | 'base'>): string | null {
  return delta === null ? null : subtractAmounts(delta, base ?? '0');
}

/** Whether the record began before the opening, so that only what it did since is in the books. */
export const stoodAtOpening = ({ base }: Pick<Moved, 'base'>): boolean => base !== null && !isZero(base);
