import { amountOf } from '../base/money.js';
import { hexOf } from '../base/random.js';
import { expireInvoice } from '../invoices/end-invoice.js';
import type { Invoice, InvoiceStatus } from '../invoices/invoice.js';
import type { Intent } from '../payments/intent.js';
import { DISPUTED, INVOICE } from '../payments/intent-index.js';
import type { Payout } from '../payouts/payout.js';
import { payoutBack } from '../payouts/payout-back.js';
import type { Merchant } from '../service.js';

/** The invoices that past payments came from, and the payouts that gave past payments back. */
export function addPastRecords(merchant: Merchant): void {
  const { clock } = merchant.service;
  for (const intent of merchant.intents.pastWith(INVOICE)) {
    const invoice = pastInvoice(intent, clock.now());
    merchant.invoices.addMade(invoice);
    if (invoice.status === 'sent') clock.at(intent.expiresAt, () => expireInvoice(merchant, invoice));
  }
  const payouts: Payout[] = [];
  for (const intent of merchant.intents.pastWith(DISPUTED)) {
    if (intent.irregularRefundPayoutId !== null)
      payouts.push(pastRefund(merchant, intent, intent.irregularRefundPayoutId));
  }
  payouts.sort((a, b) => a.createdAt - b.createdAt);
  for (const payout of payouts) merchant.payouts.addMade(payout);
}

/** An invoice is made this long before its link is opened. */
const LEAD_MS = 60_000;

function pastInvoice(intent: Intent, now: number): Invoice {
  const { position, amountRequested: amount } = intent;
  const items = [{ name: 'Goods', quantity: 1, unitPrice: amount }];
  return {
    id: intent.invoiceId ?? '',
    customerEmail: intent.customerEmail ?? `customer${position}@example.com`,
    customerName: `Customer ${position}`,
    amount,
    currency: intent.currencyRequested,
    assetCode: null,
    description: null,
    meta: position % 3 === 0 ? JSON.stringify({ items }) : null,
    merchantReference: intent.merchantReference,
    language: null,
    collectCustomerInformation: false,
    settlementAccountId: null,
    status: pastStatus(intent, now),
    paymentIntentId: intent.status === 'completed' ? intent.id : null,
    openIntentId: intent.id,
    expiresAt: intent.expiresAt,
    createdAt: intent.createdAt - LEAD_MS,
    updatedAt: intent.updatedAt,
  };
}

function pastStatus({ status, expiresAt }: Intent, now: number): InvoiceStatus {
  if (status === 'completed') return 'paid';
  if (status === 'cancelled') return 'cancelled';
  return expiresAt <= now ? 'expired' : 'sent';
}

const STEP_MS = 10_000;

/** Confirmed long ago, for next to no gas. */
function pastRefund(merchant: Merchant, intent: Intent, id: string): Payout {
  const at = intent.irregularActionAt ?? intent.updatedAt;
  const steps = ['pending', 'approved', 'broadcast', 'confirmed'] as const;
  const history = steps.map((status, n) => ({ status, at: at + n * STEP_MS, source: 'dashboard', note: null }));
  const { source: _, ...given } = payoutBack(intent, amountOf(intent.amountRejected));
  return {
    ...given,
    id,
    number: intent.position,
    isPast: true,
    status: 'confirmed',
    kytStatus: 'approved',
    failureReason: null,
    txid: hexOf(merchant.seed, 'past-payout-txid', intent.position, 64),
    networkFee: amountOf('0.0001'),
    networkFeeUsd: amountOf('0.01'),
    createdAt: at,
    updatedAt: at + (steps.length - 1) * STEP_MS,
    history,
  };
}
