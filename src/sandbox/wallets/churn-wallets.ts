import type { Merchant } from '../service.js';
import { createWallet, newWalletSchema, updateWallet } from './save-wallet.js';

/** A new account comes in at the head of the list, and the cursor row is frozen, or freed: it may leave the filter. */
export function churnWallets(merchant: Merchant, cursor: string, n: number): void {
  createWallet(merchant, newWalletSchema.parse({ label: `churn-${n}` }));
  const seen = merchant.wallets.get(cursor);
  if (!seen || seen.status === 'closed') return;
  updateWallet(merchant, seen, { status: seen.status === 'active' ? 'frozen' : 'active' });
}
