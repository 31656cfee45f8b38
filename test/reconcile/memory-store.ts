import type { FilterListing } from '../../src/domain/breaks/disputes.js';
import { textField } from '../../src/domain/records.js';
import type { ListRow, Place } from '../../src/reconcile/lists/list-row.js';
import type { Absence, Gap, GapMove, ListStore, ReadPage } from '../../src/reconcile/lists/list-store.js';
import { covers, type Span } from '../../src/reconcile/lists/span.js';
import type { ListedKind, OpenRecord } from '../../src/records/runs/record-places.js';
import type { Watermark } from '../../src/records/runs/watermarks.js';

export interface Held extends Place {
  /** Null: only an event spoke of it. */
  row: ListRow | null;
  readFrom: number;
  reportedTo: number;
  marked: boolean;
  absent: boolean;
}

/** States that are no end, and those of them that last hours. */
const openStates: Record<ListedKind, { open: (status: string) => boolean; active: readonly string[] }> = {
  payment_intent: {
    open: (status) => ['waiting_address_selection', 'pending', 'confirming', 'unmatched'].includes(status),
    active: ['waiting_address_selection', 'pending', 'confirming'],
  },
  invoice: { open: (status) => ['draft', 'sent'].includes(status), active: [] },
  payout: {
    open: (status) => status !== 'confirmed' && status !== 'failed',
    active: ['pending', 'in_review', 'approved', 'broadcast'],
  },
};

/** The records as they would stand in the database. */
export class MemoryStore implements ListStore {
  readonly held = new Map<string, Held>();
  readonly marks = new Map<string, Watermark>();
  readonly parts = new Map<string, Gap>();
  now: () => number;
  /** As many of those that seem to be missing are listed at once. */
  atOnce = Infinity;
  /** Called before each save, with how many pages it is of: it may take its time, or throw. */
  beforeSave: (pages: number) => Promise<void> = async () => {};
  private listing: FilterListing | null = null;
  private readonly kind: ListedKind;
  private sequence = 0;

  constructor(now: () => number, kind: ListedKind = 'payment_intent') {
    this.now = now;
    this.kind = kind;
  }

  async save(pages: readonly ReadPage[], moves: readonly GapMove[]): Promise<void> {
    await this.beforeSave(pages.length);
    for (const { page, row } of pages.flatMap((page) => page.rows.map((row) => ({ page, row })))) {
      const known = this.held.get(row.id);
      if (known?.row && known.readFrom > page.from) continue;
      const { id, createdAt } = row;
      this.held.set(id, { id, createdAt, row, readFrom: page.from, reportedTo: 0, marked: false, absent: false });
    }
    for (const move of moves) {
      if (move.type === 'open') await this.openGap(move.list, move.older, move.newer);
      if (move.type === 'close') this.parts.delete(move.id);
      const part = move.type === 'shrink' ? this.parts.get(move.id) : undefined;
      if (move.type === 'shrink' && part) this.parts.set(move.id, { ...part, newer: move.newer, movedAt: this.now() });
    }
  }

  /** An event spoke of a record. */
  claim(id: string, createdAt: number | null): void {
    const reportedTo = this.now();
    this.held.set(id, { id, createdAt, row: null, readFrom: 0, reportedTo, marked: true, absent: false });
  }

  async saveAbsences(absences: readonly Absence[]): Promise<void> {
    for (const { id } of absences) {
      const known = this.held.get(id);
      if (known) this.held.set(id, { ...known, absent: true, marked: false });
    }
  }

  async open(): Promise<OpenRecord[]> {
    const { listing } = this;
    return this.listed().flatMap(({ id, createdAt, row, readFrom }) => {
      const status = textField(row?.fields ?? {}, 'status') ?? '';
      const { open, active } = openStates[this.kind];
      const waits = row?.fields['irregularStatus'] === 'pending_decision';
      if (!open(status) && !waits) return [];
      const rests = !open(status) && listing !== null && readFrom >= listing.to && !listing.ids.has(id);
      return [{ id, createdAt, listed: true, active: active.includes(status), rests }];
    });
  }

  async marked(): Promise<Place[]> {
    return [...this.held.values()].filter((record) => record.marked).map(placeOf);
  }

  async listedFrom(createdAt: number, limit: number): Promise<Place[]> {
    const above = this.listed().filter((record) => (record.createdAt ?? 0) >= createdAt);
    return above.sort(newestFirst).slice(-limit);
  }

  async between(span: Span, except: readonly string[]): Promise<{ places: Place[]; more: boolean }> {
    const places = [...this.held.values()].filter(({ absent }) => !absent).map(placeOf);
    return this.first(places.filter((place) => covers(span, place) && !except.includes(place.id)));
  }

  async notSeenSince(since: number): Promise<{ places: Place[]; more: boolean }> {
    const unseen = this.listed().filter(({ createdAt, readFrom }) => createdAt !== null && readFrom < since);
    return this.first(unseen.map(placeOf));
  }

  private first(places: Place[]): { places: Place[]; more: boolean } {
    return { places: places.slice(0, this.atOnce), more: places.length >= this.atOnce };
  }

  async unplaced(): Promise<{ id: string; reportedTo: number }[]> {
    return [...this.held.values()].filter(
      ({ createdAt, row, absent }) => createdAt === null && row === null && !absent,
    );
  }

  async holdsListed(): Promise<boolean> {
    return this.listed().length > 0;
  }

  async countListed(): Promise<number> {
    return this.listed().length;
  }

  async newestListed(limit: number): Promise<Place[]> {
    return this.listed().sort(newestFirst).slice(0, limit);
  }

  async gaps(): Promise<Gap[]> {
    return [...this.parts.values()].reverse();
  }

  async openGap(list: string, older: Place | null, newer: Place | null = null): Promise<Gap> {
    this.sequence += 1;
    const now = this.now();
    const part = { id: String(this.sequence), list, newer, older, openedAt: now, movedAt: now };
    this.parts.set(part.id, part);
    return part;
  }

  async closeGap(id: string): Promise<void> {
    this.parts.delete(id);
  }

  async keepListing(status: string, listing: FilterListing): Promise<void> {
    if (status === 'irregular') this.listing = listing;
  }

  async watermarks(): Promise<ReadonlyMap<string, Watermark>> {
    return this.marks;
  }

  private listed(): Held[] {
    return [...this.held.values()].filter(({ row, absent }) => row !== null && !absent);
  }
}

function newestFirst(a: Place, b: Place): number {
  return (b.createdAt ?? 0) - (a.createdAt ?? 0) || (a.id < b.id ? 1 : -1);
}

function placeOf({ id, createdAt, row, absent }: Held): Place {
  return { id, createdAt, listed: row !== null && !absent };
}
