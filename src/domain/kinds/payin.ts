import { defineKind, group, statusHistory } from './kind.js';

export const payinAmounts = {
  amountGross: { type: 'amount', label: 'Gross' },
  feeAmount: { type: 'amount' },
  amountNet: { type: 'amount', label: 'Net' },
} as const;

export const payin = defineKind({
  section: '2.2',
  about: 'Money that came in on a chain: a deposit.',
  idExample: 'in_1',
  names: ['payin'],
  oddNames: { wrappers: ['payIn', 'pay_in'], ids: ['payInId', 'payin_id'] },
  eventPrefix: 'payin',
  carries: [{ kind: 'payment_intent', bare: true, belongs: false }],
  speaksOfPeople: true,
  vanishing: 'break',
  run: 'payment-intents',
  fields: {
    status: {
      type: 'state',
      about: 'Such as pending, confirming, confirmed, unmatched.',
      example: 'confirmed',
      column: true,
      // Rank 2 is left to the states that the specification implies without naming them (3.5).
      unlisted: 2,
      states: {
        pending: { rank: 0 },
        confirming: { rank: 1 },
        confirmed: { rank: 3, is: 'final' },
        unmatched: { rank: 3, is: 'final' },
      },
    },
    ...group('Amounts', payinAmounts),
    ...group('Screening', {
      kytStatus: {
        type: 'state',
        about: 'What the screening of the payin said.',
        example: 'approved',
        label: 'Screening (KYT)',
        column: true,
        decisive: true,
      },
      kytRiskScore: { type: 'amount', unit: null, label: 'Risk score' },
      confirmations: { type: 'whole' },
    }),
    ...group('On the chain', {
      assetCode: { type: 'text', column: true },
      txid: { type: 'text', label: 'Transaction hash', copied: true, column: true, searched: true },
      senderAddress: { type: 'text', copied: true, searched: true },
      depositAddress: { type: 'text', copied: true, searched: true },
      addressPurpose: { type: 'text' },
    }),
    ...group('Where it belongs', {
      payinType: { type: 'text', about: 'blockchain, merchant_deposit or internal_transfer.', example: 'blockchain' },
      paymentIntentId: {
        type: 'text',
        about: 'The payment that it belongs to.',
        example: 'pi_1',
        link: 'payment_intent',
        column: true,
      },
      accountId: {
        type: 'text',
        about: 'The sub-wallet that it went to, where the service or an event of the payin names it.',
        example: 'wa_1',
        link: 'account',
        // The specification names no account here: the event of a deposit to a sub-wallet does.
        only: 'unnamed',
        kept: true,
      },
      createdAt: { type: 'time' },
    }),
    statusHistory,
  },
  api: { group: 'Payments', one: 'payin', many: 'payins' },
  href: '/deposits',
  page: {
    title: 'Payins',
    one: 'payin',
    group: 'Records',
    intro: 'What came in on a chain, how far it is confirmed, and what its screening says.',
    empty: 'A payin appears once a payment lists it, or an event names it.',
    filters: ['status', 'kytStatus'],
    columns: ['amountGross', 'kytStatus', 'confirmations'],
    related: [
      {
        title: 'Payment',
        kind: 'payment_intent',
        named: 'paymentIntentId',
        none: 'The payin names none: a deposit of the merchant, or a transfer.',
      },
      { title: 'Sub-wallet', kind: 'account', named: 'accountId', none: 'None is named.' },
    ],
  },
});
