import type { Json, JsonObject } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { compareAmounts, isAmount } from '../domain/money.js';
import { textField } from '../domain/records.js';
import type { InvoiceRequest } from './request-schemas.js';

/** Clocks may differ by more than is measured. */
const MARGIN_MS = 5_000;

/**
 * The invoices of a list that a creating call may have made: those for the same customer and amount that are no older than
 * the call. What the list does not show of an invoice counts as equal. `sentAt`: ms of the service's clock.
 */
export function matchingInvoices(list: readonly Json[], asked: InvoiceRequest, sentAt: number): JsonObject[] {
  return list.filter(isJsonObject).filter((invoice) => {
    const created = Date.parse(textField(invoice, 'createdAt') ?? '');
    return (
      sameAmount(invoice['amount'], asked.amount) &&
      !(created < sentAt - MARGIN_MS) &&
      shared.every((field) => agrees(invoice[field], asked[field]))
    );
  });
}

const shared = [
  'customerEmail',
  'customerName',
  'currency',
  'assetCode',
  'description',
  'merchantReference',
] as const satisfies (keyof InvoiceRequest)[];

function agrees(shown: Json | undefined, asked: string | undefined): boolean {
  if (shown === undefined || shown === null || asked === undefined) return true;
  return typeof shown === 'string' && shown.trim().toLowerCase() === asked.trim().toLowerCase();
}

function sameAmount(shown: Json | undefined, asked: string): boolean {
  return isAmount(shown) && compareAmounts(shown, asked) === 0;
}
