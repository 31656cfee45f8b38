import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { withLinks } from '../../domain/events/event-key.js';
import type { Observation, ObservationSource } from '../../domain/observation.js';
import { type ReleaseRules, rulesOf } from '../../domain/orders/order-facts.js';
import { saveFilterListing } from '../../records/breaks/filter-listings.js';
import type { Trx } from '../../records/database/statements.js';
import {
  countListed,
  holdsListed,
  newestRecords,
  openRecords,
  placesOfRecords,
  recordsBetween,
  recordsFrom,
  recordsNotSeenSince,
  requestedPlaces,
  unplacedRecords,
} from '../../records/runs/record-places.js';
import type { RunTally } from '../../records/runs/runs.js';
import {
  closeInterval,
  openInterval,
  readListGaps,
  readWatermarks,
  shrinkInterval,
} from '../../records/runs/watermarks.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import { type PollObservation, touchUnchanged } from '../../records/saving/touch-unchanged.js';
import type { Kind, ReconcileDeps } from '../deps.js';
import { type Fence, NOTHING, type WriteDeps, type Written, writeFenced } from '../write-fenced.js';
import type { ListPlan, Place } from './list-row.js';
import type { Gap, GapMove, ListStore } from './list-store.js';
import { spansByPlace } from './span.js';

export interface SqlListStoreOptions {
  source: ObservationSource;
  tally: RunTally;
  /** Null: no run; nothing is fenced, and no gaps are kept. */
  fence: Fence | null;
}

/** The records in Postgres. Every write is one fenced transaction; of a dry run all are rolled back. */
export function createListStore(
  deps: Pick<ReconcileDeps, 'db' | 'now' | 'adoptedAt' | 'contract' | keyof ReleaseRules>,
  { kind, record }: Pick<ListPlan, 'kind' | 'record'>,
  { source, tally, fence }: SqlListStoreOptions,
): ListStore {
  const { db, adoptedAt } = deps;
  const { links } = deps.contract;
  const writing: WriteDeps = { db, now: deps.now, tally, fence };
  const context = () => ({ now: deps.now(), adoptedAt, ...rulesOf(deps) });

  const observe = async (trx: Trx, observations: Observation[]): Promise<Written> => {
    if (observations.length === 0) return NOTHING;
    const { changed, breaksOpened } = await saveObservations(trx, observations, context());
    return { changed, breaksOpened };
  };

  /** What a dry run writes is undone, so it would count a change each time that it meets the row. */
  const dryRunIds = fence?.dryRun ? createDryRunIds() : null;

  return {
    save: async (pages, moves) => {
      const polls = pages.flatMap(({ rows, from, to }) =>
        rows
          .filter(({ id }) => dryRunIds?.add(id) ?? true)
          .map(({ id, fields }): PollObservation => {
            return { type: 'poll', kind: record, id, from, to, source, fields: withLinks(record, fields, links) };
          }),
      );
      await writeFenced(writing, async (trx) => {
        const runId = fence?.runId;
        if (runId) for (const move of moves) await applyMove(trx, { kind, runId }, move);
        return observe(trx, await touchUnchanged(trx, record, polls));
      });
    },
    saveAbsences: async (absences) => {
      const observations = absences.map((absence): Observation => {
        return { type: 'absence', kind: record, ...absence, source };
      });
      if (observations.length > 0) await writeFenced(writing, (trx) => observe(trx, observations));
    },
    keepListing: (status, listing) => writeFenced(writing, (trx) => saveFilterListing(trx, record, status, listing)),
    ...lookups(db, { kind, record }),
    // What a dry run saw was not written, so it would all be unseen.
    ...(fence?.dryRun ? { notSeenSince: async () => ({ places: [], more: false }) } : {}),
    openGap: (list, older) => openGap({ ...writing, kind }, { list, older }, deps.now().getTime()),
    closeGap: (id) => writeFenced(writing, (trx) => closeInterval(trx, id)),
  };
}

