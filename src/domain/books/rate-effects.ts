import { grouped } from '../grouped.js';
import { counted } from '../in-words.js';
import { compareAmounts } from '../money.js';
import { negatedValue, roundedValue, sumExactValues } from './fiat-report.js';
import type { GivenRate } from './rates-file.js';

/** In the currency's own decimals. */
interface Change {
  before: string;
  after: string;
  difference: string;
}

/** What rates make of a month: of what it earned and spent, and of what it moved on accounts of assets. Income is positive. */
export interface RateEffect {
  /** YYYY-MM. */
  month: string;
  income: Change;
  expenses: Change;
  assets: Change;
}

/** Of what accounts come to in a month; `value`: exact, null where no line has a rate. */
type Values = readonly { month: string; account: string; value: string | null }[];

/** Of the months that are worth something else now, the oldest first. */
export function rateEffects(before: Values, after: Values, currency: string): RateEffect[] {
  const [old, own] = [before, after].map((values) => grouped(values, ({ month }) => month));
  return [...(own?.keys() ?? [])].sort().flatMap((month): RateEffect[] => {
    const changeOf = (root: string) => changed(old?.get(month) ?? [], own?.get(month) ?? [], root, currency);
    const effect = { month, income: changeOf('income'), expenses: changeOf('expenses'), assets: changeOf('assets') };
    const isNone = [effect.income, effect.expenses, effect.assets].every(({ before: was, after: is }) => was === is);
    return isNone ? [] : [effect];
  });
}

function changed(before: Values, after: Values, root: string, currency: string): Change {
  const [was, is] = [before, after].map((values) => {
    const sum = sumExactValues(
      values.flatMap(({ account, value }) => (account.startsWith(`${root}:`) ? (value ?? []) : [])),
    );
    return roundedValue(root === 'income' ? negatedValue(sum) : sum, currency);
  });
  const difference = sumExactValues([is ?? '0', negatedValue(was ?? '0')]);
  return { before: was ?? '0', after: is ?? '0', difference: roundedValue(difference, currency) };
}

/** `In 2026-10 income would be 48020.62 EUR (+12.50), …`. */
export function effectWords({ month, ...effect }: RateEffect, currency: string): string {
  const of = (name: string, { after, difference }: Change) =>
    `${name} ${after} ${currency} (${difference.startsWith('-') ? '' : '+'}${difference})`;
  const { income, expenses, assets } = effect;
  return `In ${month} would be ${of('income', income)}, ${of('expenses', expenses)}, ${of('what moved on assets', assets)}.`;
}

/** `BTC: 31 rates of 2026-10-01 to 2026-10-31, from 48000 to 52000 EUR`, of each asset in the order of the rates. */
export function ratesByAsset(rates: readonly GivenRate[]): string[] {
  return [...grouped(rates, ({ assetCode }) => assetCode)].map(([assetCode, own]) => {
    const days = own.map(({ date }) => date).sort();
    const sorted = own.map(({ rate }) => rate).sort(compareAmounts);
    const [from, to, low, high] = [days[0], days.at(-1), sorted[0], sorted.at(-1)];
    const span = from === to ? from : `${from} to ${to}`;
    return `${assetCode}: ${counted(own.length, 'rate')} of ${span}, ${low === high ? low : `from ${low} to ${high}`} ${own[0]?.currency}`;
  });
}
