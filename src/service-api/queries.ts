import { z } from 'zod';
import { isoTime, oneOf, text } from './request-fields.js';

const take = z.number('is to be a whole number from 1 to 100').optional();
const cursor = z.string('is to be a text').optional();
const filter = z.string('is to be a text').optional();

/** Specification 4.3. */
export const invoiceQuery = z.object({
  cursor,
  take,
  status: oneOf('draft', 'sent', 'paid', 'expired', 'cancelled').optional(),
  /** Case-insensitive; a part of a reference finds it too. */
  merchantReference: filter,
});
export type InvoiceQuery = z.input<typeof invoiceQuery>;

/** Specification 4.10. `search`: in label, reference and e-mail. */
export const accountQuery = z.object({
  cursor,
  take,
  status: oneOf('active', 'frozen', 'closed').optional(),
  search: filter,
});
export type AccountQuery = z.input<typeof accountQuery>;

/** Specification 4.11. */
export const accountTransactionQuery = z.object({ cursor, take });
export type AccountTransactionQuery = z.input<typeof accountTransactionQuery>;

const page = z.int('is to be a whole number, 1 or more').min(1, 'is to be a whole number, 1 or more').optional();

/** Specification 4.12. Bounds on the creation date, ISO 8601; `page` counts from 1 and brings `totalCount`. */
export const transactionQuery = z.object({ from: isoTime.optional(), to: isoTime.optional(), page, take });
export type TransactionQuery = z.input<typeof transactionQuery>;

/** Specification 3.1. */
export const paymentIntentStates = [
  'waiting_address_selection',
  'pending',
  'confirming',
  'completed',
  'expired',
  'unmatched',
  'cancelled',
] as const;

/** Specification 4.14. `take`: 1 to 100; the service's default is 20. */
export const paymentIntentQuery = z.object({
  cursor,
  take,
  status: oneOf(...paymentIntentStates, 'irregular').optional(),
  assetCode: filter,
  productId: filter,
  posTerminalId: filter,
  invoiceId: filter,
});
export type PaymentIntentQuery = z.input<typeof paymentIntentQuery>;

/** Specification 4.17. */
export const settlementMethodQuery = z.object({ assetCode: text() });
export type SettlementMethodQuery = z.input<typeof settlementMethodQuery>;

/** Specification 4.22. `cursor`: `nextCursor` of the page before; `take`: 1 to 100, the service's default is 50. */
export const deliveryQuery = z.object({
  cursor,
  take,
  paymentIntentId: filter,
  payoutId: filter,
  depositId: filter,
  accountId: filter,
  endpointId: filter,
});
export type DeliveryQuery = z.input<typeof deliveryQuery>;

/** Of the list of payouts, where the service has one. */
export const payoutQuery = z.object({ cursor, take, status: filter });
export type PayoutQuery = z.input<typeof payoutQuery>;
