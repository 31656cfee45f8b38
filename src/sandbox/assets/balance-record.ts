import { formatAmount } from '../base/money.js';
import type { Merchant } from '../service.js';
import type { Asset } from './assets.js';

const SHOWN_DECIMALS = 8;
/** By so much the fault `availableOff` is off, in 10⁻¹⁸ of the asset. */
const OFF_BY = 10n ** 14n;

/** The operating balance of one asset (specification 2.8); zeros where it was never received. */
export function balanceRecord({ ledger, service }: Merchant, asset: Asset) {
  const { assetCode, code, name, network, blockchainName, category, decimals, color } = asset;
  const isOff = service.faults.availableOff === assetCode;
  const available = ledger.available('operating', assetCode) + (isOff ? OFF_BY : 0n);
  const rate = service.rates.usd(asset, service.clock.now());
  return {
    assetCode,
    coinCode: code,
    coin: name,
    name,
    network: network ?? blockchainName,
    balance: formatAmount(ledger.balance('operating', assetCode)),
    frozen: formatAmount(ledger.frozen('operating', assetCode)),
    available: formatAmount(available),
    usdRate: formatAmount(rate ?? 0n),
    displayDecimals: category === 'stablecoin' ? 2 : Math.min(decimals, SHOWN_DECIMALS),
    onChainDecimals: decimals,
    color,
  };
}

/** The catalog's entry for everybody (specification 2.11). */
export function publicAssetRecord(asset: Asset, baseUrl: string) {
  const { assetCode, code, name, network, blockchainName, category, memoType, payoutFee } = asset;
  return {
    assetCode,
    name,
    code,
    network: network ?? blockchainName,
    blockchainName,
    category,
    memoRequired: memoType !== null,
    fees: { payin: '1%', payout: `${formatAmount(payoutFee)} ${code}`, settlement: '1.5%' },
    icon: `${baseUrl}/icons/${code.toLowerCase()}.svg`,
  };
}
