import type { Merchant } from '../service.js';
import type { Wallet } from '../wallets/wallet.js';

/** The n-th of the past: now and then one is frozen, or was closed for good before anything moved. */
export function addPastWallet(merchant: Merchant, n: number, createdAt: number): Wallet {
  const name = String(n + 1).padStart(4, '0');
  const isClosed = n % 50 === 49;
  const isFrozen = n % 20 === 7;
  return merchant.wallets.add((id, number) => ({
    id,
    number,
    label: `User ${name}`,
    externalRef: `user-${name}`,
    email: `user${name}@example.com`,
    phoneNumber: n % 2 === 0 ? `+2289${String(n).padStart(7, '0')}` : null,
    status: isClosed ? 'closed' : isFrozen ? 'frozen' : 'active',
    isTerminal: isClosed,
    isArchived: false,
    feeBearer: 'merchant',
    supportedAssets: null,
    addresses: new Map(),
    createdAt,
    updatedAt: createdAt,
  }));
}
