import type { FilterListing } from '../../domain/breaks/disputes.js';
import type { OpenRecord } from '../../records/runs/record-places.js';
import type { Watermark } from '../../records/runs/watermarks.js';
import type { ListRow, Place } from './list-row.js';
import type { Span } from './span.js';

/** A gap: an interval of the whole list, newest first, that was not read: above `older`, below `newer`. */
export interface Gap {
  id: string;
  list: string;
  /** Null: from the head. */
  newer: Place | null;
  /** Null: to the end of the list. */
  older: Place | null;
  /** When the run began that met it, and when it last grew shorter; ms. */
  openedAt: number;
  movedAt: number;
  /** Where the service pages by cursors of its own, that of a page near `newer`; left out, null: none is known. */
  token?: string | null;
}

/** How a page that is saved changes what is known to be unread; it happens with the page or not at all. */
export type GapMove =
  | { type: 'open'; list: string; newer: Place | null; older: Place | null }
  | { type: 'shrink'; id: string; newer: Place; token?: string | null }
  | { type: 'close'; id: string };

export interface ReadPage {
  rows: readonly ListRow[];
  /** Start and end of the request, in ms of the service's clock. */
  from: number;
  to: number;
}

/** The service provably did not list this id when it was asked from `from` to `to`. */
export interface Absence {
  id: string;
  from: number;
  to: number;
}

/** What a scan of a list asks of the records. "Listed": the service showed it at its last poll. */
export interface ListStore {
  /** One transaction: the rows, all that follows from them, and the moves. */
  save(pages: readonly ReadPage[], moves: readonly GapMove[]): Promise<void>;
  saveAbsences(absences: readonly Absence[]): Promise<void>;
  /** Listed, and not in a final state. */
  open(): Promise<OpenRecord[]>;
  /** Those that something asked to be read. */
  marked(): Promise<Place[]>;
  /** The nearest listed ones created at or after `createdAt`, newest first. */
  listedFrom(createdAt: number, limit: number): Promise<Place[]>;
  /** Held here, covered by the span, and not among `except`. `more`: there are others, beyond what is listed at once. */
  between(span: Span, except: readonly string[]): Promise<{ places: Place[]; more: boolean }>;
  /** Listed, and shown by no page that was asked for at `since` (ms of the service's clock) or later. `more` as above. */
  notSeenSince(since: number): Promise<{ places: Place[]; more: boolean }>;
  /** Only reported by events that don't say when they were created, or say what can't be. `reportedTo` in ms of the service's clock. */
  unplaced(): Promise<{ id: string; reportedTo: number }[]>;
  holdsListed(): Promise<boolean>;
  countListed(): Promise<number>;
  newestListed(limit: number): Promise<Place[]>;
  /** Those nearest the head first. */
  gaps(): Promise<Gap[]>;
  /** Opens a gap before anything of it is read. */
  openGap(list: string, older: Place | null): Promise<Gap>;
  closeGap(id: string): Promise<void>;
  /** A complete scan of the list by a filter, for the cross-checks. */
  keepListing(status: string, listing: FilterListing): Promise<void>;
  watermarks(): Promise<ReadonlyMap<string, Watermark>>;
}
