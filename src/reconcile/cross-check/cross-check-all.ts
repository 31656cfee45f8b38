import type { RecordKind } from '../../domain/records.js';
import { recordIds } from '../../records/breaks/checked-records.js';
import { type CrossCheckDeps, type CrossCheckReport, checkInSlice } from '../cross-check.js';
import type { Kind } from '../deps.js';

const AT_ONCE = 500;

/** The records that a poll of a kind shows; of the others there is nothing to hold against another. */
const recordsOf: Partial<Record<Kind, readonly RecordKind[]>> = {
  'payment-intents': ['payment_intent', 'payin'],
  invoices: ['invoice'],
  payouts: ['payout'],
  accounts: ['account'],
  transactions: ['transaction'],
};

/** Holds every record that belongs to a kind of reading against what belongs to it, changed or not; slice by slice. */
export async function crossCheckAll(deps: CrossCheckDeps, kind: Kind, signal?: AbortSignal): Promise<CrossCheckReport> {
  const report: CrossCheckReport = { checked: 0, opened: 0, resolved: 0 };
  for (const record of recordsOf[kind] ?? []) {
    let after: string | null = '';
    while (after !== null) {
      signal?.throwIfAborted();
      const ids: string[] = await recordIds(deps.db, record, after, AT_ONCE);
      const slice = await checkInSlice(
        deps,
        ids.map((id) => ({ kind: record, id })),
      );
      report.checked += slice.checked;
      report.opened += slice.opened;
      report.resolved += slice.resolved;
      after = ids.length < AT_ONCE ? null : (ids.at(-1) ?? null);
    }
  }
  return report;
}
