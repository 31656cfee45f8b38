/**
 * Whose money it is: `operating` and the sub-wallets are the merchant's, `held` waits for a decision, `fees` is the
 * service's own, `world` is everybody else and stands at minus the sum of all others.
 */
export type Holder = 'operating' | 'held' | `wallet:${string}`;
export type LedgerAccount = Holder | 'fees' | 'world';

type EntryType = 'opening' | 'payment' | 'deposit' | 'payout' | 'transfer' | 'closure';

interface Line {
  account: LedgerAccount;
  /** Signed. */
  amount: bigint;
}

export interface NewEntry {
  at: number;
  type: EntryType;
  assetCode: string;
  lines: readonly Line[];
  /** The record that the money moved for. */
  recordId: string;
}

export interface Entry extends NewEntry {
  number: number;
}

/** Double entry, exact, each entry in one asset. Balances are kept beside the entries and must always agree with them. */
export interface Ledger {
  /** Every entry sums to zero, and no holder falls below what is frozen for it: anything else is a bug and throws. */
  post(entry: NewEntry): Entry;
  freeze(holder: Holder, assetCode: string, amount: bigint): void;
  release(holder: Holder, assetCode: string, amount: bigint): void;
  balance(account: LedgerAccount, assetCode: string): bigint;
  frozen(account: LedgerAccount, assetCode: string): bigint;
  available(account: LedgerAccount, assetCode: string): bigint;
  /** Codes of the assets that the account ever had. */
  assetsOf(account: LedgerAccount): string[];
  accounts(): LedgerAccount[];
  entries(): readonly Entry[];
}

interface Position {
  balance: bigint;
  frozen: bigint;
}

export function createLedger(): Ledger {
  const entries: Entry[] = [];
  const positions = new Map<LedgerAccount, Map<string, Position>>();

  const positionOf = (account: LedgerAccount, assetCode: string): Position =>
    positions.get(account)?.get(assetCode) ?? { balance: 0n, frozen: 0n };

  const change = (account: LedgerAccount, assetCode: string, by: Partial<Position>): void => {
    const was = positionOf(account, assetCode);
    const now = { balance: was.balance + (by.balance ?? 0n), frozen: was.frozen + (by.frozen ?? 0n) };
    const free = account === 'world' || account === 'fees';
    if (!free && (now.frozen < 0n || now.balance < now.frozen))
      throw new Error(`${account} would have ${now.balance} ${assetCode} and ${now.frozen} of it frozen`);
    const assets = positions.get(account) ?? new Map<string, Position>();
    positions.set(account, assets.set(assetCode, now));
  };

  return {
    post(given) {
      const lines = given.lines.filter(({ amount }) => amount !== 0n);
      if (lines.reduce((sum, { amount }) => sum + amount, 0n) !== 0n) throw new Error('an entry must sum to zero');
      const entry = { ...given, lines, number: entries.length };
      for (const { account, amount } of lines) change(account, given.assetCode, { balance: amount });
      entries.push(entry);
      return entry;
    },
    freeze: (holder, assetCode, amount) => change(holder, assetCode, { frozen: amount }),
    release: (holder, assetCode, amount) => change(holder, assetCode, { frozen: -amount }),
    balance: (account, assetCode) => positionOf(account, assetCode).balance,
    frozen: (account, assetCode) => positionOf(account, assetCode).frozen,
    available(account, assetCode) {
      const { balance, frozen } = positionOf(account, assetCode);
      return balance - frozen;
    },
    assetsOf: (account) => [...(positions.get(account)?.keys() ?? [])],
    accounts: () => [...positions.keys()],
    entries: () => entries,
  };
}

export const walletHolder = (accountId: string): Holder => `wallet:${accountId}`;

/** null: the operating balance. */
export const holderOf = (accountId: string | null): Holder =>
  accountId === null ? 'operating' : walletHolder(accountId);
