import { reconcileAccounts } from './accounts.js';
import { reconcileBalances } from './balances.js';
import { reconcileCatalog } from './catalog.js';
import { reconcileDeliveries } from './deliveries.js';
import type { Kind, Reconciler, RunContext } from './deps.js';
import { reconcileEndpoints } from './endpoints.js';
import { reconcileInvoices } from './invoices.js';
import { reconcilePaymentIntents } from './payment-intents.js';
import { reconcilePayouts } from './payouts.js';
import { reconcileTransactions } from './transactions.js';

export const reconcilers: Readonly<Record<Kind, Reconciler>> = {
  'payment-intents': reconcilePaymentIntents,
  invoices: reconcileInvoices,
  payouts: reconcilePayouts,
  accounts: reconcileAccounts,
  transactions: reconcileTransactions,
  balances: reconcileBalances,
  deliveries: reconcileDeliveries,
  endpoints: reconcileEndpoints,
  catalog: reconcileCatalog,
};

/**
 * Called after each reading that was not a rehearsal, before the run ends: what it throws fails the run. `changedSince`:
 * when the newest run of the kind that succeeded began, null where there is none; so nothing is left out after a failure.
 */
export async function afterRun(_run: RunContext, _changedSince: Date | null): Promise<void> {}
