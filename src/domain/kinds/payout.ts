import { defineKind, group, statusHistory } from './kind.js';

export const payout = defineKind({
  section: '2.4',
  about: 'A withdrawal, a refund or the crypto leg of a settlement.',
  idExample: 'po_1',
  names: ['payout', 'refund', 'withdrawal'],
  eventPrefix: 'payout',
  carries: [{ kind: 'payment_intent', bare: true, belongs: false }],
  speaksOfPeople: true,
  vanishing: 'break',
  fields: {
    status: {
      type: 'state',
      about: 'Such as pending, approved, confirmed, failed.',
      example: 'confirmed',
      column: true,
      // Rank 2 is left to the states that the specification implies without naming them (3.4).
      unlisted: 2,
      states: {
        pending: { rank: 0, is: 'active' },
        approved: { rank: 1, is: 'active' },
        failed: { rank: 3, is: 'off' },
        // Of two deliveries that say otherwise, what gives back more counts.
        confirmed: { rank: 4, is: 'final' },
      },
    },
    ...group('Amounts', {
      amount: { type: 'amount', column: true },
      feeAmount: { type: 'amount' },
      feeBearer: { type: 'text' },
      networkFeeAmount: { type: 'amount', unit: { field: 'networkFeeAssetCode' } },
      networkFeeAssetCode: { type: 'text' },
      networkFeeUsdEquivalent: { type: 'amount', unit: 'USD' },
    }),
    ...group('Destination', {
      destinationType: { type: 'text' },
      destinationAddress: { type: 'text', copied: true, searched: true },
      destinationMemo: { type: 'text', copied: true },
      assetCode: { type: 'text', about: 'The asset that is sent.', example: 'USDT.TRON', column: true },
      txid: { type: 'text', label: 'Transaction hash', copied: true, column: true, searched: true },
      txUrl: { type: 'text', label: 'Transaction' },
    }),
    ...group('Where it comes from', {
      payoutType: { type: 'text', about: 'What kind of payout it is.', example: 'crypto_withdrawal', column: true },
      merchantReference: { type: 'text', kept: true, keptEach: true, column: true, searched: true },
      paymentIntentId: {
        type: 'text',
        link: 'payment_intent',
        only: 'unnamed',
        kept: true,
        keptEach: true,
        column: true,
      },
      accountId: { type: 'text', link: 'account', only: 'unnamed', kept: true },
      note: { type: 'text', about: 'As it was asked for (4.4, 4.5), where the service shows it.', only: 'unnamed' },
      createdAt: { type: 'time' },
      updatedAt: { type: 'time', column: true },
    }),
    ...group('Screening', { kytStatus: { type: 'state', label: 'Screening (KYT)' }, failureReason: { type: 'text' } }),
    metadata: { type: 'object', only: 'unnamed', kept: true },
    statusHistory,
  },
  api: { group: 'Funds', one: 'payout', many: 'payouts' },
  href: '/payouts',
  page: {
    title: 'Payouts',
    one: 'payout',
    group: 'Records',
    intro: 'What was sent: withdrawals, refunds, and the crypto leg of settlements.',
    empty: 'A payout appears when we made it, when an event names it, or when the list of the service was read.',
    filters: ['status', 'payoutType', 'txid'],
    columns: ['payoutType', 'amount', 'txid'],
    related: [
      {
        title: 'Payment',
        kind: 'payment_intent',
        by: 'irregularRefundPayoutId',
        named: 'paymentIntentId',
        none: 'Not linked: nothing the service shows says which payment it belongs to, if any.',
      },
    ],
  },
});
