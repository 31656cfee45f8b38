import { z } from 'zod';

/** What entries are posted to, under names that are kept: a chart of the merchant's own renames them only where books are shown. */
export const accounts = {
  operating: 'assets:operating',
  subWallets: 'assets:sub-wallets',
  payoutsInTransit: 'assets:in-transit:payouts',
  held: 'assets:held:disputes',
  payments: 'income:payments',
  refunds: 'income:refunds',
  fromSubWallets: 'income:sub-wallets',
  transferFees: 'income:fees:transfers',
  serviceFees: 'expenses:fees:service',
  networkFees: 'expenses:fees:network',
  toSubWallets: 'expenses:sub-wallets',
  disputes: 'liabilities:disputes',
  customers: 'liabilities:customers',
  closedWallets: 'liabilities:closed-wallets',
  opening: 'equity:opening',
  unobservable: 'equity:unobservable',
  conversion: 'equity:conversion',
  deposits: 'equity:deposits',
  transfers: 'equity:transfers',
  withdrawals: 'equity:withdrawals',
  /** What finance attributes, and of which no record of the service says more. */
  attributedAssets: 'assets:attributed',
  attributedEquity: 'equity:attributed',
  attributedExpenses: 'expenses:attributed',
  attributedIncome: 'income:attributed',
  attributedLiabilities: 'liabilities:attributed',
  /** Exports alone have these two: nothing is posted to them. */
  retained: 'equity:retained-earnings',
  rounding: 'expenses:rounding',
} as const;

export type Account = (typeof accounts)[keyof typeof accounts];

/** What an attribution may stand against, and what that says of it. */
export const contraAccounts = {
  [accounts.unobservable]: 'it is not known what it was',
  [accounts.attributedEquity]: 'capital, and other funds of the owners',
  [accounts.deposits]: 'a deposit of your own',
  [accounts.withdrawals]: 'a payout',
  [accounts.transfers]: 'a transfer from or to another merchant',
  [accounts.conversion]: 'a settlement to the bank',
  [accounts.attributedIncome]: 'income',
  [accounts.attributedExpenses]: 'an expense',
  [accounts.attributedLiabilities]: 'owed to somebody, such as money whose owner is not known',
  [accounts.attributedAssets]: 'owed by somebody, or on a clearing account of yours',
} as const;
export type ContraAccount = keyof typeof contraAccounts;
export const contraNames = Object.keys(contraAccounts) as [ContraAccount, ...ContraAccount[]];

/** Below these stands one account for each sub-wallet. */
const perSubWallet: readonly string[] = [accounts.subWallets, accounts.customers];
const known: readonly string[] = Object.values(accounts);
/** May go by a name that another account has: only ledgers have them, which add up what has one name. */
const ofExports: readonly string[] = [accounts.retained, accounts.rounding];

