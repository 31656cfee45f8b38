import { amountOf, formatAmount } from '../base/money.js';
import { markInvoicePaid } from '../invoices/end-invoice.js';
import { book } from '../ledger/book.js';
import type { Merchant } from '../service.js';
import { settlePayment } from '../settlements/settle.js';
import type { Intent } from './intent.js';

/**
 * Books what the intent's amounts changed by since they were booked last: the merchant's net to the operating balance,
 * the fees to the service, the rest of what was received is held until somebody decides about it.
 */
export function bookIntent(merchant: Merchant, intent: Intent): void {
  const { booked, assetCode } = intent;
  if (assetCode === null) return;
  const net = amountOf(intent.amountNetMerchant);
  const fees = amountOf(intent.feeAmountTotal);
  const held = amountOf(intent.totalAmountReceived) - net - fees;
  const change = {
    net: net - amountOf(booked.net),
    fees: fees - amountOf(booked.fees),
    held: held - amountOf(booked.held),
  };
  intent.booked = { net: formatAmount(net), fees: formatAmount(fees), held: formatAmount(held) };
  if (change.net === 0n && change.fees === 0n && change.held === 0n) return;
  book(merchant, {
    at: merchant.service.clock.now(),
    type: 'payment',
    assetCode,
    recordId: intent.id,
    lines: [
      { account: 'operating', amount: change.net },
      { account: 'fees', amount: change.fees },
      { account: 'held', amount: change.held },
      { account: 'world', amount: -(change.net + change.fees + change.held) },
    ],
  });
}

/** What a completed payment sets off elsewhere: its invoice is paid, and it is reversed to fiat where that was wanted. */
export function afterCompletion(merchant: Merchant, intent: Intent): void {
  if (intent.invoiceId !== null) markInvoicePaid(merchant, intent.invoiceId, intent.id);
  if (intent.settlementAccountId !== null) settlePayment(merchant, intent);
}
