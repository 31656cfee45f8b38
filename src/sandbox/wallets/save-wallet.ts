import { z } from 'zod';
import { findAsset } from '../assets/assets.js';
import { invalid, Refusal } from '../base/refusal.js';
import { assetCode, feeBearer, text } from '../base/schemas.js';
import type { Merchant } from '../service.js';
import { WALLET_STATUSES, type Wallet } from './wallet.js';

const writable = {
  label: text(120).nullish(),
  externalRef: text(120).nullish(),
  email: text(200).nullish(),
  phoneNumber: text(40).nullish(),
};

/** Specification 4.7. */
export const walletUpdateSchema = z.object({ ...writable, status: z.enum(WALLET_STATUSES).optional() });

/** Creation is the dashboard's. */
export const newWalletSchema = z.object({
  ...writable,
  feeBearer: feeBearer.default('merchant'),
  supportedAssets: z.array(assetCode).nullish(),
});

export type NewWalletRequest = z.input<typeof newWalletSchema>;

export function createWallet(merchant: Merchant, request: z.output<typeof newWalletSchema>): Wallet {
  for (const code of request.supportedAssets ?? []) {
    if (!findAsset(code)) throw invalid(`supportedAssets: ${code} is unknown`);
  }
  checkReference(merchant, request.externalRef, null);
  const at = merchant.service.clock.now();
  return merchant.wallets.add((id, number) => ({
    id,
    number,
    label: request.label || null,
    externalRef: request.externalRef || null,
    email: request.email || null,
    phoneNumber: request.phoneNumber || null,
    status: 'active',
    isTerminal: false,
    isArchived: false,
    feeBearer: request.feeBearer,
    supportedAssets: request.supportedAssets ?? null,
    addresses: new Map(),
    createdAt: at,
    updatedAt: at,
  }));
}

/** Fields that are left out stay as they are; null or an empty text clears one. */
export function updateWallet(merchant: Merchant, wallet: Wallet, request: z.output<typeof walletUpdateSchema>): Wallet {
  const { status } = request;
  if (wallet.isTerminal && status !== undefined && status !== 'closed')
    throw new Refusal(409, 'ACCOUNT_CLOSED', 'the account was closed for good');
  checkReference(merchant, request.externalRef, wallet);
  for (const field of ['label', 'externalRef', 'email', 'phoneNumber'] as const) {
    const value = request[field];
    if (value !== undefined) wallet[field] = value || null;
  }
  if (status !== undefined) setStatus(merchant, wallet, status);
  wallet.updatedAt = merchant.service.clock.now();
  return wallet;
}

/** Closing this way archives: the account leaves the list, and comes back when it gets another status. */
function setStatus(merchant: Merchant, wallet: Wallet, status: Wallet['status']): void {
  const wasClosed = wallet.status === 'closed';
  wallet.status = status;
  if (status !== 'closed') wallet.isArchived = false;
  else if (!wasClosed) wallet.isArchived = merchant.service.faults.patchClosedArchives;
}

function checkReference(merchant: Merchant, reference: string | null | undefined, own: Wallet | null): void {
  if (!reference) return;
  if (merchant.wallets.all().some((wallet) => wallet !== own && wallet.externalRef === reference))
    throw new Refusal(409, 'EXTERNAL_REF_TAKEN', 'externalRef: another account has it');
}
