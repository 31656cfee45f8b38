import { ONE } from '../base/money.js';
import { createDraw, type Draw } from '../base/random.js';
import type { Asset } from './assets.js';

/** What the market says of an asset at a moment of the sandbox's clock. */
export interface Rates {
  /** US dollars for one unit; null where the market can't price the asset. */
  usd(asset: Asset, at: number): bigint | null;
}

const STEP_MS = 60_000;
const WHOLE = 10_000n;
/** Rates have eight decimals. */
const UNIT = ONE / 100_000_000n;

/** Rates of coins move each minute by up to the swing, in hundredths of a percent; stablecoins stand still. */
export function createRates({ seed, rateSwingBasisPoints }: { seed: number; rateSwingBasisPoints: number }): Rates {
  const draws = new Map<string, Draw>();
  const swing = BigInt(rateSwingBasisPoints);
  const drawFor = ({ assetCode }: Asset): Draw => {
    const draw = draws.get(assetCode) ?? createDraw(seed, `rate:${assetCode}`);
    draws.set(assetCode, draw);
    return draw;
  };
  return {
    usd(asset, at) {
      if (asset.usdRate === 0n) return null;
      if (swing === 0n || asset.category === 'stablecoin') return asset.usdRate;
      const drawn = drawFor(asset)(Math.floor(at / STEP_MS));
      const by = BigInt(Math.floor(drawn * (2 * rateSwingBasisPoints + 1))) - swing;
      const moved = (asset.usdRate * (WHOLE + by)) / WHOLE;
      return moved - (moved % UNIT);
    },
  };
}
