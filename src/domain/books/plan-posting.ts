import type { BookedKind, Draft, Line } from './entry.js';
import { negatedLines, netLines } from './lines.js';

/** What is posted of one key of a record. */
export interface Posted {
  recordKind: BookedKind;
  recordId: string;
  key: string;
  /** How many entries there are of it. */
  version: number;
  /** The last of them that was not reversed; null: all were. */
  live: { id: string; lines: Line[]; date: string } | null;
  /** What all of them add up to. */
  net: Line[];
  lastId: string;
}

/** One entry to be appended. `reverses` and `corrects` are ids of posted entries. */
export interface Append extends Pick<Draft, 'recordKind' | 'recordId' | 'key' | 'lines'> {
  type: 'entry' | 'reversal' | 'correction' | 'change';
  version: number;
  /** Null: of the entry that is reversed. */
  draft: Draft | null;
  reverses: string | null;
  corrects: string | null;
}

/**
 * What to append so that the books say what they should: nothing where they do. A fact that is told otherwise is reversed and
 * made anew; a state moves on by the difference. A key that is no longer told is taken back.
 */
export function planPosting(drafts: readonly Draft[], posted: readonly Posted[]): Append[] {
  const known = new Map(posted.map((one) => [keyOf(one), one]));
  const told = drafts.flatMap((draft) => {
    const before = known.get(keyOf(draft));
    known.delete(keyOf(draft));
    return before === undefined ? first(draft) : step(draft, before);
  });
  return [...told, ...[...known.values()].flatMap(takenBack)];
}

function first(draft: Draft): Append[] {
  if (draft.lines.length === 0) return [];
  return [append(draft, { type: 'entry', version: 1, draft, lines: draft.lines })];
}

function step(draft: Draft, posted: Posted): Append[] {
  const difference = netLines([...draft.lines, ...negatedLines(posted.net)]);
  if (difference.length === 0) return [];
  const version = posted.version + 1;
  if (draft.mode === 'state' || (posted.live !== null && !isSame(posted.live.lines, posted.net))) {
    return [append(draft, { type: 'change', version, draft, lines: difference, corrects: posted.lastId })];
  }
  const { live } = posted;
  if (live === null) return [append(draft, { type: 'correction', version, draft, corrects: posted.lastId })];
  const reversal = reversed(posted, live);
  if (draft.lines.length === 0) return [reversal];
  return [reversal, append(draft, { type: 'correction', version: version + 1, draft, corrects: live.id })];
}

function takenBack(posted: Posted): Append[] {
  if (posted.net.length === 0) return [];
  if (posted.live !== null && isSame(posted.live.lines, posted.net)) return [reversed(posted, posted.live)];
  const lines = negatedLines(posted.net);
  return [append(posted, { type: 'change', version: posted.version + 1, lines, corrects: posted.lastId })];
}

function reversed(posted: Posted, live: NonNullable<Posted['live']>): Append {
  return append(posted, {
    type: 'reversal',
    version: posted.version + 1,
    lines: negatedLines(live.lines),
    reverses: live.id,
    corrects: live.id,
  });
}

function append(
  { recordKind, recordId, key, lines }: Pick<Draft, 'recordKind' | 'recordId' | 'key'> & { lines?: Line[] },
  about: Pick<Append, 'type' | 'version'> & Partial<Append>,
): Append {
  return { recordKind, recordId, key, lines: lines ?? [], draft: null, reverses: null, corrects: null, ...about };
}

function isSame(a: readonly Line[], b: readonly Line[]): boolean {
  return netLines([...a, ...negatedLines(b)]).length === 0;
}

function keyOf({ recordKind, recordId, key }: Pick<Draft, 'recordKind' | 'recordId' | 'key'>): string {
  return JSON.stringify([recordKind, recordId, key]);
}
