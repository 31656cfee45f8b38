import type { Merchant } from '../service.js';
import type { SandboxSettings } from '../settings.js';
import { addPastInvoices } from './past-invoices.js';
import { addPastPayouts } from './past-payouts.js';
import { pastProducts } from './past-products.js';

/** What past payments came from, and what was paid out of them. The ledger has been opened. */
export function addPastRecords(
  merchant: Merchant,
  { invoices, payouts }: Pick<SandboxSettings, 'invoices' | 'payouts'>,
): void {
  const startedAt = merchant.service.clock.now();
  for (const product of pastProducts(merchant.seed, startedAt)) merchant.products.addMade(product);
  addPastInvoices(merchant, invoices);
  addPastPayouts(merchant, payouts);
}
