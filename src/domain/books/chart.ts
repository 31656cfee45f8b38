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
} as const;

export type Account = (typeof accounts)[keyof typeof accounts];

/** Below these stands one account for each sub-wallet. */
const perSubWallet: readonly string[] = [accounts.subWallets, accounts.customers];
const known: readonly string[] = Object.values(accounts);

const name = z
  .string()
  .regex(
    /^(assets|liabilities|equity|income|expenses)(:[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+$/,
    'an account such as assets:crypto:operating: a root, then parts of letters, digits and hyphens',
  );

/** A merchant's names for our accounts; an account that is not named keeps its own name. */
export const chartSchema = z
  .strictObject({ accounts: z.partialRecord(z.enum(known as [Account, ...Account[]]), name).default({}) })
  .superRefine(({ accounts: given }, context) => {
    for (const [ours, theirs] of Object.entries(given)) {
      const path = ['accounts', ours];
      if (theirs.split(':')[0] !== ours.split(':')[0])
        context.addIssue({ code: 'custom', path, message: 'an account under the same root as ours' });
      const isPerSubWallet = perSubWallet.includes(ours);
      const clashes = known.some((other) => {
        if (other === ours) return false;
        const called = beancountName(given[other as Account] ?? other);
        return called === beancountName(theirs) || (isPerSubWallet && called.startsWith(`${beancountName(theirs)}:`));
      });
      if (clashes) context.addIssue({ code: 'custom', path, message: 'a name that no other account has' });
    }
  });

export type Chart = z.output<typeof chartSchema>;

export const defaultChart: Chart = chartSchema.parse({});

/** The account of one sub-wallet, whatever characters its id has: no two ids have one account. */
export function subWalletAccount(parent: typeof accounts.subWallets | typeof accounts.customers, id: string): string {
  return `${parent}:${encodedId(id)}`;
}

export function nameIn(chart: Chart, account: string): string {
  const parent = perSubWallet.find((one) => account.startsWith(`${one}:`));
  if (parent === undefined) return chart.accounts[account as Account] ?? account;
  return `${chart.accounts[parent as Account] ?? parent}${account.slice(parent.length)}`;
}

/** The accounts that a chart names, for who makes names of many. `isPerSubWallet`: what stands below one is called so as well. */
export function namedAccounts(chart: Chart): { account: string; name: string; isPerSubWallet: boolean }[] {
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
