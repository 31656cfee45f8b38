import { defineKind, group } from './kind.js';

const method = {
  displayName: { type: 'text' },
  accountType: { type: 'text' },
  country: { type: 'text' },
  network: { type: 'text' },
  currency: { type: 'text' },
} as const;

export const settlementAccount = defineKind({
  section: '2.6',
  about: 'A fiat account that funds are settled to.',
  idExample: 'sa_1',
  names: ['settlementAccount'],
  vanishing: 'quiet',
  fields: {
    ...group('Account', {
      label: { type: 'text' },
      receptionAddress: { type: 'text', copied: true },
      isDefault: { type: 'flag', label: 'Default' },
      settlementPaymentMethodId: { type: 'text', copied: true },
    }),
    ...group('Times', {
      createdAt: { type: 'time' },
      maturedAt: { type: 'time', column: true },
      isMatured: { type: 'flag', label: 'Matured' },
      revokedAt: { type: 'time', column: true },
    }),
    settlementPaymentMethod: { type: 'record', of: { id: { type: 'text' }, ...method } },
    paymentMethod: { type: 'record', of: method },
  },
  api: { group: 'Funds', one: 'settlement account', many: 'settlement accounts' },
  href: '/settlement-accounts',
  page: {
    title: 'Settlement accounts',
    one: 'settlement account',
    group: 'Books',
    intro: 'Where the service pays out in fiat.',
    empty: 'A settlement account appears once the list of the service was read.',
    filters: [],
    columns: ['receptionAddress', 'isDefault', 'isMatured'],
    related: [],
  },
});
