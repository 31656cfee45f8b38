import { canonicalHash } from '../../domain/canonical-json.js';
import { payinSummaries, type ShownRecord } from '../../domain/family/links.js';
import { type JsonObject, toJsonText } from '../../domain/json.js';
import { compareText } from '../../domain/record-state.js';
import { momentOf } from '../../domain/service-time.js';
import type { BreakFindings } from '../breaks/breaks.js';
import type { NewChange } from '../changes.js';
import { expectedOf, type OrderState, owedOf, surplusOf } from '../order-row.js';
import type { SaveContext } from '../stored-record.js';
import type { DerivedRow } from './derive-orders.js';

/**
 * One change per part of the order that is other than before. Of a list it shows what left (`from`) and what came (`to`),
 * so that it does not grow with the order; what the list was before is what it is now without what came, with what left.
 */
export function orderChanges(
  { before, after }: Pick<DerivedRow, 'before' | 'after'>,
  { source, serviceTime }: Pick<NewChange, 'source' | 'serviceTime'>,
): NewChange[] {
  const entity = { kind: 'order' as const, id: after.reference };
  const changed = (field: string, from: string | null, to: string): NewChange[] =>
    from === to ? [] : [{ entity, field, from, to, source, serviceTime }];
  const parts = Object.entries(partsOf).flatMap(([field, part]) => {
    // Of a new order the rest says nothing that its records don't.
    const isShown = before !== null || part(after) !== NOTHING;
    return isShown ? changed(field, before && part(before), part(after)) : [];
  });
  if (before === null) return parts;
  const lists = Object.entries(listsOf).flatMap(([field, list]) =>
    changed(field, idsWithout(list(before), list(after)), idsWithout(list(after), list(before))),
  );
  return [...parts, ...lists];
}

const NOTHING = toJsonText(null);

/** What the history says of an order, and how it is written there. */
export const partsOf = {
  status: (row: OrderState) => toJsonText(row.status),
  release: (row: OrderState) => toJsonText({ safe: row.release_safe, reason: row.release_reason }),
  expected: (row: OrderState) => toJsonText(expectedOf(row)),
  owed: (row: OrderState) => toJsonText(owedOf(row)),
  surplus: (row: OrderState) => toJsonText(surplusOf(row)),
};

const listsOf = {
  paymentIntents: (row: OrderState) => row.payment_intents,
  invoices: (row: OrderState) => row.invoices,
  refunds: (row: OrderState) => row.refunds,
};

function idsWithout(ids: readonly string[], others: readonly string[]): string {
  const without = new Set(others);
  return toJsonText(ids.filter((id) => !without.has(id)));
}

/**
 * An order is paid twice, or is not. Payments that were all created and paid before adoption are history: no break. While
 * something about the order is undecided, its double payment is neither there nor gone; so where too many share its reference.
 */
export function orderBreaks(
  { before, after, records }: Omit<DerivedRow, 'changed'>,
  { adoptedAt }: Pick<SaveContext, 'adoptedAt'>,
): BreakFindings {
  const entity = { kind: 'order' as const, id: after.reference };
  const payments = records.intents.filter(isPaid);
  if (after.status !== 'paid_twice') {
    const isUndecided =
      ['disputed', 'paid_unverified', 'shared_reference'].includes(after.status) ||
      (payments.length > 1 && payments.some(({ verified }) => !verified));
    return { open: [], resolve: before === null || isUndecided ? [] : [{ kind: 'duplicate_payment', entity }] };
  }
  if (!records.intents.some(({ fields }) => isOfOurTime(fields, adoptedAt))) return { open: [], resolve: [] };
  const evidence = {
    expected: expectedOf(after),
    payments: payments.map(({ id, verified, fields }) => ({
      id,
      verified,
      status: fields['status'] ?? null,
      amountRequested: fields['amountRequested'] ?? null,
      currencyRequested: fields['currencyRequested'] ?? null,
      totalAmountReceived: fields['totalAmountReceived'] ?? null,
      assetCode: fields['assetCode'] ?? null,
    })),
  };
  // Another try at paying, which anybody can begin, makes no new case of what a person has decided.
  const cause = canonicalHash(payments.map(({ id }) => id).sort(compareText));
  return { open: [{ kind: 'duplicate_payment', entity, evidence, cause }], resolve: [] };
}

export function isPaid({ fields }: Pick<ShownRecord, 'fields'>): boolean {
  return fields['status'] === 'completed' || fields['irregularStatus'] === 'encashed';
}

/** Created since adoption, or created before and paid since. */
function isOfOurTime(fields: JsonObject, adoptedAt: Date): boolean {
  const created = momentOf(fields['createdAt']) ?? Number.POSITIVE_INFINITY;
  const paid = payinSummaries(fields).map((payin) => momentOf(payin['createdAt']) ?? 0);
  return Math.max(created, ...paid) >= adoptedAt.getTime();
}
