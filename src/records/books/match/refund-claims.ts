import type { Knex } from 'knex';
import { ownerOfRefund, type PayoutWords, type ShownRecord } from '../../../domain/family/links.js';
import { loadNaming, readAssigned } from '../../family/around.js';

interface RefundClaim {
  /** The one payment that the refund is counted with; null: it gives none back. */
  payment: string | null;
  /** What its records say that can't all be so; null: they agree. */
  differs: string | null;
}

/** Which payment each refund gives back (`ownerOfRefund`), and where its records name several. */
export async function refundClaims(
  trx: Knex,
  refunds: readonly ShownRecord[],
  words: PayoutWords,
): Promise<Map<string, RefundClaim>> {
  if (refunds.length === 0) return new Map();
  const naming = await loadNaming(trx, new Map(), refunds, []);
  const assigned = await readAssigned(trx, refunds);
  return new Map(
    refunds.map((refund) => {
      const { payment, candidates } = ownerOfRefund(refund, naming, words, assigned);
      return [refund.id, { payment, differs: candidates.length > 1 ? differenceOf(refund, candidates) : null }];
    }),
  );
}

function differenceOf({ id }: ShownRecord, payments: readonly string[]): string {
  return `refund ${id} is said to be of payments ${payments.join(' and ')}: it is counted with the first`;
}
