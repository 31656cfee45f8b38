import type { FeeBearer } from '../payouts/payout.js';

export type WalletStatus = 'active' | 'frozen' | 'closed';

export const WALLET_STATUSES: readonly WalletStatus[] = ['active', 'frozen', 'closed'];

export interface DepositAddress {
  address: string;
  memo: string | null;
}

/** A sub-wallet account (specification 2.5). Its balances are in the ledger. */
export interface Wallet {
  id: string;
  number: number;
  label: string | null;
  externalRef: string | null;
  email: string | null;
  phoneNumber: string | null;
  status: WalletStatus;
  /** Closed by POST close: emptied for good. */
  isTerminal: boolean;
  /** Hidden from the list. */
  isArchived: boolean;
  /** Who bears the fee of a payout that does not say it. */
  feeBearer: FeeBearer;
  /** null: every asset of the catalog. */
  supportedAssets: readonly string[] | null;
  addresses: Map<string, DepositAddress>;
  createdAt: number;
  updatedAt: number;
}
