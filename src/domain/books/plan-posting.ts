import { type BookedKind, type Dated, type Draft, heldKey, type Line } from './entry.js';
import { negatedLines, netLines } from './lines.js';

export interface Posted {
  recordKind: BookedKind;
  recordId: string;
  key: string;
  version: number;
  /** The last of them that was made whole and not reversed; null: there is none such. */
  live: (PostedEntry & { lines: Line[] }) | null;
  net: Line[];
  last: PostedEntry;
}

interface PostedEntry {
  id: string;
  dated: Dated;
  /** YYYY-MM-DD, where it is booked on another day than its own, as that of a closed month; null: it is not. */
  bookedOn: string | null;
}

type OfDrafts = 'mode' | 'firstDated' | 'isPassed' | 'reversal';

/** One entry to be appended. `reverses` and `corrects` are ids of posted entries. */
export interface Append extends Omit<Draft, OfDrafts> {
  type: 'entry' | 'reversal' | 'correction' | 'change';
  version: number;
  reverses: string | null;
  corrects: string | null;
  /** YYYY-MM-DD: it goes on from what is booked there, and is booked no earlier, though a month before it is open again. */
  after: string | null;
  /** The entry whose value it keeps, with the day of its rates: what it takes back, moves on, or releases of what is held. Null: it has its own. */
  worthAs: { id: string; day: string | undefined } | null;
}

/**
 * What to append so that the books say what they should: nothing where they do. A fact that the record now says otherwise is reversed and
 * made anew; a state moves on by the difference. A key that no record has any more is taken back.
 */
export function planPosting(drafts: readonly Draft[], posted: readonly Posted[]): Append[] {
  const known = new Map(posted.map((one) => [keyOf(one), one]));
  const planned = drafts.flatMap((draft) => {
    const before = known.get(keyOf(draft));
    known.delete(keyOf(draft));
    return before === undefined ? first(draft) : step(draft, before);
  });
  return [...planned, ...[...known.values()].flatMap(takenBack)];
}

function first(draft: Draft): Append[] {
  if (draft.lines.length === 0) return [];
  const dated = draft.firstDated ?? draft.dated;
  const none = { reverses: null, corrects: null, after: null, worthAs: null } as const;
  return [{ ...ofDraft(draft), ...none, dated, type: 'entry', version: 1 }];
}

function step(draft: Draft, posted: Posted): Append[] {
  if (draft.isPassed && posted.last.dated.at >= draft.dated.at) return [];
  const difference = netLines([...draft.lines, ...negatedLines(posted.net)]);
  if (difference.length === 0) return [];
  const { live, last } = posted;
  const version = posted.version + 1;
  const next = { ...ofDraft(draft), version, reverses: null, corrects: last.id };
  if (draft.mode === 'state' || (live !== null && !isSame(live.lines, posted.net))) {
    // What is placed belongs to its payouts, of which each is in its own month.
    const after = draft.recordKind === 'placement' ? null : last.bookedOn;
    return [{ ...next, type: 'change', lines: difference, after, worthAs: heldAs(posted) }];
  }
  if (live === null) return [{ ...next, type: 'correction', after: null, worthAs: null }];
  const reversal = { ...reversed(posted, live), ...draft.reversal };
  if (draft.lines.length === 0) return [reversal];
  // What is rebooked is the same thing, on another account.
  const { after, worthAs } = draft.reversal === undefined ? { after: null, worthAs: null } : reversal;
  return [reversal, { ...next, type: 'correction', version: version + 1, corrects: live.id, after, worthAs }];
}

function takenBack(posted: Posted): Append[] {
  const { live, last, net } = posted;
  if (net.length === 0) return [];
  if (live !== null && isSame(live.lines, net)) return [reversed(posted, live)];
  return [
    {
      ...ofPosted(posted),
      type: 'change',
      lines: negatedLines(net),
      description: 'taken back: no longer shown',
      dated: last.dated,
      reverses: null,
      corrects: last.id,
      after: last.bookedOn,
      worthAs: heldAs(posted),
    },
  ];
}

/** What is held in a dispute is worth what it was when it came into question, until nothing of it is held: no money stays there without units. */
function heldAs({ recordKind, key, net, last }: Posted): Append['worthAs'] {
  const isHeld = recordKind === 'payment_intent' && key === heldKey && net.length > 0;
  return isHeld ? { id: last.id, day: last.dated.day } : null;
}

/** On the day of what it takes back. */
function reversed(posted: Posted, { id, lines, dated, bookedOn }: NonNullable<Posted['live']>): Append {
  const description = 'reversal: shown otherwise since';
  const worthAs = { id, day: dated.day };
  const about = { description, dated, reverses: id, corrects: id, after: bookedOn, worthAs } as const;
  return { ...ofPosted(posted), type: 'reversal', lines: negatedLines(lines), ...about };
}

function ofDraft(draft: Draft): Omit<Draft, OfDrafts> {
  const { recordKind, recordId, key, lines, description, sources, dated } = draft;
  return { recordKind, recordId, key, lines, description, sources, dated };
}

function ofPosted({ recordKind, recordId, key, version }: Posted) {
  return { recordKind, recordId, key, version: version + 1, sources: [{ kind: recordKind, id: recordId }] };
}

const isSame = (a: readonly Line[], b: readonly Line[]): boolean => netLines([...a, ...negatedLines(b)]).length === 0;

export function keyOf({ recordKind, recordId, key }: Pick<Draft, 'recordKind' | 'recordId' | 'key'>): string {
  return JSON.stringify([recordKind, recordId, key]);
}
