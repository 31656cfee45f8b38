import type { Merchant } from '../service.js';
import type { Invoice, InvoiceStatus } from './invoice.js';
import { invoiceSubject } from './invoice-record.js';

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
