import { reconcileAccounts } from '../accounts/accounts.js';
import { reconcileBalances } from '../balances/balances.js';
import { reconcileCatalog } from '../catalog/catalog.js';
import { crossCheck, crossCheckAll } from '../cross-check/cross-check.js';
import { reconcileDeliveries } from '../deliveries/deliveries.js';
import type { Kind, Reconciler, RunContext } from '../deps.js';
import { reconcileEndpoints } from '../endpoints.js';
import { reconcileInvoices } from '../lists/invoices.js';
import { reconcilePaymentIntents } from '../lists/payment-intents.js';
import { reconcilePayouts } from '../lists/payouts.js';
import { reconcileTransactions } from '../transactions/transactions.js';

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
 * Called at the end of each run that was not a dry run: what it throws fails the run. What changed since
 * the last cross-check is held against what belongs to it, after a complete run every record of the kind.
 */
export async function afterRun({ deps, tally, options, signal }: RunContext, kind: Kind): Promise<void> {
  const { opened } = await crossCheck(deps, signal);
  const again = options.full ? await crossCheckAll(deps, kind, signal) : { opened: 0 };
  tally.breaksOpened += opened + again.opened;
}
