import { createStandardIntent } from '../payments/create-standard.js';
import type { Intent } from '../payments/intent.js';
import type { Merchant } from '../service.js';
import { requireOpen } from './end-invoice.js';
import type { Invoice } from './invoice.js';

/** The customer opens the link: the payment that it leads to, a new one where there is none or its time is over. */
export function openInvoice(merchant: Merchant, invoice: Invoice): Intent {
  requireOpen(invoice);
  const open = merchant.intents.read(invoice.openIntentId ?? '');
  if (open && !isOver(open)) return open;
  const intent = createStandardIntent(merchant, {
    amount: invoice.amount,
    currency: invoice.currency,
    requestedCurrencyType: 'fiat',
    merchantReference: invoice.merchantReference ?? undefined,
    source: 'invoice',
    invoiceId: invoice.id,
    customerEmail: invoice.customerEmail,
    settlementAccountId: invoice.settlementAccountId ?? undefined,
  });
  invoice.openIntentId = intent.id;
  return intent;
}

/** Nothing can be paid there any more: its time is over, or what came was given back. */
function isOver({ status, irregularStatus }: Intent): boolean {
  return status === 'expired' || status === 'cancelled' || irregularStatus === 'refunded';
}
