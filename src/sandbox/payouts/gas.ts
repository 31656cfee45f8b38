import { assetOf } from '../assets/assets.js';
import { blockchainOf } from '../assets/blockchains.js';
import type { Rates } from '../assets/rates.js';
import { amountOf, ONE, roundDown } from '../base/money.js';
import { createDraw } from '../base/random.js';

/** What the n-th payout of the asset costs on its chain, in the chain's base coin. */
export function gasOf(seed: number, assetCode: string, n: number): bigint {
  const { networkFee, baseAssetCode } = blockchainOf(assetOf(assetCode));
  const share = BigInt(750 + Math.floor(createDraw(seed, 'network-fee')(n) * 750));
  return roundDown((amountOf(networkFee) * share) / 1000n, assetOf(baseAssetCode).decimals);
}

/** The same in US dollars at a moment; null where the market can't price the base coin. */
export function gasInUsd(rates: Rates, assetCode: string, gas: bigint, at: number): bigint | null {
  const { baseAssetCode } = blockchainOf(assetOf(assetCode));
  const rate = rates.usd(assetOf(baseAssetCode), at);
  return rate === null ? null : roundDown((gas * rate) / ONE, 6);
}
