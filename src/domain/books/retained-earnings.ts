import { addAmounts, isZero, subtractAmounts } from '../money.js';
import { accounts, type Chart, isEarned, nameIn } from './chart.js';

/** What a ledger shows of an account and asset under the chart's name; signed decimal strings. */
export interface NamedTotal {
  name: string;
  assetCode: string;
  opening: string;
  closing: string;
}

export interface Held {
  account: string;
  assetCode: string;
  amount: string;
}

/** What moves to retained earnings at a year's end: all that the accounts of the income statement held then. */
export function retainedOf(held: readonly Held[], chart: Chart): Held[] {
  return held.filter(({ account, amount }) => isEarned(chart, account) && !isZero(amount));
}

/**
 * A month's totals by the chart's names, in the order given. `heldBefore`: what each account held when the fiscal year began; what
 * was earned of it stands in retained earnings.
 */
export function namedTotals(
  totals: readonly { account: string; assetCode: string; opening: string; closing: string }[],
  heldBefore: readonly Held[],
  chart: Chart,
): NamedTotal[] {
  const named = new Map<string, NamedTotal>();
  const add = (account: string, { assetCode, opening, closing }: Omit<NamedTotal, 'name'>) => {
    const name = nameIn(chart, account);
    const key = JSON.stringify([name, assetCode]);
    const known = named.get(key) ?? { name, assetCode, opening: '0', closing: '0' };
    const sums = { opening: addAmounts(known.opening, opening), closing: addAmounts(known.closing, closing) };
    named.set(key, { ...known, ...sums });
  };
  for (const total of totals) add(total.account, total);
  for (const { account, assetCode, amount } of retainedOf(heldBefore, chart)) {
    const taken = subtractAmounts('0', amount);
    add(account, { assetCode, opening: taken, closing: taken });
    add(accounts.retained, { assetCode, opening: amount, closing: amount });
  }
  return [...named.values()];
}
