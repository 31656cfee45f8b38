import { defineKind, group } from './kind.js';

/** The specification shows what may be written of it, and not even the id is certain to be shown. */
export const account = defineKind({
  section: '2.5',
  about: 'A sub-wallet of an end user.',
  idExample: 'acc_1',
  names: ['account', 'walletAccount', 'subWallet'],
  eventPrefix: 'wallet_account',
  speaksOfPeople: true,
  // A closed account that was archived is hidden from the list (3.6).
  vanishing: { quietIn: ['closed'] },
  run: 'accounts',
  fields: {
    status: {
      type: 'state',
      about: 'active, frozen or closed.',
      example: 'active',
      column: true,
      // A frozen account may thaw: no state is further on than another, so that a report only asks for a poll.
      states: { active: { rank: 0 }, frozen: { rank: 0 }, closed: { rank: 0 } },
    },
    ...group('Holder', {
      // The name of its end user.
      label: { type: 'text', personal: true, column: true },
      email: { type: 'text', searched: true },
      phoneNumber: { type: 'text' },
    }),
    ...group('Account', {
      externalRef: { type: 'text', copied: true, column: true, searched: true },
      createdAt: { type: 'time' },
    }),
  },
  api: { group: 'Funds', one: 'sub-wallet', many: 'sub-wallets' },
  href: '/accounts',
  page: {
    title: 'Accounts',
    one: 'account',
    group: 'Records',
    intro: 'Sub-wallets of end users.',
    empty: 'An account appears once the list of the service was read.',
    filters: ['status', 'externalRef'],
    columns: ['label', 'externalRef'],
    related: [{ title: 'Transactions', kind: 'transaction', by: 'accountId', none: 'Nothing moved yet.' }],
  },
});
