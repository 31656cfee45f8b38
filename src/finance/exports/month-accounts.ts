import type { Knex } from 'knex';
import { type CarriedReport, carriedReport } from '../../domain/books/carried-report.js';
import { type Chart, nameIn } from '../../domain/books/chart.js';
import { chooseRate } from '../../domain/books/choose-rate.js';
import { exactValue, negatedValue, sumExactValues } from '../../domain/books/fiat-report.js';
import { type IncomeStatement, incomeStatement } from '../../domain/books/income-statement.js';
import { firstDayAfter, lastDayOf, startOfDay } from '../../domain/books/posting-month.js';
import { isZero } from '../../domain/money.js';
import type { AccountWorth, MonthAccounts } from '../../domain/views/books-shapes.js';
import { monthTotals, type TotalWorth, valuesUntil } from '../../records/books/account-totals.js';
import { ratesKnown } from '../../records/books/entry-rates.js';
import type { MonthBooks } from './month-tables.js';

/** A month (YYYY-MM) of the books, and the currency that values are in. */
type Asked = Pick<MonthBooks, 'month' | 'currency' | 'timeZone'>;

interface Wanted {
  account?: string | undefined;
  assetCode?: string | undefined;
}

/** More would be no page: with many sub-wallets, an account is asked for by its name. */
const MOST_ROWS = 200;

/** What each account opened and closed a month with, in units and in money; for people, and who asks for one account. */
export async function monthAccounts(db: Knex, asked: Asked, wanted: Wanted = {}): Promise<MonthAccounts> {
  const { month, currency } = asked;
  const { totals, more } = await monthTotals(db, asked, { ...wanted, most: MOST_ROWS });
  const isPart = more || wanted.assetCode !== undefined;
  const own = wanted.account === undefined ? null : [wanted.account];
  const values = isPart ? null : carriedReport(await valuesUntil(db, month, currency, own), month, currency);
  return { month, currency, accounts: await worthOf(db, totals, asked), more, values };
}

/** Of all accounts, for files. */
export async function allAccounts(db: Knex, asked: Asked): Promise<AccountWorth[]> {
  return worthOf(db, (await monthTotals(db, asked)).totals, asked);
}

/** What a month’s lines were worth at their own rates, by account, beside what it opened and closed with. Memos count nowhere. */
export async function monthValues(db: Knex, { month, currency }: Asked, chart: Chart): Promise<CarriedReport> {
  const values = await valuesUntil(db, month, currency);
  const named = values.map((one) => ({ ...one, account: nameIn(chart, one.account) }));
  return carriedReport(named, month, currency);
}

/** What a month and its fiscal year so far earned, as the files of their months have it. */
export async function monthIncome(
  db: Knex,
  { month, currency }: Pick<Asked, 'month' | 'currency'>,
  chart: Chart,
): Promise<IncomeStatement> {
  return incomeStatement(await valuesUntil(db, month, currency), { month, currency, chart });
}

/** What is held and owed has a price at the month's end; what was earned has none but its own. */
const isHeld = ({ account }: TotalWorth): boolean => /^(assets|liabilities):/.test(account);

async function worthOf(db: Knex, totals: readonly TotalWorth[], asked: Asked): Promise<AccountWorth[]> {
  const assets = [...new Set(totals.filter(isHeld).map(({ assetCode }) => assetCode))];
  const rates = await endRates(db, assets, asked);
  return totals.map((total) => {
    const endRate = isHeld(total) ? (rates.get(total.assetCode) ?? null) : null;
    // What is not there is worth nothing at any rate.
    const isGone = isHeld(total) && isZero(total.closing);
    if (endRate === null && !isGone) return { ...total, endRate, endValue: null, rateDifference: null };
    const endValue = endRate === null ? '0' : exactValue(total.closing, endRate);
    return {
      ...total,
      endRate,
      endValue,
      rateDifference: sumExactValues([endValue, negatedValue(total.closingValue)]),
    };
  });
}

/** What one unit of each was worth on the month's last day, by the same choice as an entry's. */
async function endRates(
  db: Knex,
  assets: readonly string[],
  { month, currency, timeZone }: Asked,
): Promise<Map<string, string | null>> {
  const at = startOfDay(timeZone, firstDayAfter(month)) - 1;
  // The last month of all, 9999-12, has no end.
  if (Number.isNaN(at)) return new Map();
  const wanted = assets.map((assetCode) => ({ assetCode, date: lastDayOf(month), at }));
  const known = await ratesKnown(db, wanted, currency);
  return new Map(
    wanted.map(({ assetCode }, n) => {
      const { file, service } = known[n] ?? { file: null, service: null };
      return [assetCode, chooseRate({ assetCode, currency, at, file, payment: null, service }).rate];
    }),
  );
}
