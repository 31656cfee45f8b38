import { amountOf, formatAmount, ONE } from '../base/money.js';
import { drawsOf, hexOf, pick } from '../base/random.js';
import { expireInvoice } from '../invoices/end-invoice.js';
import type { Invoice, InvoiceStatus } from '../invoices/invoice.js';
import type { Intent } from '../payments/intent.js';
import { INVOICE } from '../payments/intent-index.js';
import type { Merchant } from '../service.js';
import { DAY_MS, NEWEST_MS, SPAN_MS } from './history-plan.js';

/** An invoice is made this long before its link is opened. */
const LEAD_MS = 60_000;
const FIATS = ['USD', 'EUR', 'XOF', 'NGN'] as const;

/**
 * The invoices that past payments came from, and as many more as make up the count: drafts, and those whose link nobody
 * ever opened. Oldest first.
 */
export function addPastInvoices(merchant: Merchant, count: number): void {
  const { clock } = merchant.service;
  const now = clock.now();
  const { intents, seed } = merchant;
  const isOpened = (flags: number): boolean => (flags & INVOICE) !== 0;
  const unopened = unopenedInvoices(seed, Math.max(count - intents.countPast(isOpened), 0), now);
  const add = (invoice: Invoice): void => {
    merchant.invoices.addMade(invoice);
    const { status, expiresAt } = invoice;
    if (status === 'sent' && expiresAt !== null) clock.at(expiresAt, () => expireInvoice(merchant, invoice));
  };
  let next = unopened.next();
  for (const intent of intents.pastWhere(isOpened)) {
    const invoice = openedInvoice(intent, now);
    for (; !next.done && next.value.createdAt < invoice.createdAt; next = unopened.next()) add(next.value);
    add(invoice);
  }
  for (; !next.done; next = unopened.next()) add(next.value);
}

function openedInvoice(intent: Intent, now: number): Invoice {
  const { position, expiresAt } = intent;
  return {
    ...sentTo(position, intent.amountRequested),
    id: intent.invoiceId ?? '',
    customerEmail: intent.customerEmail ?? `customer${position}@example.com`,
    currency: intent.currencyRequested,
    merchantReference: intent.merchantReference,
    status: openedStatus(intent, now),
    paymentIntentId: intent.status === 'completed' ? intent.id : null,
    openIntentId: intent.id,
    expiresAt,
    createdAt: intent.createdAt - LEAD_MS,
    updatedAt: intent.updatedAt,
  };
}

function openedStatus({ status, expiresAt }: Intent, now: number): InvoiceStatus {
  if (status === 'completed') return 'paid';
  if (status === 'cancelled') return 'cancelled';
  return expiresAt <= now ? 'expired' : 'sent';
}

/** Fields that do not depend on what became of it. Some list their articles, which sum up to the amount exactly. */
function sentTo(n: number, amount: string) {
  return {
    customerName: `Customer ${n}`,
    amount,
    assetCode: null,
    description: null,
    meta: n % 3 === 0 ? itemsOf(amount) : null,
    language: null,
    collectCustomerInformation: false,
    settlementAccountId: null,
  };
}

function itemsOf(amount: string): string {
  const whole = amountOf(amount);
  const unit = whole / 4n;
  const items = [
    { name: 'Goods', quantity: 3, unitPrice: formatAmount(unit) },
    { name: 'Delivery', quantity: 1, unitPrice: formatAmount(whole - 3n * unit) },
  ];
  return JSON.stringify({ items });
}

const DEADLINE_MS = 30 * DAY_MS;

function* unopenedInvoices(seed: number, count: number, now: number): Generator<Invoice> {
  const draws = drawsOf(seed, 'past-invoice', ['time', 'fate', 'amount', 'currency']);
  const step = (SPAN_MS - NEWEST_MS) / Math.max(count, 1);
  for (let n = 0; n < count; n += 1) {
    const createdAt = Math.floor(now - SPAN_MS + step * (n + draws.time(n)));
    const deadline = createdAt + DEADLINE_MS;
    const status = unopenedStatus(draws.fate(n), deadline <= now);
    const amount = formatAmount((BigInt(100 + Math.floor(draws.amount(n) * 50_000)) * ONE) / 100n);
    yield {
      ...sentTo(n, amount),
      id: `inv_${hexOf(seed, 'history-unopened-invoice', n, 24)}`,
      customerEmail: `buyer${n}@example.com`,
      currency: pick(FIATS, draws.currency(n)),
      merchantReference: n % 4 === 0 ? null : `inv-${String(n).padStart(7, '0')}`,
      status,
      paymentIntentId: null,
      openIntentId: null,
      expiresAt: status === 'draft' ? null : deadline,
      createdAt,
      updatedAt: status === 'expired' ? deadline : createdAt,
    };
  }
}

function unopenedStatus(draw: number, isOver: boolean): InvoiceStatus {
  if (draw < 0.1) return 'draft';
  if (draw < 0.25) return 'cancelled';
  return isOver ? 'expired' : 'sent';
}
