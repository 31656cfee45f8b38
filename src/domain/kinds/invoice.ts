import { defineKind, group } from './kind.js';

export const invoice = defineKind({
  section: '2.3',
  about: 'An invoice to a customer.',
  idExample: 'inv_1',
  names: ['invoice'],
  eventPrefix: 'invoice',
  carries: [{ kind: 'payment_intent', bare: true, belongs: false }],
  speaksOfPeople: true,
  vanishing: 'break',
  run: 'invoices',
  fields: {
    status: {
      type: 'state',
      about: 'draft, sent, paid, expired or cancelled.',
      example: 'paid',
      column: true,
      states: {
        draft: { rank: 0 },
        sent: { rank: 1 },
        expired: { rank: 2, is: 'off' },
        cancelled: { rank: 2, is: 'off' },
        paid: { rank: 3, is: 'final' },
      },
    },
    ...group('Amounts', {
      amount: { type: 'amount', unit: { field: 'currency' }, column: true },
      currency: { type: 'text', about: 'Fiat or crypto.', example: 'EUR', column: true },
      assetCode: { type: 'text' },
    }),
    ...group('Customer', {
      customerName: { type: 'text' },
      customerEmail: { type: 'text', searched: true },
      language: { type: 'text', about: 'As it was asked for (4.2), where the service shows it.', only: 'unnamed' },
      collectCustomerInformation: {
        type: 'flag',
        about: 'As it was asked for (4.2), where the service shows it.',
        only: 'unnamed',
      },
    }),
    ...group('Where it comes from', {
      merchantReference: {
        type: 'text',
        about: 'The reference of the order, where the contract names where it stands.',
        example: 'A-1001',
        link: 'order',
        only: 'unnamed',
        kept: true,
        column: true,
      },
      paymentIntentId: {
        type: 'text',
        about: 'The payment that paid it.',
        example: 'pi_1',
        link: 'payment_intent',
        column: true,
      },
      description: { type: 'text' },
      createdAt: { type: 'time' },
      expiresAt: { type: 'time', column: true },
      paymentLink: { type: 'text', copied: true },
    }),
    metadata: { type: 'object', about: 'Free, where the service shows it.', only: 'unnamed', kept: true },
    // Free, whatever it looks like: the articles are asked of what is sent, not of what is read.
    meta: { type: 'any' },
    emailDelivery: {
      type: 'record',
      about: 'How its mail went; the answer to its creation shows it.',
      kept: true,
      of: { sent: { type: 'flag' }, error: { type: 'text' } },
    },
  },
  api: { group: 'Payments', one: 'invoice', many: 'invoices' },
  href: '/invoices',
  page: {
    title: 'Invoices',
    one: 'invoice',
    group: 'Records',
    intro: 'What customers were billed by mail, and which payment settled it.',
    empty: 'An invoice appears with its first event, or when the list of the service was read.',
    filters: ['status', 'merchantReference', 'paymentIntentId'],
    columns: ['amount'],
    related: [
      {
        title: 'Payments',
        kind: 'payment_intent',
        by: 'invoiceId',
        named: 'paymentIntentId',
        none: 'Nobody began to pay it.',
      },
    ],
  },
});
