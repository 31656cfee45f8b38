import type { BookedKind, Dated, Draft, Line } from './entry.js';
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
  return [{ ...ofDraft(draft), dated, type: 'entry', version: 1, reverses: null, corrects: null, after: null }];
}

function step(draft: Draft, posted: Posted): Append[] {
  if (draft.isPassed && posted.last.dated.at >= draft.dated.at) return [];
  const difference = netLines([...draft.lines, ...negatedLines(posted.net)]);
  if (difference.length === 0) return [];
  const { live, last } = posted;
  const version = posted.version + 1;
  const next = { ...ofDraft(draft), version, reverses: null, corrects: last.id };
  if (draft.mode === 'state' || (live !== null && !isSame(live.lines, posted.net))) {
    return [{ ...next, type: 'change', lines: difference, after: last.bookedOn }];
  }
  if (live === null) return [{ ...next, type: 'correction', after: null }];
  const reversal = { ...reversed(posted, live), ...draft.reversal };
  if (draft.lines.length === 0) return [reversal];
  const after = draft.reversal === undefined ? null : live.bookedOn;
  return [reversal, { ...next, type: 'correction', version: version + 1, corrects: live.id, after }];
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
    },
  ];
}

/** On the day of what it takes back. */
function reversed(posted: Posted, { id, lines, dated, bookedOn }: NonNullable<Posted['live']>): Append {
  const description = 'reversal: shown otherwise since';
  const about = { description, dated, reverses: id, corrects: id, after: bookedOn } as const;
  return { ...ofPosted(posted), type: 'reversal', lines: negatedLines(lines), ...about };
}

function ofDraft(draft: Draft): Omit<Draft, OfDrafts> {
  const { recordKind, recordId, key, lines, description, sources, dated } = draft;
  return { recordKind, recordId, key, lines, description, sources, dated };
}

function ofPosted({ recordKind, recordId, key, version }: Posted) {
  return { recordKind, recordId, key, version: version + 1, sources: [{ kind: recordKind, id: recordId }] };
}

function isSame(a: readonly Line[], b: readonly Line[]): boolean {
  return netLines([...a, ...negatedLines(b)]).length === 0;
}

export function keyOf({ recordKind, recordId, key }: Pick<Draft, 'recordKind' | 'recordId' | 'key'>): string {
  return JSON.stringify([recordKind, recordId, key]);
}
