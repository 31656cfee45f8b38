import { accounts, beancountName, nameIn } from '../../domain/books/chart.js';
import { beancountCommodity, hledgerCommodity } from '../../domain/books/commodities.js';
import { currencyDecimals } from '../../domain/books/fiat-report.js';
import { dayBefore, firstDayAfter, fiscalYearStart, lastDayOf } from '../../domain/books/posting-month.js';
import { type Held, namedTotals, retainedOf } from '../../domain/books/retained-earnings.js';
import { isZero, negated, subtractAmounts } from '../../domain/money.js';
import { accountTotals, firstMonths, keptTotals } from '../../records/books/account-totals.js';
import { type DayRate, dayRates } from '../../records/books/entry-rates.js';
import { entriesOfMonth, type LedgerEntry, type LedgerLine } from '../../records/books/month-entries.js';
import type { ExportFile, MonthBooks } from './month-tables.js';

/** How a program writes the parts of a ledger. */
interface Dialect {
  ending: string;
  indent: string;
  /** Whether an account or commodity may be declared once only in files that are read together. */
  declaresOnce: boolean;
  head: (books: MonthBooks) => string;
  name: (account: string) => string;
  commodity: (assetCode: string) => string;
  asset: (assetCode: string, day: string) => string;
  /** What prices are in. */
  currency: (currency: string) => string;
  account: (name: string, day: string) => string;
  price: (day: string, commodity: string, price: string) => string;
  openings: (day: string) => string;
  retained: (day: string) => string;
  entry: (entry: LedgerEntry) => string;
  tag: (name: string, value: string) => string;
  /** What stands before the balances at the end of the month. */
  balances: (month: string, isAny: boolean) => string;
  balance: (month: string, held: { name: string; amount: string; commodity: string }) => string;
}

const hledger: Dialect = {
  ending: 'journal',
  indent: '    ',
  declaresOnce: false,
  head: (books) => `${titleOf(books)}decimal-mark .\n`,
  name: (account) => account,
  commodity: hledgerCommodity,
  asset: (assetCode) => `commodity 1000.000000000000000000 ${hledgerCommodity(assetCode)}\n`,
  currency: (code) => `commodity 1000.${'0'.repeat(currencyDecimals(code))} ${hledgerCommodity(code)}\n`,
  account: (name) => `account ${name}\n`,
  price: (day, commodity, price) => `P ${day} ${commodity} ${price}\n`,
  openings: (day) => `\n${day} opening balances\n`,
  retained: (day) => `\n${day} retained earnings  ; retain:\n`,
  entry: ({ date, id, description }) => `\n${date} (${id}) ${plainWords(description)}\n`,
  tag: (name, value) => `    ; ${name}: ${value}\n`,
  balances: (month, isAny) => (isAny ? `\n${lastDayOf(month)} balances at the end of the month\n` : ''),
  balance: (_, { name, amount, commodity }) => `    ${name}  0 ${commodity} = ${amount} ${commodity}\n`,
};

const beancount: Dialect = {
  ending: 'beancount',
  indent: '  ',
  declaresOnce: true,
  head: (books) =>
    `${titleOf(books)}option "title" "${books.month}"\noption "operating_currency" "${books.currency}"\n`,
  name: beancountName,
  commodity: beancountCommodity,
  asset: (assetCode, day) => `${day} commodity ${beancountCommodity(assetCode)}\n  asset: "${plainWords(assetCode)}"\n`,
  currency: () => '',
  account: (name, day) => `${day} open ${name}\n`,
  price: (day, commodity, price) => `${day} price ${commodity}  ${price}\n`,
  openings: (day) => `\n${day} * "opening balances"\n`,
  retained: (day) => `\n${day} * "retained earnings" #retain\n`,
  entry: ({ date, description }) => `\n${date} * "${plainWords(description)}"\n`,
  tag: (name, value) => `  ${name}: "${value}"\n`,
  balances: () => '\n',
  // Exact: without the tolerance it would be twice the last digit's.
  balance: (month, { name, amount, commodity }) =>
    `${firstDayAfter(month)} balance ${name}  ${amount} ~ 0 ${commodity}\n`,
};

