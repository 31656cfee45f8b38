import type { Sheet } from './sheet.js';

const accounts: Sheet = {
  kind: 'account',
  path: '/accounts',
  title: 'Accounts',
  one: 'account',
  group: 'Records',
  intro: 'Sub-wallets of end users.',
  empty: 'An account appears once the list of the service was read.',
  filters: ['status', 'externalRef'],
  columns: ['label', 'externalRef'],
  groups: [
    { title: 'Holder', fields: ['label', 'email', 'phoneNumber'] },
    { title: 'Account', fields: ['externalRef', 'createdAt'] },
  ],
  related: [{ title: 'Transactions', kind: 'transaction', by: 'accountId', none: 'Nothing moved yet.' }],
};

const transactions: Sheet = {
  kind: 'transaction',
  path: '/transactions',
  title: 'Transactions',
  one: 'transaction',
  group: 'Records',
  intro: 'Movements of sub-wallets.',
  empty: 'A transaction appears once the feed of the service was read.',
  filters: ['accountId', 'assetCode', 'type'],
  columns: ['accountId', 'type', 'amount', 'feeAmount'],
  groups: [
    { title: 'Amounts', fields: ['amount', 'feeAmount', 'assetCode'] },
    { title: 'Where it belongs', fields: ['type', 'accountId', 'createdAt'] },
  ],
  related: [{ title: 'Account', kind: 'account', named: 'accountId', none: 'The transaction names none.' }],
};

const settlementAccounts: Sheet = {
  kind: 'settlement_account',
  path: '/settlement-accounts',
  title: 'Settlement accounts',
  one: 'settlement account',
  group: 'Books',
  intro: 'Where the service pays out in fiat.',
  empty: 'A settlement account appears once the list of the service was read.',
  filters: [],
  columns: ['receptionAddress', 'isDefault', 'isMatured'],
  groups: [
    { title: 'Account', fields: ['label', 'receptionAddress', 'isDefault', 'settlementPaymentMethodId'] },
    { title: 'Times', fields: ['createdAt', 'maturedAt', 'isMatured', 'revokedAt'] },
  ],
  related: [],
};

const products: Sheet = {
  kind: 'product',
  path: '/products',
  title: 'Products',
  one: 'product',
  group: 'Records',
  intro: 'Permanent payment links, and what the service counts of each.',
  empty: 'A product is read once a payment names it.',
  filters: [],
  columns: ['name', 'amount', 'isActive'],
  groups: [
    { title: 'Product', fields: ['name', 'description', 'permanentLinkSlug', 'isActive', 'paymentLink', 'imageUrl'] },
    { title: 'Amounts', fields: ['amount', 'currency', 'assetCode'] },
  ],
  related: [{ title: 'Payments', kind: 'payment_intent', by: 'productId', none: 'Nobody paid by it yet.' }],
};

const assets: Sheet = {
  kind: 'asset',
  path: '/catalog',
  title: 'Assets',
  one: 'asset',
  group: 'Books',
  intro: 'The public catalog of the service.',
  empty: 'Assets appear once the catalog of the service was read.',
  filters: ['network', 'category'],
  columns: ['name', 'network', 'category'],
  groups: [
    { title: 'Asset', fields: ['assetCode', 'name', 'code', 'category', 'icon'] },
    { title: 'Network', fields: ['network', 'blockchainName', 'memoRequired'] },
  ],
  related: [],
};

const endpoints: Sheet = {
  kind: 'endpoint',
  path: '/endpoints',
  title: 'Endpoints',
  one: 'endpoint',
  group: 'Webhooks',
  intro: 'Where the service sends events: each has a signing secret of its own.',
  empty: 'The service shows its endpoints to business accounts alone; they appear once its list was read.',
  filters: ['url'],
  columns: ['url', 'isActive'],
  groups: [{ title: 'Endpoint', fields: ['url', 'isActive', 'events', 'createdAt'] }],
  related: [],
};

/** Kinds that are looked at less often. */
export const lesserSheets: readonly Sheet[] = [accounts, transactions, products, endpoints, settlementAccounts, assets];
