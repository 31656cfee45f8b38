import { grouped } from '../grouped.js';
import { type FiatReport, fiatReport, roundedValue, sumExactValues } from './fiat-report.js';

/** What is added up of a report beside its accounts. */
type Rest = Omit<FiatReport, 'accounts'>;

/** The report of a month between what the months before it come to and what it ends with: in each row opening + value = closing. */
export interface CarriedReport extends Rest {
  /** In the order of their names; rounded. */
  accounts: { account: string; value: string; opening: string; closing: string }[];
  opening: Rest;
  closing: Rest;
}

/** What the lines of an account in a month were worth at their own rates. */
export interface MonthValue {
  /** YYYY-MM. */
  month: string;
  account: string;
  /** Exact; null: no line has a rate. */
  value: string | null;
  /** Lines without a rate of the currency; they are not in the value. */
  unpriced: number;
}

/**
 * The reports of all months until one, added up: a month opens with what those before it came to in money, each rounded by itself, and
 * so as the journals of these months are booked. A closing is the opening of the next month. At most half a unit of the last decimal
 * for each month lies between it and the exact sum.
 */
export function carriedReport(values: readonly MonthValue[], month: string, currency: string): CarriedReport {
  const months = grouped(
    values.filter((one) => one.month <= month),
    (one) => one.month,
  );
  const reports = [...months].map(([of, one]) => ({ of, ...fiatReport(one, currency) }));
  const opening = added(
    reports.filter(({ of }) => of < month),
    currency,
  );
  const own = added(
    reports.filter(({ of }) => of === month),
    currency,
  );
  const closing = added(reports, currency);
  const zero = roundedValue('0', currency);
  return {
    ...own.rest,
    accounts: [...closing.accounts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([account, end]) => ({
        account,
        value: own.accounts.get(account) ?? zero,
        opening: opening.accounts.get(account) ?? zero,
        closing: end,
      })),
    opening: opening.rest,
    closing: closing.rest,
  };
}

/** Its accounts, what rounding leaves over, and what all come to. */
export function rowsOfReport({ accounts, opening, closing, ...own }: CarriedReport) {
  const row = (name: string, of: (one: Rest) => string) => ({
    name,
    value: of(own),
    opening: of(opening),
    closing: of(closing),
  });
  return [
    ...accounts.map(({ account: name, ...values }) => ({ name, ...values })),
    row('(rounding)', ({ residual }) => residual),
    row('(total)', ({ total }) => total),
  ];
}

function added(reports: readonly FiatReport[], currency: string): { accounts: Map<string, string>; rest: Rest } {
  const sum = (values: readonly string[]) => roundedValue(sumExactValues(values), currency);
  const accounts = grouped(
    reports.flatMap((report) => report.accounts),
    ({ account }) => account,
  );
  return {
    accounts: new Map([...accounts].map(([account, own]) => [account, sum(own.map(({ value }) => value))])),
    rest: {
      residual: sum(reports.map(({ residual }) => residual)),
      total: sum(reports.map(({ total }) => total)),
      unpriced: reports.reduce((count, { unpriced }) => count + unpriced, 0),
    },
  };
}