/** Comments: the month, how final it is, and why. */
function titleOf({ month, standing: { state, notes } }: MonthBooks): string {
  return [`Tallyhook, ${month}: ${state}`, ...notes.map(plainWords)].map((line) => `; ${line}\n`).join('');
}

export const hledgerFiles = (books: MonthBooks): ExportFile[] => ledgerFiles(books, hledger);
export const beancountFiles = (books: MonthBooks): ExportFile[] => ledgerFiles(books, beancount);

type DayRates = () => Promise<DayRate[]>;

/** A ledger that stands alone, and the month's activity for who reads months together. */
function ledgerFiles(books: MonthBooks, given: Dialect): ExportFile[] {
  // Many lines are of few accounts and assets.
  const dialect = { ...given, name: remembering(given.name), commodity: remembering(given.commodity) };
  let known: Promise<DayRate[]> | undefined;
  // Read once for both.
  const rates = () => (known ??= dayRates(books.trx, books.month, books.currency));
  return [
    { name: `${books.month}.${dialect.ending}`, content: ledger(books, dialect, rates) },
    { name: `${books.month}-activity.${dialect.ending}`, content: activity(books, dialect, rates) },
  ];
}

/** The same, each answer made once. */
function remembering(of: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const answer = known.get(text) ?? of(text);
    known.set(text, answer);
    return answer;
  };
}

/** Opening balances on the day before the month, its entries, and what each account must hold after it. */
async function* ledger(books: MonthBooks, dialect: Dialect, rates: DayRates): AsyncGenerator<string> {
  const { trx, month, chart } = books;
  const { commodity } = dialect;
  const posting = postingOf(dialect);
  const before = dayBefore(`${month}-01`);
  const year = fiscalYearStart(month, chart.fiscalYearEnd);
  const totals = namedTotals(await accountTotals(trx, month), await heldBefore(trx, year), chart);
  const assets = [...new Set(totals.map(({ assetCode }) => assetCode))];
  yield dialect.head(books);
  for (const asset of assets) yield dialect.asset(asset, before);
  for (const name of new Set(totals.map((total) => total.name))) yield dialect.account(dialect.name(name), before);
  yield prices(await rates(), dialect, { assets, currency: books.currency });
  const opened = totals.filter(({ opening }) => !isZero(opening));
  if (opened.length > 0) yield dialect.openings(before);
  for (const { name, assetCode, opening } of opened) yield posting(name, opening, assetCode);
  yield* entriesIn(books, dialect);
  yield dialect.balances(month, totals.length > 0);
  for (const { name, assetCode, closing: amount } of totals)
    yield dialect.balance(month, { name: dialect.name(name), amount, commodity: commodity(assetCode) });
}

/** The month's entries alone. In the first month of a fiscal year, on the day before: what the last one earned. */
async function* activity(books: MonthBooks, dialect: Dialect, rates: DayRates): AsyncGenerator<string> {
  const { trx, month, chart } = books;
  const before = dayBefore(`${month}-01`);
  const known = (await firstMonths(trx)).filter((one) => one.month <= month);
  const declared = dialect.declaresOnce ? newIn(known, month, chart) : newIn(known, null, chart);
  yield dialect.head(books);
  yield '; Activity alone: read it together with that of the months before it.\n';
  for (const asset of declared.assets) yield dialect.asset(asset, before);
  for (const name of declared.names) yield dialect.account(dialect.name(name), before);
  const assets = [...new Set(known.map(({ assetCode }) => assetCode))];
  yield prices(await rates(), dialect, { assets, currency: books.currency });
  if (month === fiscalYearStart(month, chart.fiscalYearEnd)) yield await retention(books, dialect);
  yield* entriesIn(books, dialect);
}

/** Names of assets and accounts that no month before `month` has; null: all. Retained earnings are of the first month. */
function newIn(known: Awaited<ReturnType<typeof firstMonths>>, month: string | null, chart: MonthBooks['chart']) {
  const before = known.filter((one) => month !== null && one.month < month);
  const left = (of: (one: (typeof known)[number]) => string, own: string[]) => {
    const taken = new Set(before.map(of));
    return [...new Set([...known.map(of), ...own])].filter((one) => !taken.has(one));
  };
  const retained = before.length === 0 ? [nameIn(chart, accounts.retained)] : [];
  return {
    assets: left(({ assetCode }) => assetCode, []),
    names: left(({ account }) => nameIn(chart, account), retained),
  };
}

