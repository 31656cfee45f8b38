import type { Knex } from 'knex';
import { expect } from 'vitest';
import { accounts, subWalletAccount } from '../../src/domain/books/chart.js';
import { subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { wholeBooks } from '../../src/finance/verify-books.js';
import { createLog } from '../../src/log.js';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { subWalletSums } from '../../src/records/balances/balance-sums.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { defaultContract } from '../../src/service-api/contract.js';

/** Brings the books up to date with the records. */
export function postBooks(db: Knex, currency = 'USD') {
  const table = defaultContract.movements;
  return postEntries({ db, log: createLog('silent'), table, timeZone: 'UTC', currency });
}

/** What a verification finds wrong in the books, in words. */
export async function bookFindings(db: Knex, currency = 'USD'): Promise<string[]> {
  const found: string[] = [];
  const deps = { db, table: defaultContract.movements, timeZone: 'UTC', currency };
  await wholeBooks(deps)(({ what, told }) => void found.push(`${what}: ${told}`));
  return found;
}

/**
 * Posts, and holds the books against what balances are proven by, to the last digit: the operating balance of each asset, and
 * what these sub-wallets hold and are owed.
 */
export async function expectPosted(db: Knex, wallets: readonly string[] = []): Promise<void> {
  await postBooks(db);
  expect(await postBooks(db)).toMatchObject({ entries: 0, complete: true });
  expect(await bookFindings(db)).toEqual([]);
  const totals = await accountTotals(db, '9999-12');
  const closing = (account: string, asset: string) =>
    totals.find((one) => one.account === account && one.assetCode === asset)?.closing ?? '0';
  for (const [asset, { opening, explained, unobservable, unknownAmount }] of await readProofs(db)) {
    const known = subtractAmounts(unobservable ?? '0', unknownAmount ?? '0');
    const proven = sumAmounts([opening?.balance ?? '0', explained ?? '0', known]);
    expect([asset, closing(accounts.operating, asset)]).toEqual([asset, proven]);
  }
  for (const id of wallets) {
    for (const { assetCode, sum } of await subWalletSums(db, id)) {
      const of = [accounts.subWallets, accounts.customers] as const;
      const [held, owed] = of.map((parent) => closing(subWalletAccount(parent, id), assetCode));
      expect([id, assetCode, held, owed]).toEqual([id, assetCode, sum, subtractAmounts('0', sum)]);
    }
  }
}
