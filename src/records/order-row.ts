import { normalizeAmount } from '../domain/money.js';
import type { OrderStatus, ReleaseReason } from '../domain/orders/reason-words.js';
import { type OrderView, orderShape } from '../domain/views/order-shapes.js';
import { type Sql, sql } from './database/statements.js';
import { viewOf } from './database/view-of.js';

/** What is derived of an order, and what the store said of it. */
export interface OrderState {
  reference: string;
  expected_amount: string | null;
  expected_currency: string | null;
  registered_at: Date | null;
  status: OrderStatus;
  payment_intents: string[];
  invoices: string[];
  refunds: string[];
  release_safe: boolean;
  release_reason: ReleaseReason;
  release_proven_at: Date | null;
  /** What is missing of an order that is underpaid, or too much of one that is overpaid; null where that is not known. */
  difference_amount: string | null;
  difference_currency: string | null;
  /** What came in for its payments; null where nothing did, or several assets. */
  received_amount: string | null;
  received_asset: string | null;
  /** Reports alone hold it; and when such holds turned out to be unfounded. */
  held_by_reports: boolean;
  refuted_at: Date[];
}

export interface OrderRow extends OrderState {
  created_at: Date;
  updated_at: Date;
}

/** Of a row of `orders`: the place of its newest change in the feed. */
export const ORDER_SEQ = `(SELECT coalesce(max(changes.seq), 0)::text FROM changes
  WHERE entity_kind = 'order' AND entity_id = orders.reference) AS seq`;

/** Paid, also by a report alone, and not released. Those from before the adoption may be many, and held for ever: an index leaves them out. */
export const paidAndHeld = (adoptedAt: Date): Sql =>
  sql`NOT release_safe AND status IN ('paid', 'paid_unverified') AND created_at >= ${adoptedAt}`;

export type PlacedOrderRow = OrderRow & Pick<OrderView, 'seq'>;

/** An order of which nothing but its name is known. */
export function untouchedOrder(reference: string): OrderState {
  return {
    reference,
    expected_amount: null,
    expected_currency: null,
    registered_at: null,
    status: 'awaiting_payment',
    payment_intents: [],
    invoices: [],
    refunds: [],
    release_safe: false,
    release_reason: 'awaiting_payment',
    release_proven_at: null,
    difference_amount: null,
    difference_currency: null,
    received_amount: null,
    received_asset: null,
    held_by_reports: false,
    refuted_at: [],
  };
}

/** The columns of `OrderState`. */
export const ORDER_STATE = Object.keys(untouchedOrder('')).join(', ');

export function orderView(row: PlacedOrderRow): OrderView {
  return viewOf(orderShape, row, {
    expected: expectedOf(row),
    owed: owedOf(row),
    surplus: surplusOf(row),
    release: releaseOf(row),
    received: moneyOf(row.received_amount, row.received_asset),
  });
}

export function releaseOf(row: OrderState): OrderView['release'] {
  return { safe: row.release_safe, reason: row.release_reason, provenAt: row.release_proven_at?.toISOString() ?? null };
}

export function expectedOf({ expected_amount, expected_currency }: OrderState): OrderView['expected'] {
  return moneyOf(expected_amount, expected_currency);
}

export function owedOf({ status, difference_amount, difference_currency }: OrderState): OrderView['owed'] {
  return status === 'underpaid' ? moneyOf(difference_amount, difference_currency) : null;
}

export function surplusOf({ status, difference_amount, difference_currency }: OrderState): OrderView['surplus'] {
  return status === 'overpaid' ? moneyOf(difference_amount, difference_currency) : null;
}

function moneyOf(amount: string | null, currency: string | null): OrderView['expected'] {
  return amount === null || currency === null ? null : { amount: normalizeAmount(amount), currency };
}
