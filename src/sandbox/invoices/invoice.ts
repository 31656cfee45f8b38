import { iso, isoOrNull } from '../base/iso-time.js';
import type { EventSubject } from '../webhooks/event-subject.js';

export type InvoiceStatus = 'draft' | 'sent' | 'paid' | 'expired' | 'cancelled';

export const INVOICE_STATUSES: readonly InvoiceStatus[] = ['draft', 'sent', 'paid', 'expired', 'cancelled'];

export interface Invoice {
  id: string;
  customerEmail: string;
  customerName: string;
  amount: string;
  currency: string;
  assetCode: string | null;
  description: string | null;
  /** The caller's JSON text, given back as it came. */
  meta: string | null;
  merchantReference: string | null;
  language: string | null;
  collectCustomerInformation: boolean;
  /** The settlement account that the payment is reversed to when it completes. */
  settlementAccountId: string | null;
  status: InvoiceStatus;
  /** The payment that paid it. */
  paymentIntentId: string | null;
  /** The payment that its link leads to; a new one once that is over. */
  openIntentId: string | null;
  expiresAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** What the e-mail came to; in the answer of the creation only. */
export interface EmailDelivery {
  sent: boolean;
  error?: string;
}

interface InvoiceView {
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
