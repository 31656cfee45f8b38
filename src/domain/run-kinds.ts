/** The kinds that can be reconciled, as the command line and the run rows name them. */
export const runKinds = [
  'payment-intents',
  'invoices',
  'payouts',
  'accounts',
  'transactions',
  'balances',
  'deliveries',
  'endpoints',
  'catalog',
] as const;
export type RunKind = (typeof runKinds)[number];
