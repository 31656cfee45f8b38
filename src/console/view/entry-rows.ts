import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { entityHref, inPath } from './links.js';
import { kindWord } from './record-words.js';
import type { Column } from './sections.js';
import { amount, badgesOf, id, list, oneLine, quiet, stack, text, type Value } from './values.js';

export const entryBadge = badgesOf<EntryView['type']>({
  entry: 'quiet',
  reversal: 'warn',
  correction: 'info',
  change: 'info',
});

/** Kinds that entries come from and that have a page. */
const linked = ['payment_intent', 'payin', 'payout', 'transaction', 'balance'] as const;

export const entryColumns: readonly Column<EntryView>[] = [
  ['Entry', (entry) => entryId(entry.id)],
  [
    'Date',
    ({ date, adjusts }) => (adjusts === null ? oneLine(date) : list([oneLine(date), quiet(`belongs to ${adjusts}`)])),
  ],
  [
    'What',
    ({ type, description }) => (type === 'entry' ? text(description) : list([entryBadge(type), text(description)])),
  ],
  ['Made of', ({ recordKind, recordId }) => recordOf(recordKind, recordId)],
  ['Lines', ({ lines }) => stack(lines.map(lineOf)), 'wide'],
];

export const entryId = (entry: string): Value => id(entry, `/ledger/${inPath(entry)}`);

/** What an entry comes from, and where it is shown: openings and the like are about the balance of an asset. */
export function recordOf(kind: string, name: string): Value {
  const known = kind === 'opening' || kind === 'placement' ? 'balance' : linked.find((one) => one === kind);
  return list([quiet(kindWord(kind)), id(name, known === undefined ? undefined : entityHref(known, name))]);
}

export function lineOf({ account, assetCode, amount: sum, memo }: EntryLineView): Value {
  return list([text(memo ? `${account} (memo)` : account), amount(sum, assetCode)]);
}
