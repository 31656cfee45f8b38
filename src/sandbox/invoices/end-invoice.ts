import { Refusal } from '../base/refusal.js';
import { cancelIntent, expireIntent } from '../payments/expire-intent.js';
import type { Merchant } from '../service.js';
import { type Invoice, type InvoiceStatus, invoiceSubject } from './invoice.js';

const isOpen = ({ status }: Invoice): boolean => status === 'draft' || status === 'sent';

export function requireOpen(invoice: Invoice): void {
  if (!isOpen(invoice)) throw new Refusal(409, 'INVOICE_STATE', `the invoice is ${invoice.status}`);
}

/** A payment that nobody has begun to pay ends with it: what comes later is up for a decision. */
export function expireInvoice(merchant: Merchant, invoice: Invoice): void {
  if (!isOpen(invoice)) return;
  setInvoiceStatus(merchant, invoice, 'expired');
  if (invoice.openIntentId !== null) expireIntent(merchant, invoice.openIntentId);
}

/** A payment that nobody has begun to pay is cancelled with it. */
export function cancelInvoice(merchant: Merchant, invoice: Invoice): Invoice {
  requireOpen(invoice);
  setInvoiceStatus(merchant, invoice, 'cancelled');
  if (invoice.openIntentId !== null) cancelIntent(merchant, invoice.openIntentId);
  return invoice;
}

/** The first payment that completes is the one that paid it, even after its deadline. */
export function markInvoicePaid(merchant: Merchant, invoiceId: string, paymentIntentId: string): void {
  const invoice = merchant.invoices.get(invoiceId);
  if (!invoice || invoice.status === 'paid') return;
  invoice.paymentIntentId = paymentIntentId;
  setInvoiceStatus(merchant, invoice, 'paid');
}

export function setInvoiceStatus(merchant: Merchant, invoice: Invoice, status: InvoiceStatus): void {
  invoice.status = status;
  invoice.updatedAt = merchant.service.clock.now();
  merchant.send(`invoice.${status}`, () => invoiceSubject(invoice, viewOf(merchant)));
}

export function viewOf({ service }: Merchant): { baseUrl: string; links: boolean } {
  return { baseUrl: service.baseUrl, links: service.faults.links };
}
