import type { Knex } from 'knex';
import type { ShownRecord } from '../../../domain/orders/order-facts.js';
import { refundedIntent } from '../../../domain/orders/order-refund.js';
import { textArray } from '../../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../../database/database-text.js';
import { grouped } from './grouped.js';

interface RefundClaim {
  /** The one payment that the refund is counted with; null: it gives none back. */
  payment: string | null;
  /** What its records say that can't all be so; null: they agree. */
  differs: string | null;
}

/**
 * Which payment each refund gives back: the one that names it as the refund of its dispute, of several the first, those that
 * the service still lists before the others; else the one that the refund itself names.
 */
export async function refundClaims(trx: Knex, refunds: readonly ShownRecord[]): Promise<Map<string, RefundClaim>> {
  if (refunds.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { refund: string; payment: string }[] }>(
    `SELECT irregular_refund_payout_id AS refund, id AS payment FROM payment_intents
     WHERE irregular_refund_payout_id = ANY (?::text[]) ORDER BY absent_since IS NOT NULL, id COLLATE "C"`,
    [textArray(refunds.map(({ id }) => toDatabaseText(id)))],
  );
  const naming = grouped(rows, ({ refund }) => fromDatabaseText(refund));
  return new Map(
    refunds.map((refund) => {
      const byPayments = (naming.get(refund.id) ?? []).map(({ payment }) => fromDatabaseText(payment));
      const byItself = refundedIntent(refund, []);
      const all = [...new Set([...byPayments, ...(byItself === null ? [] : [byItself])])];
      return [refund.id, { payment: all[0] ?? null, differs: all.length > 1 ? differenceOf(refund, all) : null }];
    }),
  );
}

function differenceOf({ id }: ShownRecord, payments: readonly string[]): string {
  return `refund ${id} is said to be of payments ${payments.join(' and ')}: it is counted with the first`;
}
