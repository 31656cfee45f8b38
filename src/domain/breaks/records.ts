import type { BreakDefinitions } from './findings.js';

/** Of records, orders and balances; found where they are saved, not by a check. */
export const recordBreaks = {
  record_not_at_service: {
    severity: 'critical',
    sharedBy: ['/reason', '/ours/secret'],
    means:
      'An event named a record that the service does not list, or a listed one vanished. “many”, about a secret: only webhooks name more than 100 in a day, and one break counts the rest. The lists of records with verified=false show each.',
    ends: 'The service lists it after all. One that counts: by hand, or with tallyhook secrets retire LABEL --leaked.',
    remedy:
      'Ship nothing on it. It is a test send, an event of another environment, or somebody else has the secret (docs/security.md). After a test send: resolve it. Many: rotate the secret (docs/rotate-secrets.md, “When a secret leaked”).',
  },
  duplicate_payment: {
    severity: 'critical',
    sharedBy: { none: 'Each order has its own payments.' },
    means: 'An order was paid twice: two payments, and more received than expected.',
    ends: 'The order is no longer paid twice.',
    remedy: 'Refund one of the two in the service’s dashboard.',
  },
  payment_moved: {
    severity: 'critical',
    sharedBy: { none: 'Each payment has its own references.' },
    means:
      'The service shows a payment that was collected under another reference than before: one payment, two orders.',
    ends: 'Only by hand.',
    remedy:
      'Were the goods of the order before shipped? Then don’t ship the other. Ask the service why the reference of a paid payment changed.',
  },
  balance_residual: {
    severity: 'critical',
    sharedBy: { none: 'Each asset has its own movements.' },
    means: 'A part of a balance that no record explains, in two polls that agree.',
    ends: 'A poll shows a record of it.',
    remedy: 'Is it a settlement or a payout that no list shows? Then attribute it, with a note, at the balance.',
  },
  transaction_mismatch: {
    severity: 'high',
    sharedBy: { none: 'Each transaction has its own values.' },
    means: 'The service shows other values of a transaction than before.',
    ends: 'It shows the values from before.',
    remedy: 'Ask the service: a ledger must not change old rows.',
  },
  balance_identity: {
    severity: 'medium',
    sharedBy: ['/rule'],
    means: 'In two polls that agree, available is not balance − frozen.',
    ends: 'The sum is right.',
    remedy: 'Ask the service.',
  },
  product_count: {
    severity: 'medium',
    sharedBy: { none: 'Each product has its own counts.' },
    means:
      'For an hour the service has counted another number of a product’s payments (all, or completed) than there are here.',
    ends: 'The counts agree.',
    remedy:
      'Run tallyhook reconcile payment-intents --full. If they still differ, ask the service which payments it counts.',
  },
} as const satisfies BreakDefinitions;
