import { Refusal } from '../base/refusal.js';
import { cancelIntent, expireIntent } from '../payments/expire-intent.js';
import type { Merchant } from '../service.js';
import type { Invoice } from './invoice.js';
import { setInvoiceStatus } from './mark-invoice-paid.js';

const isOpen = ({ status }: Invoice): boolean => status === 'draft' || status === 'sent';

/** A payment that nobody has begun to pay ends with it: what comes later is up for a decision. */
export function expireInvoice(merchant: Merchant, invoice: Invoice): void {
  if (!isOpen(invoice)) return;
  setInvoiceStatus(merchant, invoice, 'expired');
  if (invoice.openIntentId !== null) expireIntent(merchant, invoice.openIntentId);
}

/** A payment that nobody has begun to pay is cancelled with it. */
export function cancelInvoice(merchant: Merchant, invoice: Invoice): Invoice {
  if (!isOpen(invoice)) throw new Refusal(409, 'INVOICE_STATE', `the invoice is ${invoice.status}`);
  setInvoiceStatus(merchant, invoice, 'cancelled');
  if (invoice.openIntentId !== null) cancelIntent(merchant, invoice.openIntentId);
  return invoice;
}
