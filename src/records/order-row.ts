import { normalizeAmount } from '../domain/money.js';
import type { OrderStatus, ReleaseReason } from '../domain/orders/reasons.js';
import { type OrderView, orderShape } from '../domain/views/order-shapes.js';
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
    held_by_reports: false,
    refuted_at: [],
  };
}

export function orderView(row: PlacedOrderRow): OrderView {
  return viewOf(orderShape, row, {
    expected: expectedOf(row),
    release: {
      safe: row.release_safe,
      reason: row.release_reason,
      provenAt: row.release_proven_at?.toISOString() ?? null,
    },
  });
}

export function expectedOf({ expected_amount, expected_currency }: OrderState): OrderView['expected'] {
  if (expected_amount === null || expected_currency === null) return null;
  return { amount: normalizeAmount(expected_amount), currency: expected_currency };
}
