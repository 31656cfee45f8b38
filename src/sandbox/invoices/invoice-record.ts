import { iso, isoOrNull } from '../base/iso-time.js';
import type { EventSubject } from '../webhooks/event-subject.js';
import type { Invoice } from './invoice.js';

/** What the e-mail came to; in the answer of the creation only. */
export interface EmailDelivery {
  sent: boolean;
  error?: string;
}

export interface InvoiceView {
  baseUrl: string;
  /** Adds the merchant's reference, which the specification does not name among the fields. */
  links: boolean;
  emailDelivery?: EmailDelivery;
}

/** The invoice of specification 2.3: JSON text. */
export function invoiceJson(invoice: Invoice, { baseUrl, links, emailDelivery }: InvoiceView): string {
  const fields = JSON.stringify({
    id: invoice.id,
    customerEmail: invoice.customerEmail,
    customerName: invoice.customerName,
    amount: invoice.amount,
    currency: invoice.currency,
    assetCode: invoice.assetCode,
    description: invoice.description,
    status: invoice.status,
    paymentIntentId: invoice.paymentIntentId,
    expiresAt: isoOrNull(invoice.expiresAt),
    createdAt: iso(invoice.createdAt),
    paymentLink: `${baseUrl}/invoice/${invoice.id}`,
    ...(links ? { merchantReference: invoice.merchantReference } : {}),
    ...(emailDelivery ? { emailDelivery } : {}),
  });
  return `${fields.slice(0, -1)},"meta":${invoice.meta ?? 'null'}}`;
}

export function invoiceSubject(invoice: Invoice, view: InvoiceView): EventSubject {
  const { id, status, amount, currency, paymentIntentId } = invoice;
  return {
    name: 'invoice',
    id,
    record: invoiceJson(invoice, view),
    digest: JSON.stringify({ id, status, amount, currency, paymentIntentId }),
    references: { paymentIntentId },
  };
}
