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