/** What was earned in the fiscal year before this month, moved to retained earnings. */
async function retention({ trx, month, chart }: MonthBooks, dialect: Dialect): Promise<string> {
  const posting = postingOf(dialect);
  const lastYear = `${String(Number(month.slice(0, 4)) - 1).padStart(4, '0')}${month.slice(4)}`;
  const keyOf = ({ account, assetCode }: Held) => JSON.stringify([account, assetCode]);
  const had = new Map((await heldBefore(trx, lastYear)).map((one) => [keyOf(one), one.amount]));
  const gained = (await heldBefore(trx, month)).map((one) => ({
    ...one,
    amount: subtractAmounts(one.amount, had.get(keyOf(one)) ?? '0'),
  }));
  const earned = retainedOf(gained, chart);
  if (earned.length === 0) return '';
  const lines = earned.map(
    ({ account, assetCode, amount }) =>
      posting(nameIn(chart, account), negated(amount), assetCode) +
      posting(nameIn(chart, accounts.retained), amount, assetCode),
  );
  return [dialect.retained(dayBefore(`${month}-01`)), ...lines].join('');
}

/** What each account held when a month began. */
async function heldBefore(trx: MonthBooks['trx'], month: string): Promise<Held[]> {
  const totals = await keptTotals(trx, month);
  return totals.map(({ account, assetCode, opening: amount }) => ({ account, assetCode, amount }));
}

const postingOf =
  ({ indent, name, commodity }: Dialect) =>
  (account: string, amount: string, assetCode: string): string =>
    `${indent}${name(account)}  ${amount} ${commodity(assetCode)}\n`;

/** What an asset was worth on the days on which that is known. */
function prices(
  rates: readonly DayRate[],
  { commodity, price, currency: declared }: Dialect,
  { assets, currency }: { assets: readonly string[]; currency: string },
): string {
  const lines = rates
    .filter(({ assetCode }) => assets.includes(assetCode))
    .map(({ date, assetCode, rate }) => price(date, commodity(assetCode), `${rate} ${commodity(currency)}`));
  return lines.length === 0 ? '' : [assets.includes(currency) ? '' : declared(currency), ...lines].join('');
}

async function* entriesIn({ trx, month, chart }: MonthBooks, dialect: Dialect): AsyncGenerator<string> {
  const posting = postingOf(dialect);
  const { indent, commodity } = dialect;
  const lineOf = ({ account, amount, assetCode, memo }: LedgerLine) => {
    const name = nameIn(chart, account);
    return memo
      ? `${indent}; memo: ${dialect.name(name)} ${amount} ${commodity(assetCode)}\n`
      : posting(name, amount, assetCode);
  };
  const textOf = (entry: LedgerEntry) =>
    dialect.entry(entry) + entryTags(entry, dialect) + entry.lines.map(lineOf).join('');
  for await (const entries of entriesOfMonth(trx, month)) yield entries.map(textOf).join('');
}

/** Most texts, which stay as they are. */
const PLAIN_WORDS = /^[\w.:@-]+(?: [\w.:@-]+)*$/;

/** A text of others in one line of a journal: nothing in it ends the line, begins a comment or closes a string. */
function plainWords(text: string): string {
  if (PLAIN_WORDS.test(text)) return text;
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(/[";|\\]/g, '_')
    .trim();
}

/** What an entry is about, for those who look it up here. */
function entryTags(entry: LedgerEntry, { tag }: Dialect): string {
  const { id, recordKind, recordId, at, adjusts, reverses, corrects } = entry;
  const optional = (name: string, value: string | null) => (value === null ? '' : tag(name, plainWords(value)));
  const own = tag('entry', id) + tag('record', plainWords(`${recordKind} ${recordId}`)) + tag('at', at);
  return own + optional('adjusts', adjusts) + optional('reverses', reverses) + optional('corrects', corrects);
}
