import { defineKind, group } from './kind.js';

export const product = defineKind({
  section: '2.9',
  about: 'A product: a permanent payment link.',
  idExample: 'prod_1',
  names: ['product'],
  vanishing: 'quiet',
  fields: {
    ...group('Product', {
      name: { type: 'text', about: 'Its name.', example: 'Mug' },
      description: { type: 'text' },
      permanentLinkSlug: { type: 'text' },
      isActive: { type: 'flag', label: 'Active' },
      paymentLink: { type: 'text', copied: true },
      imageUrl: { type: 'text' },
    }),
    ...group('Amounts', {
      amount: { type: 'amount', unit: { field: 'currency' } },
      currency: { type: 'text' },
      assetCode: { type: 'text' },
    }),
    createdAt: { type: 'time' },
    stats: {
      type: 'record',
      of: { totalIntents: { type: 'whole' }, completedIntents: { type: 'whole' }, totalRevenue: { type: 'amount' } },
    },
  },
  api: { group: 'Catalog', one: 'product', many: 'products' },
  href: '/products',
  page: {
    title: 'Products',
    one: 'product',
    group: 'Records',
    intro: 'Permanent payment links, and what the service counts of each.',
    empty: 'A product is read once a payment names it.',
    filters: [],
    columns: ['name', 'amount', 'isActive'],
    related: [{ title: 'Payments', kind: 'payment_intent', by: 'productId', none: 'Nobody paid by it yet.' }],
  },
});
