import { reconcileAccounts } from '../accounts/accounts.js';
import { reconcileBalances } from '../balances/balances.js';
import { reconcileCatalog } from '../catalog/catalog.js';
import { crossCheck } from '../cross-check/cross-check.js';
import { goOn } from '../cross-check/go-round.js';
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

/** What it throws fails the run. What changed is cross-checked; after a full run the next of the round too. */
export async function afterRun({ deps, tally, options, signal }: RunContext, kind: Kind): Promise<void> {
  const { opened } = await crossCheck(deps, signal);
  const again = options.full ? await goOn(deps, kind, {}, signal) : { opened: 0 };
  tally.breaksOpened += opened + again.opened;
}
