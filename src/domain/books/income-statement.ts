import { counted, words } from '../in-words.js';
import { carriedReport } from './carried-report.js';
import { type Chart, nameIn } from './chart.js';
import { negatedValue, roundedValue, sumExactValues } from './fiat-report.js';
import { fiscalYearStart } from './posting-month.js';

/** In the currency's own decimals. */
interface Sums {
  month: string;
  /** From the first month of the fiscal year to this one. */
  year: string;
}

/** What a month and its fiscal year so far earned. Income is positive, and so are expenses; refunds are income less. */
export interface IncomeStatement {
  /** YYYY-MM: the first month of the fiscal year. */
  from: string;
  income: (Sums & { name: string })[];
  expenses: (Sums & { name: string })[];
  totals: Record<'income' | 'expenses' | 'result', Sums>;
  /** Lines of the year that have no rate: they are in no sum. */
  unpriced: number;
}

/**
 * Of what accounts come to by month, under the chart's names: those whose root it is. Each month is rounded once an account, as in its
 * files, and a year is what its months come to. What rounding leaves over is no income.
 */
export function incomeStatement(
  values: Parameters<typeof carriedReport>[0],
  { month, currency, chart }: { month: string; currency: string; chart: Pick<Chart, 'accounts' | 'fiscalYearEnd'> },
): IncomeStatement {
  const from = fiscalYearStart(month, chart.fiscalYearEnd);
  const named = values
    .map((one) => ({ ...one, account: nameIn(chart, one.account) }))
    .filter((one) => one.month >= from && /^(income|expenses):/.test(one.account));
  const { accounts, closing } = carriedReport(named, month, currency);
  const rowsOf = (root: string, sign: (value: string) => string) =>
    accounts
      .filter(({ account }) => account.startsWith(`${root}:`))
      .map((one) => ({ name: one.account, month: sign(one.value), year: sign(one.closing) }));
  const income = rowsOf('income', (value) => roundedValue(negatedValue(value), currency));
  const expenses = rowsOf('expenses', (value) => value);
  const sumOf = (rows: readonly Sums[]): Sums => ({
    month: sum(rows.map((row) => row.month)),
    year: sum(rows.map((row) => row.year)),
  });
  const sum = (some: readonly string[]) => roundedValue(sumExactValues(some), currency);
  const [earned, spent] = [sumOf(income), sumOf(expenses)];
  const result = {
    month: sum([earned.month, negatedValue(spent.month)]),
    year: sum([earned.year, negatedValue(spent.year)]),
  };
  return { from, income, expenses, totals: { income: earned, expenses: spent, result }, unpriced: closing.unpriced };
}

/** Line by line, with the totals. */
export function statementRows({
  income,
  expenses,
  totals,
}: IncomeStatement): (Sums & { name: string; isTotal: boolean })[] {
  const line = (row: Sums & { name: string }) => ({ ...row, isTotal: false });
  return [
    ...income.map(line),
    { name: 'Income', ...totals.income, isTotal: true },
    ...expenses.map(line),
    { name: 'Expenses', ...totals.expenses, isTotal: true },
    { name: 'Result', ...totals.result, isTotal: true },
  ];
}

/** Income of a month from payments with a break that is not closed. */
export interface DoubtedIncome {
  /** Of the breaks; null: of all kinds together, each payment once. */
  kind: string | null;
  breaks: number;
  payments: number;
  /** Unrounded. */
  value: string;
  /** Lines without a rate: they are in no value. */
  unpriced: number;
}

/** In a sentence, for who signs the month; null: no break that is open is about income. */
export function doubtedIncomeText([all, ...kinds]: readonly DoubtedIncome[], currency: string): string | null {
  if (all === undefined) return null;
  const worth = ({ value }: DoubtedIncome) => `${roundedValue(value, currency)} ${currency}`;
  const each = kinds.map((one) => `${words(one.kind ?? '')} ${worth(one)} of ${counted(one.payments, 'payment')}`);
  const without = all.unpriced === 0 ? '' : `; ${counted(all.unpriced, 'line')} without a rate left out`;
  return `${worth(all)} of the income is from payments with an open break: ${each.join(', ')}${without}.`;
}
