import { hexOf } from '../base/random.js';
import { findAsset } from './assets.js';

const FORMS: Record<string, (hex: string) => string> = {
  Ethereum: (hex) => `0x${hex.slice(0, 40)}`,
  Polygon: (hex) => `0x${hex.slice(0, 40)}`,
  Tron: (hex) => `T${hex.slice(0, 33).toUpperCase()}`,
  Bitcoin: (hex) => `bc1q${hex.slice(0, 38)}`,
  Litecoin: (hex) => `ltc1q${hex.slice(0, 38)}`,
  'XRP Ledger': (hex) => `r${hex.slice(0, 32)}`,
  Stellar: (hex) => `G${hex.slice(0, 55).toUpperCase()}`,
};

/** An address that looks like one of the asset's chain. */
export function addressOf(seed: number, purpose: string, n: number, assetCode: string): string {
  const form = FORMS[findAsset(assetCode)?.blockchainName ?? ''];
  const hex = hexOf(seed, `address:${purpose}`, n, 56);
  return form ? form(hex) : hex;
}

/** Chains with memos share one address; the memo distinguishes the payments. */
export function depositPlace(
  seed: number,
  n: number,
  assetCode: string,
): { depositAddress: string; memo: string | null } {
  const shared = (findAsset(assetCode)?.memoType ?? null) !== null;
  return {
    depositAddress: addressOf(seed, 'deposit', shared ? 0 : n, assetCode),
    memo: shared ? String(100_000 + n) : null,
  };
}
