import { existing, Refusal } from '../base/refusal.js';
import type { Merchant } from '../service.js';
import type { Wallet } from './wallet.js';

/** @throws {Refusal} for an account that this merchant does not have. */
export const findWallet = (merchant: Merchant, id: string): Wallet => existing(merchant.wallets.get(id), 'account');

/** Nothing goes out of a frozen or closed account (specification 3.6). */
export function checkOutgoing({ status }: Wallet): void {
  if (status === 'frozen') throw new Refusal(409, 'ACCOUNT_FROZEN', 'the account is frozen: nothing goes out');
  if (status === 'closed') throw new Refusal(409, 'ACCOUNT_CLOSED', 'the account is closed');
}

/** What goes into a frozen account still arrives; a closed one takes nothing. */
export function checkIncoming({ status }: Wallet): void {
  if (status === 'closed') throw new Refusal(409, 'ACCOUNT_CLOSED', 'the account is closed');
}
