import { amountOf } from '../base/money.js';

/** One entry of the platform's catalog (specification 2.11), with what the emulator needs to know of its chain. */
export interface Asset {
  assetCode: string;
  code: string;
  name: string;
  network: string | null;
  blockchainName: string;
  category: 'crypto' | 'stablecoin';
  decimals: number;
  /** Blocks after which a payin is confirmed. */
  confirmations: number;
  memoType: string | null;
  /** US dollars for one unit before the market moves; 0: the market can't price it. */
  usdRate: bigint;
  /** What the service takes for one payout, in the asset itself. */
  payoutFee: bigint;
  color: string;
}

interface More {
  confirmations?: number;
  memoType?: string;
  stable?: boolean;
}

function asset(
  assetCode: string,
  [name, blockchainName, color]: [string, string, string],
  decimals: number,
  [usdRate, payoutFee]: [string, string],
  more: More = {},
): Asset {
  const [code = assetCode, network = null] = assetCode.split('.');
  const category = more.stable ? 'stablecoin' : 'crypto';
  const { confirmations = 3, memoType = null } = more;
  const prices = { usdRate: amountOf(usdRate), payoutFee: amountOf(payoutFee) };
  return {
    assetCode,
    code,
    name,
    network,
    blockchainName,
    category,
    decimals,
    confirmations,
    memoType,
    color,
    ...prices,
  };
}

const STABLE = { stable: true };

/** In the order of their numbers: a new one goes to the end. */
export const ASSETS: readonly [Asset, ...Asset[]] = [
  asset('USDT.TRC20', ['Tether', 'Tron', '#26A17B'], 6, ['1', '1'], STABLE),
  asset('USDT.ERC20', ['Tether', 'Ethereum', '#26A17B'], 6, ['1', '2.5'], STABLE),
  asset('USDC.ERC20', ['USD Coin', 'Ethereum', '#2775CA'], 6, ['1', '2.5'], STABLE),
  asset('USDC.POLYGON', ['USD Coin', 'Polygon', '#2775CA'], 6, ['1', '0.1'], STABLE),
  asset('DAI.ERC20', ['Dai', 'Ethereum', '#F5AC37'], 18, ['0.9998', '2.5'], STABLE),
  asset('BTC', ['Bitcoin', 'Bitcoin', '#F7931A'], 8, ['64250.5', '0.00005'], { confirmations: 2 }),
  asset('ETH', ['Ether', 'Ethereum', '#627EEA'], 18, ['3120.75', '0.001']),
  asset('LTC', ['Litecoin', 'Litecoin', '#345D9D'], 8, ['84.31', '0.001']),
  asset('TRX.TRC20', ['Tron', 'Tron', '#FF060A'], 6, ['0.1337', '2']),
  asset('XRP.XRPL', ['XRP', 'XRP Ledger', '#23292F'], 6, ['0.5241', '0.2'], { memoType: 'tag' }),
  asset('XLM.STELLAR', ['Lumen', 'Stellar', '#14B6E7'], 7, ['0.1019', '0.1'], { memoType: 'memo' }),
  asset('POL.POLYGON', ['Polygon', 'Polygon', '#8247E5'], 18, ['0.4417', '0.1']),
  asset('BTT.TRC20', ['BitTorrent', 'Tron', '#1B1B1B'], 18, ['0', '1000']),
];

const BY_CODE = new Map(ASSETS.map((entry) => [entry.assetCode, entry]));

export const findAsset = (assetCode: string): Asset | undefined => BY_CODE.get(assetCode);

/** For codes that were checked when they came in. */
export function assetOf(assetCode: string): Asset {
  const found = BY_CODE.get(assetCode);
  if (!found) throw new Error(`no asset ${assetCode}`);
  return found;
}

export type Resolution = { ok: true; asset: Asset } | { ok: false; reason: 'unknown' | 'ambiguous' };

/** A code without a network is accepted only if exactly one active network remains for that coin (specification 4.1). */
export function resolveCoin(code: string, isActive: (assetCode: string) => boolean): Resolution {
  const exact = BY_CODE.get(code);
  if (exact) return isActive(code) ? { ok: true, asset: exact } : { ok: false, reason: 'unknown' };
  const networks = ASSETS.filter((entry) => entry.code === code && isActive(entry.assetCode));
  const [only] = networks;
  if (!only) return { ok: false, reason: 'unknown' };
  return networks.length === 1 ? { ok: true, asset: only } : { ok: false, reason: 'ambiguous' };
}
