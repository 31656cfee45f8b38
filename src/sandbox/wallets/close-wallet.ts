import { assetOf } from '../assets/assets.js';
import { blockchainOf } from '../assets/blockchains.js';
import { Refusal } from '../base/refusal.js';
import { book } from '../ledger/book.js';
import { walletHolder } from '../ledger/ledger.js';
import type { Merchant } from '../service.js';
import type { Wallet } from './wallet.js';

/** For good (specification 3.6): one ledger entry per asset empties it, and its addresses are released. */
export function closeWallet(merchant: Merchant, wallet: Wallet): Wallet {
  if (wallet.isTerminal) return wallet;
  const { ledger, service } = merchant;
  const holder = walletHolder(wallet.id);
  const assets = ledger.assetsOf(holder);
  if (assets.some((assetCode) => ledger.frozen(holder, assetCode) > 0n))
    throw new Refusal(409, 'ACCOUNT_HAS_FROZEN_AMOUNTS', 'an operation of this account is pending');
  const at = service.clock.now();
  for (const assetCode of assets) emptyInto(merchant, wallet, assetCode, at);
  releaseAddresses(merchant, wallet);
  wallet.status = 'closed';
  wallet.isTerminal = true;
  wallet.updatedAt = at;
  return wallet;
}

function emptyInto(merchant: Merchant, { id }: Wallet, assetCode: string, at: number): void {
  const holder = walletHolder(id);
  const amount = merchant.ledger.balance(holder, assetCode);
  if (amount === 0n) return;
  const lines = [
    { account: holder, amount: -amount },
    { account: 'operating', amount },
  ] as const;
  const transaction = {
    accountId: id,
    type: 'closure',
    feeAmount: 0n,
    note: null,
    counterpartyAccountId: null,
  } as const;
  book(merchant, { at, type: 'closure', assetCode, recordId: id, lines }, [transaction]);
}

/** Unique addresses go back to the pool that payments take theirs from. */
function releaseAddresses(merchant: Merchant, wallet: Wallet): void {
  for (const [assetCode, { address }] of wallet.addresses) {
    if (!blockchainOf(assetOf(assetCode)).utxo) continue;
    const pool = merchant.addressPool.get(assetCode) ?? [];
    merchant.addressPool.set(assetCode, [...pool, address]);
  }
  wallet.addresses.clear();
}

/** Hides a closed account from the list (specification 4.9). */
export function archiveWallet(merchant: Merchant, wallet: Wallet): Wallet {
  if (wallet.status !== 'closed') throw new Refusal(409, 'ACCOUNT_NOT_CLOSED', 'only a closed account can be archived');
  wallet.isArchived = true;
  wallet.updatedAt = merchant.service.clock.now();
  return wallet;
}