const name = z
  .string()
  .regex(
    /^(assets|liabilities|equity|income|expenses)(:[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+$/,
    'an account such as assets:crypto:operating: a root, then parts of letters, digits and hyphens',
  );

const account = z.enum(known as [Account, ...Account[]]);
const number = z.string().regex(/^[1-9]\d{3,7}$/, 'an account number of 4 to 8 digits, as a string');

/** What a posting batch of DATEV asks for: who books, for whom, and a number for each of our accounts. */
const datevSchema = z
  .strictObject({
    consultant: z.int().min(1_001).max(9_999_999),
    client: z.int().min(1).max(99_999),
    /** What has no number of its own is booked on this. */
    other: number,
    accounts: z.partialRecord(account, number).default({}),
  })
  .superRefine(({ other, accounts: given }, context) => {
    for (const [ours, theirs] of Object.entries(given)) {
      const message = `a number of as many digits as that of other, ${other.length}`;
      if (theirs.length !== other.length) context.addIssue({ code: 'custom', path: ['accounts', ours], message });
    }
  });

export type DatevChart = z.output<typeof datevSchema>;

/** A merchant's names for our accounts, under any root; an account that is not named keeps its own name. */
export const chartSchema = z
  .strictObject({
    accounts: z.partialRecord(account, name).default({}),
    /** The last month of a fiscal year: after it, what was earned is in retained earnings. */
    fiscalYearEnd: z.int().min(1).max(12).default(12),
    datev: datevSchema.optional(),
  })
  .superRefine(({ accounts: given }, context) => {
    for (const [ours, theirs] of Object.entries(given)) {
      const path = ['accounts', ours];
      const isPerSubWallet = perSubWallet.includes(ours);
      const clashes = known.some((other) => {
        if (other === ours || ofExports.includes(other) || ofExports.includes(ours)) return false;
        const called = beancountName(given[other as Account] ?? other);
        return called === beancountName(theirs) || (isPerSubWallet && called.startsWith(`${beancountName(theirs)}:`));
      });
      if (clashes) context.addIssue({ code: 'custom', path, message: 'a name that no other account has' });
    }
  });

export type Chart = z.output<typeof chartSchema>;

type Named = Pick<Chart, 'accounts'>;

export const defaultChart: Chart = chartSchema.parse({});

/** The account of one sub-wallet, whatever characters its id has: no two ids have one account. */
export function subWalletAccount(parent: typeof accounts.subWallets | typeof accounts.customers, id: string): string {
  return `${parent}:${encodedId(id)}`;
}

const parentOf = (account: string) => perSubWallet.find((one) => account.startsWith(`${one}:`));

export const isPerSubWallet = (account: string): boolean => parentOf(account) !== undefined;

export function nameIn(chart: Named, account: string): string {
  const parent = parentOf(account);
  if (parent === undefined) return chart.accounts[account as Account] ?? account;
  return `${chart.accounts[parent as Account] ?? parent}${account.slice(parent.length)}`;
}

/** Whether an account is of the income statement, where the chart has it: what it holds is of a year. */
export const isEarned = (chart: Named, account: string): boolean => /^(income|expenses):/.test(nameIn(chart, account));

/** What a chart says of an account by another root than ours; null: the same root. */
export function rootChange(chart: Named, account: string): string | null {
  const [ours = '', theirs = ''] = [account, nameIn(chart, account)].map((one) => one.split(':')[0]);
  if (ours === theirs) return null;
  const place = (root: string) => (root === 'income' || root === 'expenses' ? 'income statement' : 'balance sheet');
  const moved =
    place(ours) === place(theirs) ? 'on the same statement' : `from the ${place(ours)} to the ${place(theirs)}`;
  return `${ours} to ${theirs}: ${moved}`;
}

/** By number: the account itself, that of which it is one sub-wallet's, or the one for all others. */
export const numberIn = (datev: DatevChart, account: string): string => ownNumberIn(datev, account) ?? datev.other;

/** Null: the chart gives it none. */
export function ownNumberIn({ accounts: given }: DatevChart, account: string): string | null {
  return given[(parentOf(account) ?? account) as Account] ?? null;
}

/** The accounts that a chart names, for who makes names of many. `isPerSubWallet`: what stands below one is called so as well. */
export function namedAccounts(chart: Named): { account: string; name: string; isPerSubWallet: boolean }[] {
  return Object.entries(chart.accounts).map(([account, name]) => ({
    account,
    name,
    isPerSubWallet: perSubWallet.includes(account),
  }));
}

/** The same name as beancount writes it: each part begins with a capital or a digit. No two accounts of a chart become one. */
export function beancountName(name: string): string {
  return name
    .split(':')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(':');
}

/**
 * `-u<hex>-` stands for a character that an account can't have, and for the hyphen of a `-u` of the id's own. Where it begins with
 * a capital, which beancount would not distinguish from a small letter, or its ends are not letters or digits, as every program asks for,
 * it is put between `w-u-` and `-w`, which no other id begins with.
 */
function encodedId(id: string): string {
  const encoded = id.replaceAll(/-(?=u)|[^A-Za-z0-9-]/gu, (char) => `-u${(char.codePointAt(0) ?? 0).toString(16)}-`);
  return /^[a-z0-9](.*[A-Za-z0-9])?$/s.test(encoded) ? encoded : `w-u-${encoded}-w`;
}
