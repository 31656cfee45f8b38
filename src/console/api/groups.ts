/** How the document and the reference page are divided, in this order. */
export const groups = {
  Orders: 'What the store expects, what was paid, and whether goods may go out.',
  Payments: 'Payment intents, payins and invoices, as the service’s own lists show them.',
  Funds: 'Payouts, sub-wallets, their transactions, and settlement accounts.',
  Balances: 'Balances, held against all movements that the service lists.',
  Catalog: 'Products and assets.',
  Webhooks: 'Received events, rejected requests, deliveries, endpoints and signing secrets.',
  Proof: 'Breaks, runs, what is proven, and the feed of all changes.',
  Books: 'Double entry, and the months that are closed.',
  Operation: 'Callbacks to the store, alerts, and who did what.',
} as const;

export type Group = keyof typeof groups;
