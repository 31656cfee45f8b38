import { defineKind } from './kind.js';

/** Its pages are its own: what is shown of a balance is its proof (console/pages/balances.ts). */
export const balance = defineKind({
  section: '2.8',
  about: 'The operating balance of an asset, and how it compares with its movements. Its id is the asset code.',
  idExample: 'USDT.TRON',
  idField: 'assetCode',
  names: ['balance'],
  vanishing: 'quiet',
  fields: {
    assetCode: { type: 'id', about: 'The id once more.', example: 'USDT.TRON' },
    balance: { type: 'total', column: true },
    frozen: { type: 'total', column: true },
    available: { type: 'total', column: true },
    // "0": the market could not price the asset.
    usdRate: { type: 'amount', unit: 'USD' },
    coinCode: { type: 'text' },
    coin: { type: 'text' },
    name: { type: 'text' },
    network: { type: 'text' },
    color: { type: 'text' },
    displayDecimals: { type: 'whole' },
    onChainDecimals: { type: 'whole' },
  },
  api: { group: 'Balances', one: 'balance', many: 'balances' },
  href: '/balances',
});
