import { amountOf, roundUp } from '../base/money.js';

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
  usdRate: string;
}

function asset(
  assetCode: string,
  name: string,
  blockchainName: string,
  decimals: number,
  usdRate: string,
  more: { confirmations?: number; memoType?: string; stable?: boolean } = {},
): Asset {
  const [code = assetCode, network = null] = assetCode.split('.');
  const category = more.stable ? 'stablecoin' : 'crypto';
  const { confirmations = 3, memoType = null } = more;
  return { assetCode, code, name, network, blockchainName, category, decimals, confirmations, memoType, usdRate };
}

export const ASSETS: readonly [Asset, ...Asset[]] = [
  asset('USDT.TRC20', 'Tether', 'Tron', 6, '1', { stable: true }),
  asset('USDT.ERC20', 'Tether', 'Ethereum', 6, '1', { stable: true }),
  asset('USDC.ERC20', 'USD Coin', 'Ethereum', 6, '1', { stable: true }),
  asset('USDC.POLYGON', 'USD Coin', 'Polygon', 6, '1', { stable: true }),
  asset('DAI.ERC20', 'Dai', 'Ethereum', 18, '0.9998', { stable: true }),
  asset('BTC', 'Bitcoin', 'Bitcoin', 8, '64250.5', { confirmations: 2 }),
  asset('ETH', 'Ether', 'Ethereum', 18, '3120.75'),
  asset('LTC', 'Litecoin', 'Litecoin', 8, '84.31'),
  asset('TRX.TRC20', 'Tron', 'Tron', 6, '0.1337'),
  asset('XRP.XRPL', 'XRP', 'XRP Ledger', 6, '0.5241', { memoType: 'tag' }),
  asset('XLM.STELLAR', 'Lumen', 'Stellar', 7, '0.1019', { memoType: 'memo' }),
];

const BY_CODE = new Map(ASSETS.map((entry) => [entry.assetCode, entry]));

export function findAsset(assetCode: string): Asset | undefined {
  return BY_CODE.get(assetCode);
}

/** US dollars for one unit of a fiat currency. */
const FIAT_USD: ReadonlyMap<string, string> = new Map([
  ['USD', '1'],
  ['EUR', '1.08'],
  ['GBP', '1.27'],
  ['XOF', '0.00165'],
  ['NGN', '0.00063'],
]);

export function isFiat(code: string): boolean {
  return FIAT_USD.has(code);
}

/** What must be sent so that the fiat amount is met at the rate of the moment: rounded up to what the chain can carry. */
export function fiatToCrypto(amount: bigint, currency: string, to: Asset): bigint {
  const rate = amountOf(to.usdRate);
  const usd = amount * amountOf(FIAT_USD.get(currency) ?? '1');
  return roundUp((usd + rate - 1n) / rate, to.decimals);
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
