import { defineKind, group } from './kind.js';

/** The fields of a record are not shown; not even the id is certain. Its amounts have a sign. */
export const transaction = defineKind({
  section: '4.11',
  about: 'A transaction of a sub-wallet.',
  idExample: 'tx_1',
  names: ['transaction', 'accountTransaction'],
  speaksOfPeople: true,
  vanishing: 'break',
  run: 'transactions',
  fields: {
    ...group('Amounts', {
      amount: { type: 'signed', column: true },
      feeAmount: { type: 'signed', column: true },
      assetCode: { type: 'text', about: 'The asset that moved.', example: 'USDT.TRON', column: true },
    }),
    ...group('Where it belongs', {
      type: {
        type: 'text',
        about: 'What kind of transaction it is.',
        example: 'transfer',
        only: 'unnamed',
        column: true,
      },
      accountId: {
        type: 'text',
        about: 'The sub-wallet.',
        example: 'acc_1',
        link: 'account',
        only: 'unnamed',
        column: true,
      },
      createdAt: { type: 'time', only: 'unnamed' },
    }),
  },
  api: { group: 'Funds', one: 'transaction', many: 'transactions of sub-wallets' },
  href: '/transactions',
  page: {
    title: 'Transactions',
    one: 'transaction',
    group: 'Records',
    intro: 'Transactions of sub-wallets.',
    empty: 'A transaction appears once the feed of the service was read.',
    filters: ['accountId', 'type'],
    columns: ['accountId', 'type', 'amount', 'feeAmount'],
    related: [{ title: 'Account', kind: 'account', named: 'accountId', none: 'The transaction names none.' }],
  },
});
