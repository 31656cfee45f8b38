import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import { walletHolder } from '../ledger/ledger.js';
import type { Merchant } from '../service.js';
import type { Wallet } from './wallet.js';

/**
 * An account as list, update, close and archive show it; the specification does not say how, but names what an account has
 * (2.5). `unnamedFields` adds the rest.
 */
export function walletRecord({ ledger, service }: Merchant, wallet: Wallet) {
  const { id, label, externalRef, email, phoneNumber, status, isArchived, createdAt, updatedAt } = wallet;
  const holder = walletHolder(id);
  const { unnamedFields } = service.faults;
  return {
    id,
    label,
    externalRef,
    email,
    phoneNumber,
    status,
    ...(unnamedFields ? { isArchived } : {}),
    balances: ledger.assetsOf(holder).map((assetCode) => ({
      assetCode,
      balance: formatAmount(ledger.balance(holder, assetCode)),
      frozen: formatAmount(ledger.frozen(holder, assetCode)),
      available: formatAmount(ledger.available(holder, assetCode)),
    })),
    depositAddresses: [...wallet.addresses].map(([assetCode, place]) => ({ assetCode, ...place })),
    ...(unnamedFields ? { createdAt: iso(createdAt), updatedAt: iso(updatedAt) } : {}),
  };
}

/** Label, reference and e-mail are searched, whatever the case (specification 4.10). */
export function walletMatches({ label, externalRef, email }: Wallet, search: string): boolean {
  const wanted = search.toLowerCase();
  return [label, externalRef, email].some((text) => text?.toLowerCase().includes(wanted) === true);
}
