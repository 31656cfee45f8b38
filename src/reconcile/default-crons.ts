import type { Kind } from './deps.js';

/** A kind that is set to this does not run by itself. */
export const CRON_OFF = 'off';

export const defaultCrons: Readonly<Record<Kind, string>> = {
  'payment-intents': '*/5 * * * *',
  invoices: '*/10 * * * *',
  payouts: '*/5 * * * *',
  accounts: '*/30 * * * *',
  transactions: '*/10 * * * *',
  balances: '*/15 * * * *',
  deliveries: '*/5 * * * *',
  // One call; an endpoint that is switched off is an alert within five minutes.
  endpoints: '*/2 * * * *',
  catalog: '0 * * * *',
};
