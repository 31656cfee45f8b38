import { defineKind, group } from './kind.js';

export const asset = defineKind({
  section: '2.11',
  about: 'An asset of the public catalog. Its id is the asset code.',
  idExample: 'USDT.TRON',
  idField: 'assetCode',
  names: ['asset'],
  vanishing: 'quiet',
  fields: {
    ...group('Asset', {
      assetCode: { type: 'id', about: 'The id once more.', example: 'USDT.TRON' },
      name: { type: 'text' },
      code: { type: 'text' },
      category: { type: 'text', column: true },
      icon: { type: 'text' },
    }),
    ...group('Network', {
      network: { type: 'text', column: true },
      blockchainName: { type: 'text' },
      memoRequired: { type: 'flag' },
    }),
    fees: { type: 'record', of: { payin: { type: 'text' }, payout: { type: 'text' }, settlement: { type: 'text' } } },
  },
  api: { group: 'Catalog', one: 'asset', many: 'assets of the public catalog' },
  href: '/catalog',
  page: {
    title: 'Assets',
    one: 'asset',
    group: 'Books',
    intro: 'The public catalog of the service.',
    empty: 'Assets appear once the catalog of the service was read.',
    filters: ['network', 'category'],
    columns: ['name', 'network', 'category'],
    related: [],
  },
});
