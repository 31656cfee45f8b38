import { depositEntries } from './deposit-entries.js';
import type { BookChoices, BookRecord, Draft } from './entry.js';
import { netLines, unbalanced } from './lines.js';
import { paymentEntries } from './payment-entries.js';
import { payoutEntries } from './payout-entries.js';
import { transactionEntries } from './transaction-entries.js';

/**
 * All that the books should say of a record as it stands now, in double entry. What it moved is what balances are proven by
 * (`moved`, made by the contract's table), less what stood at the opening of the books: so the operating account of an asset
 * always is what its proof explains. An effect whose amount or asset is not shown is in none of them.
 */
export function entriesOf(record: BookRecord, choices: BookChoices): Draft[] {
  const drafts = oneForEachKey(draftsOf(record, choices));
  for (const { key, lines } of drafts) {
    const open = unbalanced(lines);
    if (open.length > 0) throw new Error(`${record.kind} ${record.id}, ${key}: ${open.join(', ')} is not in balance`);
  }
  return drafts;
}

/** What a record did before it was told otherwise stands beside what it does: they are one entry. */
function oneForEachKey(drafts: readonly Draft[]): Draft[] {
  const merged = new Map<string, Draft>();
  for (const draft of drafts) {
    const before = merged.get(draft.key);
    const lines = netLines([...(before?.lines ?? []), ...draft.lines]);
    merged.set(draft.key, { ...(before ?? draft), lines });
  }
  return [...merged.values()];
}

function draftsOf(record: BookRecord, choices: BookChoices): Draft[] {
  switch (record.kind) {
    case 'payment_intent':
      return paymentEntries(record, choices);
    case 'payin':
      return depositEntries(record);
    case 'payout':
      return payoutEntries(record);
    case 'transaction':
      return transactionEntries(record, choices);
    default:
      return record.kind satisfies never;
  }
}
