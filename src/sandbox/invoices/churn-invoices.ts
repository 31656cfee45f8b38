import { createDraw } from '../base/random.js';
import { unlessRefused } from '../base/unless-refused.js';
import { payIntent } from '../payments/pay-intent.js';
import type { Merchant } from '../service.js';
import { createInvoice, invoiceSchema, sendInvoice } from './create-invoice.js';
import { cancelInvoice } from './end-invoice.js';
import type { Invoice } from './invoice.js';
import { openInvoice } from './open-invoice.js';

/**
 * The list moves between two pages: new invoices come in at its head, and invoices that the caller has just seen, the
 * one of the cursor among them, are sent, paid or cancelled.
 */
export function churnInvoices(merchant: Merchant, cursor: string, n: number): void {
  const draw = createDraw(merchant.seed, 'churn-invoices');
  const rows = merchant.invoices.all();
  const place = merchant.invoices.placeOf(cursor) ?? 0;
  const last = rows[place];
  const other = rows[place + 1 + Math.floor(draw(n * 4) * (rows.length - place - 1))];
  const inserts = 1 + Math.floor(draw(n * 4 + 1) * 3);
  for (let i = 0; i < inserts; i += 1) insert(merchant, `churn-${n}-${i}`);
  if (last) move(merchant, last, draw(n * 4 + 2));
  if (other && other !== last) move(merchant, other, draw(n * 4 + 3));
}

function insert(merchant: Merchant, merchantReference: string): void {
  const request = { customerEmail: 'churn@example.com', amount: '10', currency: 'USD', merchantReference };
  sendInvoice(merchant, createInvoice(merchant, { request: invoiceSchema.parse(request), meta: null }));
}

function move(merchant: Merchant, invoice: Invoice, draw: number): void {
  unlessRefused(() => {
    if (invoice.status === 'draft') sendInvoice(merchant, invoice);
    else if (invoice.status === 'sent' && draw < 0.4) cancelInvoice(merchant, invoice);
    else if (invoice.status === 'sent') payIntent(merchant, openInvoice(merchant, invoice).id);
  });
}