async function applyMove(trx: Trx, { kind, runId }: { kind: Kind; runId: string }, move: GapMove): Promise<void> {
  switch (move.type) {
    case 'open': {
      const newerId = move.newer?.id ?? null;
      await openInterval(trx, { kind, list: move.list, newerId, olderId: move.older?.id ?? null, runId });
      return;
    }
    case 'shrink':
      return shrinkInterval(trx, move.id, { newerId: move.newer.id, token: move.token ?? null });
    case 'close':
      return closeInterval(trx, move.id);
  }
}

async function openGap(
  writing: WriteDeps & { kind: Kind },
  { list, older }: { list: string; older: Place | null },
  now: number,
): Promise<Gap> {
  const { fence, kind } = writing;
  let id = '0';
  await writeFenced(writing, async (trx) => {
    const runId = fence?.runId;
    if (runId) id = await openInterval(trx, { kind, list, newerId: null, olderId: older?.id ?? null, runId });
  });
  return { id, list, newer: null, older, openedAt: now, movedAt: now };
}

/** Together enough for five million ids at one mistake in a thousand, in 9 MB however many come. */
const BITS = 9 * 8 * 2 ** 20;
const HASHES = 8;

/**
 * The ids that a dry run has met. Bounded: of ids beyond some millions it may take a new one for known, so that the
 * dry run counts a little less; never a known one for new.
 */
interface DryRunIds {
  /** Whether the id comes for the first time; from then on it does not. */
  add(id: string): boolean;
}

export function createDryRunIds(bits = BITS): DryRunIds {
  const field = new Uint8Array(Math.ceil(bits / 8));
  return {
    add: (id) => {
      const digest = createHash('sha1').update(id).digest();
      const [a, b] = [digest.readUInt32LE(0), (digest.readUInt32LE(4) | 1) >>> 0];
      let isNew = false;
      for (let nth = 0; nth < HASHES; nth++) {
        const bit = (a + nth * b) % bits;
        const at = Math.floor(bit / 8);
        const mask = 1 << (bit % 8);
        const byte = field[at] ?? 0;
        if ((byte & mask) !== 0) continue;
        isNew = true;
        field[at] = byte | mask;
      }
      return isNew;
    },
  };
}

type Lookups = Omit<ListStore, 'save' | 'saveAbsences' | 'keepListing' | 'openGap' | 'closeGap'>;
type Which = Pick<ListPlan, 'kind' | 'record'>;

const AT_ONCE = 2_000;

/** What a list's scan asks of the records in Postgres. */
function lookups(db: Knex, { kind, record }: Which): Lookups {
  return {
    open: () => openRecords(db, record),
    marked: () => requestedPlaces(db, record, AT_ONCE),
    listedFrom: (createdAt, limit) => recordsFrom(db, record, createdAt, limit),
    between: async (span, except) => {
      const places = await recordsBetween(db, record, spansByPlace(span), except, AT_ONCE);
      return { places, more: places.length === AT_ONCE };
    },
    notSeenSince: async (since) => {
      const places = await recordsNotSeenSince(db, record, since, AT_ONCE);
      return { places, more: places.length === AT_ONCE };
    },
    unplaced: () => unplacedRecords(db, record, AT_ONCE),
    countListed: () => countListed(db, record),
    holdsListed: () => holdsListed(db, record),
    newestListed: (limit) => newestRecords(db, record, limit),
    gaps: () => readGaps(db, { kind, record }),
    watermarks: () => readWatermarks(db, kind),
  };
}

async function readGaps(db: Knex, { kind, record }: Which): Promise<Gap[]> {
  const gaps = await readListGaps(db, kind);
  const ids = gaps.flatMap(({ newerId, olderId }) => [newerId, olderId].filter((id) => id !== null));
  const places = await placesOfRecords(db, record, ids);
  const placeOf = (id: string | null): Place | null =>
    id === null ? null : (places.get(id) ?? { id, createdAt: null });
  return gaps.map(({ id, list, newerId, olderId, openedAt, movedAt, token }) => ({
    id,
    list,
    newer: placeOf(newerId),
    older: placeOf(olderId),
    openedAt: openedAt.getTime(),
    movedAt: movedAt.getTime(),
    token,
  }));
}
