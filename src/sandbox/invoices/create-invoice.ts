import { z } from 'zod';
import { type Asset, findAsset } from '../assets/assets.js';
import { isFiat } from '../assets/fiat.js';
import { timeOf } from '../base/iso-time.js';
import { amountOf, formatAmount } from '../base/money.js';
import { invalid, Refusal } from '../base/refusal.js';
import { amount, assetCode, autoSettlement, isoTime, text } from '../base/schemas.js';
import type { Merchant } from '../service.js';
import { checkAutoSettlement } from '../settlements/auto-settlement.js';
import { expireInvoice, requireOpen, setInvoiceStatus, viewOf } from './end-invoice.js';
import { type EmailDelivery, type Invoice, invoiceSubject } from './invoice.js';

const item = z.looseObject({
  name: text(),
  quantity: z.int().positive(),
  unitPrice: amount,
  description: text().nullish(),
});

/** Specification 4.2. */
export const invoiceSchema = z.object({
  customerEmail: text(320).regex(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail'),
  customerName: text().nullish(),
  amount,
  currency: z.string(),
  description: text().nullish(),
  expiresAt: isoTime.nullish(),
  assetCode: assetCode.nullish(),
  meta: z.looseObject({ items: z.array(item).nullish(), notes: text().nullish() }).nullish(),
  merchantReference: text().nullish(),
  language: text(35).nullish(),
  collectCustomerInformation: z.boolean().nullish(),
  autoSettlement: autoSettlement.nullish(),
});

type InvoiceRequest = z.output<typeof invoiceSchema>;

export interface NewInvoice {
  request: InvoiceRequest;
  /** The text of the body's `meta` member. */
  meta: string | null;
}

/** Creates the invoice as a draft; `sendInvoice` is the next step. */
export function createInvoice(merchant: Merchant, { request, meta }: NewInvoice): Invoice {
  if (!isFiat(request.currency))
    throw new Refusal(400, 'CURRENCY_NOT_ACTIVE', 'currency: an active fiat currency is wanted');
  checkItems(request);
  const asset = suggestedAsset(merchant, request);
  const settlementAccountId = checkAutoSettlement(merchant, request.autoSettlement, asset);
  const at = merchant.service.clock.now();
  const expiresAt = request.expiresAt ? timeOf(request.expiresAt) : null;
  if (expiresAt !== null && expiresAt <= at) throw invalid('expiresAt: must lie ahead');
  const invoice = merchant.invoices.add((id) => ({
    id,
    customerEmail: request.customerEmail,
    customerName: request.customerName ?? '',
    amount: formatAmount(amountOf(request.amount)),
    currency: request.currency,
    assetCode: asset?.assetCode ?? null,
    description: request.description ?? null,
    meta: request.meta ? meta : null,
    merchantReference: request.merchantReference ?? null,
    language: request.language ?? null,
    collectCustomerInformation: request.collectCustomerInformation ?? false,
    settlementAccountId,
    status: 'draft',
    paymentIntentId: null,
    openIntentId: null,
    expiresAt,
    createdAt: at,
    updatedAt: at,
  }));
  merchant.send('invoice.created', () => invoiceSubject(invoice, viewOf(merchant)));
  if (expiresAt !== null) merchant.service.clock.at(expiresAt, () => expireInvoice(merchant, invoice));
  return invoice;
}

function checkItems({ meta, amount: wanted }: InvoiceRequest): void {
  if (!meta?.items) return;
  const sum = meta.items.reduce((total, { quantity, unitPrice }) => total + BigInt(quantity) * amountOf(unitPrice), 0n);
  if (sum !== amountOf(wanted))
    throw new Refusal(400, 'INVOICE_ITEMS_SUM', `meta.items sum up to ${formatAmount(sum)}, not to the amount`);
}

function suggestedAsset(merchant: Merchant, { assetCode }: InvoiceRequest): Asset | null {
  if (!assetCode) return null;
  const asset = findAsset(assetCode);
  if (!asset || merchant.inactiveAssets.has(assetCode))
    throw new Refusal(400, 'ASSET_NOT_SUPPORTED', `${assetCode} is not available`);
  return asset;
}

/** An address under .invalid can't get mail (RFC 2606): the invoice stays a draft. */
export function sendInvoice(merchant: Merchant, invoice: Invoice): EmailDelivery {
  requireOpen(invoice);
  if (/\.invalid$/i.test(invoice.customerEmail))
    return { sent: false, error: `the domain of ${invoice.customerEmail} has no mail server` };
  if (invoice.status === 'draft') setInvoiceStatus(merchant, invoice, 'sent');
  return { sent: true };
}
