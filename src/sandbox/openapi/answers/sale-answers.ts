import { z } from 'zod';
import { INVOICE_STATUSES } from '../../invoices/invoice.js';
import { decimal, freeObject, time, url } from './parts.js';

/** Specification 2.3. `merchantReference` stands there where the faults say so. */
export const invoiceAnswer = z.strictObject({
  id: z.string(),
  customerEmail: z.string(),
  customerName: z.string(),
  amount: decimal,
  currency: z.string(),
  assetCode: z.string().nullable(),
  description: z.string().nullable(),
  meta: freeObject.nullable(),
  status: z.enum(INVOICE_STATUSES),
  paymentIntentId: z.string().nullable(),
  expiresAt: time.nullable(),
  createdAt: time,
  paymentLink: url,
  merchantReference: z.string().nullable().optional(),
});

/** The answer of the creation says what the e-mail came to. */
export const newInvoiceAnswer = z.strictObject({
  ...invoiceAnswer.shape,
  emailDelivery: z.strictObject({ sent: z.boolean(), error: z.string().optional() }),
});

/** Specification 2.9. */
export const productAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  amount: decimal,
  currency: z.string(),
  assetCode: z.string().nullable(),
  permanentLinkSlug: z.string().regex(/^[a-z0-9-]+$/),
  imageUrl: z.string().nullable(),
  isActive: z.boolean(),
  paymentLink: url,
  createdAt: time,
  stats: z.strictObject({ totalIntents: z.int(), completedIntents: z.int(), totalRevenue: decimal }),
});
