import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { entityHref, inPath } from './links.js';
import { kindWord } from './record-words.js';
import { amount, badge, id, list, oneLine, quiet, stack, type Tone, text, type Value } from './values.js';

const tones = { entry: 'quiet', reversal: 'warn', correction: 'info', change: 'info' } as const satisfies Record<
  EntryView['type'],
  Tone
>;

/** Kinds that entries come from and that have a page. */
const linked = ['payment_intent', 'payin', 'payout', 'transaction', 'balance'] as const;

export const entryColumns = [
  { label: 'Entry' },
  { label: 'Date' },
  { label: 'What' },
  { label: 'Made of' },
  { label: 'Lines', wide: true },
] as const;

export function entryCells(entry: EntryView): Value[] {
  return [
    id(entry.id, entryHref(entry.id)),
    entry.adjusts === null ? oneLine(entry.date) : list([oneLine(entry.date), quiet(`belongs to ${entry.adjusts}`)]),
    entry.type === 'entry' ? text(entry.description) : list([entryBadge(entry.type), text(entry.description)]),
    recordOf(entry.recordKind, entry.recordId),
    stack(entry.lines.map(lineOf)),
  ];
}

export const entryHref = (entry: string): string => `/ledger/${inPath(entry)}`;

export function entryBadge(type: EntryView['type']): Value {
  return badge(type, tones[type]);
}

/** What an entry comes from, and where it is shown: openings and the like are about the balance of an asset. */
export function recordOf(kind: string, name: string): Value {
  const known = kind === 'opening' || kind === 'placement' ? 'balance' : linked.find((one) => one === kind);
  const shown = known === undefined ? id(name) : id(name, entityHref(known, name));
  return list([quiet(kindWord(kind)), shown]);
}

export function lineOf({ account, assetCode, amount: sum, memo }: EntryLineView): Value {
  return list([text(memo ? `${account} (memo)` : account), amount(sum, assetCode)]);
}
