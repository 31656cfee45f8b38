import { beancountName, nameIn } from '../../domain/books/chart.js';
import { beancountCommodity, hledgerCommodity } from '../../domain/books/commodities.js';
import { firstDayAfter, lastDayOf } from '../../domain/books/posting-month.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { entriesOfMonth, type LedgerEntry, type LedgerLine } from '../../records/books/month-entries.js';
import type { ExportFile, MonthBooks } from './month-tables.js';

/** How a program writes the parts of a ledger. */
interface Dialect {
  ending: string;
  indent: string;
  head: (books: MonthBooks) => string;
  name: (account: string) => string;
  commodity: (assetCode: string) => string;
  asset: (assetCode: string, first: string) => string;
  account: (name: string, first: string) => string;
  openings: (first: string) => string;
  entry: (entry: LedgerEntry) => string;
  tag: (name: string, value: string) => string;
  /** What stands before the balances at the end of the month. */
  balances: (month: string, isAny: boolean) => string;
  balance: (month: string, held: { name: string; amount: string; commodity: string }) => string;
}

const hledger: Dialect = {
  ending: 'journal',
  indent: '    ',
  head: (books) => `${titleOf(books)}decimal-mark .\n`,
  name: (account) => account,
  commodity: hledgerCommodity,
  asset: (assetCode) => `commodity 1000.000000000000000000 ${hledgerCommodity(assetCode)}\n`,
  account: (name) => `account ${name}\n`,
  openings: (first) => `\n${first} opening balances\n`,
  entry: ({ date, id, description }) => `\n${date} (${id}) ${plainWords(description)}\n`,
  tag: (name, value) => `    ; ${name}: ${value}\n`,
  balances: (month, isAny) => (isAny ? `\n${lastDayOf(month)} balances at the end of the month\n` : ''),
  balance: (_, { name, amount, commodity }) => `    ${name}  0 ${commodity} = ${amount} ${commodity}\n`,
};

const beancount: Dialect = {
  ending: 'beancount',
  indent: '  ',
  head: (books) =>
    `${titleOf(books)}option "title" "${books.month}"\noption "operating_currency" "${books.currency}"\n`,
  name: beancountName,
  commodity: beancountCommodity,
  asset: (assetCode, first) =>
    `${first} commodity ${beancountCommodity(assetCode)}\n  asset: "${plainWords(assetCode)}"\n`,
  account: (name, first) => `${first} open ${name}\n`,
  openings: (first) => `\n${first} * "opening balances"\n`,
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

export const hledgerFiles = (books: MonthBooks): ExportFile[] => [ledgerFile(books, hledger)];
export const beancountFiles = (books: MonthBooks): ExportFile[] => [ledgerFile(books, beancount)];

/** A ledger that stands alone: the month's opening balances, its entries, and what each account must hold after it. */
function ledgerFile(books: MonthBooks, dialect: Dialect): ExportFile {
  return { name: `${books.month}.${dialect.ending}`, content: ledger(books, dialect) };
}

async function* ledger(books: MonthBooks, dialect: Dialect): AsyncGenerator<string> {
  const { trx, month, chart } = books;
  const { commodity, indent } = dialect;
  const name = (account: string) => dialect.name(nameIn(chart, account));
  const posting = (account: string, amount: string, assetCode: string) =>
    `${indent}${name(account)}  ${amount} ${commodity(assetCode)}\n`;
  const lineOf = ({ account, amount, assetCode, memo }: LedgerLine) =>
    memo
      ? `${indent}; memo: ${name(account)} ${amount} ${commodity(assetCode)}\n`
      : posting(account, amount, assetCode);
  const first = `${month}-01`;
  const totals = await accountTotals(trx, month);
  yield dialect.head(books);
  for (const asset of new Set(totals.map(({ assetCode }) => assetCode))) yield dialect.asset(asset, first);
  for (const account of new Set(totals.map((total) => name(total.account)))) yield dialect.account(account, first);
  const opened = totals.filter(({ opening }) => opening !== '0');
  if (opened.length > 0) yield dialect.openings(first);
  for (const { account, assetCode, opening } of opened) yield posting(account, opening, assetCode);
  const textOf = (entry: LedgerEntry) =>
    [
      dialect.entry(entry),
      ...entryTags(entry).map(([tag, value]) => dialect.tag(tag, value)),
      ...entry.lines.map(lineOf),
    ].join('');
  for await (const entries of entriesOfMonth(trx, month)) yield entries.map(textOf).join('');
  yield dialect.balances(month, totals.length > 0);
  for (const { account, assetCode, closing: amount } of totals)
    yield dialect.balance(month, { name: name(account), amount, commodity: commodity(assetCode) });
}

/** A text of others in one line of a journal: nothing in it ends the line, begins a comment or closes a string. */
function plainWords(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(/[";|\\]/g, '_')
    .trim();
}

/** What an entry is about, for those who look it up here. */
function entryTags(entry: LedgerEntry): (readonly [string, string])[] {
  const { id, recordKind, recordId, at, adjusts, reverses, corrects } = entry;
  const tags = { entry: id, record: `${recordKind} ${recordId}`, at, adjusts, reverses, corrects };
  return Object.entries(tags).flatMap(([tag, value]) => (value === null ? [] : [[tag, plainWords(value)] as const]));
}
