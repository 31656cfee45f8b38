import type { Knex } from 'knex';
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
import { readListGaps, readWatermarks } from '../../records/runs/watermarks.js';
import type { ListPlan } from './list-plan.js';
import type { Place } from './list-row.js';
import type { Gap, ListStore } from './list-store.js';
import { spansByPlace } from './span.js';

type Lookups = Omit<ListStore, 'save' | 'saveAbsences' | 'keepListing' | 'openGap' | 'closeGap'>;
type Which = Pick<ListPlan, 'kind' | 'record'>;

const AT_ONCE = 2_000;

/** What a list's reading asks of the records in Postgres. */
export function lookups(db: Knex, { kind, record }: Which): Lookups {
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
