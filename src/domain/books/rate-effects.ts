import { grouped } from '../grouped.js';
import { counted } from '../in-words.js';
import { compareAmounts } from '../money.js';
import { type Chart, nameIn } from './chart.js';
import { fiatReport, negatedValue, roundedValue, sumExactValues } from './fiat-report.js';
import { incomeStatement } from './income-statement.js';
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

type Values = Parameters<typeof incomeStatement>[0];

interface Books {
  currency: string;
  chart: Pick<Chart, 'accounts' | 'fiscalYearEnd'>;
}

/** Of the months that are worth something else now, the oldest first. */
export function rateEffects(before: Values, after: Values, books: Books): RateEffect[] {
  const months = [...new Set(after.map(({ month }) => month))].sort();
  return months.flatMap((month): RateEffect[] => {
    const [was, is] = [before, after].map((values) => reportOf(values, month, books));
    if (was === undefined || is === undefined) return [];
    const changeOf = (of: keyof typeof is): Change => {
      const difference = sumExactValues([is[of], negatedValue(was[of])]);
      return { before: was[of], after: is[of], difference: roundedValue(difference, books.currency) };
    };
    const effect = { month, income: changeOf('income'), expenses: changeOf('expenses'), assets: changeOf('assets') };
    return roots.some((of) => was[of] !== is[of]) ? [effect] : [];
  });
}

const roots = ['income', 'expenses', 'assets'] as const;

/** As the files of the month have it: each account of the chart rounded once. */
function reportOf(values: Values, month: string, { currency, chart }: Books): Record<(typeof roots)[number], string> {
  const { income, expenses } = incomeStatement(values, { month, currency, chart }).totals;
  const named = values.flatMap((one) => (one.month === month ? { ...one, account: nameIn(chart, one.account) } : []));
  const assets = fiatReport(named, currency).accounts.filter(({ account }) => account.startsWith('assets:'));
  const moved = sumExactValues(assets.map(({ value }) => value));
  return { income: income.month, expenses: expenses.month, assets: roundedValue(moved, currency) };
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
