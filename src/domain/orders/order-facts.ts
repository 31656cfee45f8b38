import type { JsonObject } from '../json.js';
import { isAmount } from '../money.js';
import type { KytWords } from './kyt.js';

/** A record as it is shown (`Shown` of merge.ts, with its id). */
export interface ShownRecord {
  id: string;
  fields: JsonObject;
  verified: boolean;
  /** Milliseconds of the service's clock. */
  verifiedAt: number | null;
  absent: boolean;
}

/** A payout that gives a collected payment back (specification 4.5). */
export interface OrderRefund {
  amount: string;
  status: string;
  /** Absent or null where nothing says which of the order's payments it refunds. */
  paymentIntentId?: string | null;
}

export interface Money {
  amount: string;
  currency: string;
}

/** What this installation holds a release to. */
export interface ReleaseRules {
  /** How the account's compliance results are read; left out: domain/orders/kyt.ts. */
  kytWords?: KytWords | undefined;
  /** An order that the store did not register is never safe. */
  requiresRegistration?: boolean | undefined;
}

/** Everything that an order's state is derived from. */
export interface OrderFacts extends ReleaseRules {
  reference: string;
  /** What the store registered; null: the service's records alone decide. */
  expected: Money | null;
  intents: readonly ShownRecord[];
  /** Details of the deposits of those intents, as far as they were read. */
  payins: readonly ShownRecord[];
  invoices: readonly ShownRecord[];
  refunds: readonly OrderRefund[];
  /** More records carry the reference than can be one order's; they need not be here. */
  shared?: boolean;
}

/** The field where it holds an amount; null where it holds none. */
export function amountField(fields: JsonObject, name: string): string | null {
  const value = Object.hasOwn(fields, name) ? fields[name] : null;
  return isAmount(value) ? value : null;
}

/** Codes of currencies and assets in upper and lower case are the same. */
export function sameCurrency(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase();
}
