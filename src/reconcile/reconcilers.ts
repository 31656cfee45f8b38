import { reconcileAccounts } from './accounts.js';
import { reconcileBalances } from './balances.js';
import { reconcileCatalog } from './catalog.js';
import { crossCheckAll } from './cross-check/cross-check-all.js';
import { crossCheck } from './cross-check.js';
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
 * Called after each poll that was not a dry run, before the run ends: what it throws fails the run. What changed since
 * the last cross-check is held against what belongs to it, after a complete poll every record of the kind.
 */
export async function afterRun({ deps, tally, options, signal }: RunContext, kind: Kind): Promise<void> {
  const { opened } = await crossCheck(deps, signal);
  const again = options.full ? await crossCheckAll(deps, kind, signal) : { opened: 0 };
  tally.breaksOpened += opened + again.opened;
}
