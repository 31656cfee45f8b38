import { markInvoicePaid } from '../invoices/mark-invoice-paid.js';
import type { Merchant } from '../service.js';
import { settlePayment } from '../settlements/settle.js';
import type { Intent } from './intent.js';

/** What a completed payment sets off elsewhere: its invoice is paid, and it is reversed to fiat where that was wanted. */
export function afterCompletion(merchant: Merchant, intent: Intent): void {
  if (intent.invoiceId !== null) markInvoicePaid(merchant, intent.invoiceId, intent.id);
  if (intent.settlementAccountId !== null) settlePayment(merchant, intent);
}
