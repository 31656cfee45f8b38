import type { Knex } from 'knex';
import { withLinks } from '../domain/link-fields.js';
import type { Observation, ObservationSource } from '../domain/observation.js';
import {
  countListed,
  holdsListed,
  markedRecords,
  newestRecords,
  openRecords,
  placesOfRecords,
  recordsBetween,
  recordsFrom,
  recordsNotSeenSince,
  unplacedRecords,
} from '../records/record-places.js';
import type { RunTally } from '../records/runs.js';
import { saveObservations } from '../records/save-observations.js';
import { closeInterval, openInterval, readWatermarks, shrinkInterval, unreadIntervals } from '../records/watermarks.js';
import type { Kind, ReconcileDeps } from './deps.js';
import type { ListPlan } from './list-plan.js';
import type { Place } from './list-row.js';
import type { ListStore, Stretch, StretchMove } from './list-store.js';
import { spanOfUnlisted } from './span.js';
import { type Fence, NOTHING, type WriteDeps, writeFenced } from './write-fenced.js';

const AT_ONCE = 2_000;

export interface SqlListStoreOptions {
  source: ObservationSource;
  tally: RunTally;
  /** Null: no run; nothing is fenced, and no stretches are kept. */
  fence: Fence | null;
}

/** The records in Postgres. Every write is one fenced transaction; of a dry run all are rolled back. */
export function createListStore(
  deps: Pick<ReconcileDeps, 'db' | 'now' | 'adoptedAt' | 'kytWords' | 'contract'>,
  { kind, record }: Pick<ListPlan, 'kind' | 'record'>,
  { source, tally, fence }: SqlListStoreOptions,
): ListStore {
  const { db, adoptedAt } = deps;
  const { links } = deps.contract;
  const writing: WriteDeps = { db, now: deps.now, tally, fence };
  const context = () => ({ now: deps.now(), adoptedAt, ...(deps.kytWords ? { kytWords: deps.kytWords } : {}) });

  const observe = (observations: Observation[], moves: readonly StretchMove[]): Promise<void> =>
    writeFenced(writing, async (trx) => {
      const runId = fence?.runId;
      if (runId) for (const move of moves) await applyMove(trx, { kind, runId }, move);
      const saved = await saveObservations(trx, observations, context());
      return { changed: saved.changed, breaksOpened: saved.breaksOpened };
    });

  /** What a dry run writes is undone, so it would count a change each time that it meets the row. */
  const rehearsed = new Set<string>();
  const isNew = ({ id }: { id: string }): boolean => !fence?.dryRun || !rehearsed.has(id);

  return {
    save: async (page, moves) => {
      const rows = page.rows.filter(isNew);
      for (const { id } of fence?.dryRun ? rows : []) rehearsed.add(id);
      const { from, to } = page;
      const readings = rows.map(({ id, fields }): Observation => {
        return { type: 'reading', kind: record, id, from, to, source, fields: withLinks(record, fields, links) };
      });
      await observe(readings, moves);
    },
    saveAbsences: async (absences) => {
      const observations = absences.map((absence): Observation => {
        return { type: 'absence', kind: record, ...absence, source };
      });
      if (observations.length > 0) await observe(observations, []);
    },
    open: () => openRecords(db, record),
    marked: () => markedRecords(db, record, AT_ONCE),
    listedFrom: (createdAt, limit) => recordsFrom(db, record, createdAt, limit),
    between: async (span, except) => {
      const places = await recordsBetween(
        db,
        record,
        { listed: span, unlisted: spanOfUnlisted(span) },
        except,
        AT_ONCE,
      );
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
    stretches: () => readStretches(db, { kind, record }),
    openStretch: (list, older) => openStretch({ ...writing, kind }, { list, older }, deps.now().getTime()),
    closeStretch: (id) =>
      writeFenced(writing, async (trx) => {
        await closeInterval(trx, id);
        return NOTHING;
      }),
    watermarks: () => readWatermarks(db, kind),
  };
}

async function applyMove(
  trx: Knex.Transaction,
  { kind, runId }: { kind: Kind; runId: string },
  move: StretchMove,
): Promise<void> {
  switch (move.type) {
    case 'open': {
      const newerId = move.newer?.id ?? null;
      await openInterval(trx, { kind, list: move.list, newerId, olderId: move.older?.id ?? null, runId });
      return;
    }
    case 'shrink':
      return shrinkInterval(trx, move.id, move.newer.id);
    case 'close':
      return closeInterval(trx, move.id);
  }
}

async function openStretch(
  writing: WriteDeps & { kind: Kind },
  { list, older }: { list: string; older: Place | null },
  now: number,
): Promise<Stretch> {
  const { fence, kind } = writing;
  let id = '0';
  await writeFenced(writing, async (trx) => {
    const runId = fence?.runId;
    if (runId) id = await openInterval(trx, { kind, list, newerId: null, olderId: older?.id ?? null, runId });
    return NOTHING;
  });
  return { id, list, newer: null, older, openedAt: now, movedAt: now };
}

async function readStretches(db: Knex, { kind, record }: Pick<ListPlan, 'kind' | 'record'>): Promise<Stretch[]> {
  const intervals = await unreadIntervals(db, kind);
  const ids = intervals.flatMap(({ newerId, olderId }) => [newerId, olderId].filter((id) => id !== null));
  const places = await placesOfRecords(db, record, ids);
  const placeOf = (id: string | null): Place | null =>
    id === null ? null : (places.get(id) ?? { id, createdAt: null });
  return intervals.map(({ id, list, newerId, olderId, openedAt, movedAt }) => ({
    id,
    list,
    newer: placeOf(newerId),
    older: placeOf(olderId),
    openedAt: openedAt.getTime(),
    movedAt: movedAt.getTime(),
  }));
}
