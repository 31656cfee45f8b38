import type { Knex } from 'knex';
import type { Observation, ObservationSource } from '../domain/observation.js';
import {
  holdsListedIntents,
  intentsBetween,
  intentsFrom,
  intentsNotSeenSince,
  markedIntents,
  newestIntents,
  openIntents,
  placesOfIntents,
  unplacedIntents,
} from '../records/intent-places.js';
import type { RunTally } from '../records/runs.js';
import { saveObservations } from '../records/save-observations.js';
import { closeInterval, openInterval, readWatermarks, shrinkInterval, unreadIntervals } from '../records/watermarks.js';
import type { Kind, ReconcileDeps } from './deps.js';
import type { IntentStore, Stretch, StretchMove } from './intent-store.js';
import type { Place } from './list-row.js';
import { spanOfUnlisted } from './span.js';
import { type Fence, NOTHING, type WriteDeps, writeFenced } from './write-fenced.js';

const kind: Kind = 'payment-intents';
const AT_ONCE = 2_000;

export interface SqlIntentStoreOptions {
  source: ObservationSource;
  tally: RunTally;
  /** Null: no run; nothing is fenced, and no stretches are kept. */
  fence: Fence | null;
}

/** The records in Postgres. Every write is one fenced transaction; of a dry run all are rolled back. */
export function createIntentStore(
  deps: Pick<ReconcileDeps, 'db' | 'now' | 'adoptedAt' | 'kytWords'>,
  { source, tally, fence }: SqlIntentStoreOptions,
): IntentStore {
  const { db, adoptedAt } = deps;
  const writing: WriteDeps = { db, now: deps.now, tally, fence };
  const context = () => ({ now: deps.now(), adoptedAt, ...(deps.kytWords ? { kytWords: deps.kytWords } : {}) });

  const observe = (observations: Observation[], moves: readonly StretchMove[]): Promise<void> =>
    writeFenced(writing, async (trx) => {
      const runId = fence?.runId;
      if (runId) for (const move of moves) await applyMove(trx, runId, move);
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
        return { type: 'reading', kind: 'payment_intent', id, from, to, source, fields };
      });
      await observe(readings, moves);
    },
    saveAbsences: async (absences) => {
      const observations = absences.map((absence): Observation => {
        return { type: 'absence', kind: 'payment_intent', ...absence, source };
      });
      if (observations.length > 0) await observe(observations, []);
    },
    open: () => openIntents(db),
    marked: () => markedIntents(db, AT_ONCE),
    listedFrom: (createdAt, limit) => intentsFrom(db, createdAt, limit),
    between: async (span, except) => {
      const places = await intentsBetween(db, { listed: span, unlisted: spanOfUnlisted(span) }, except, AT_ONCE);
      return { places, more: places.length === AT_ONCE };
    },
    notSeenSince: async (since) => {
      const places = await intentsNotSeenSince(db, since, AT_ONCE);
      return { places, more: places.length === AT_ONCE };
    },
    unplaced: () => unplacedIntents(db, AT_ONCE),
    holdsListed: () => holdsListedIntents(db),
    newestListed: (limit) => newestIntents(db, limit),
    stretches: () => readStretches(db),
    openStretch: (list, older) => openStretch(writing, list, older, deps.now().getTime()),
    closeStretch: (id) =>
      writeFenced(writing, async (trx) => {
        await closeInterval(trx, id);
        return NOTHING;
      }),
    watermarks: () => readWatermarks(db, kind),
  };
}

async function applyMove(trx: Knex.Transaction, runId: string, move: StretchMove): Promise<void> {
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

async function openStretch(writing: WriteDeps, list: string, older: Place | null, now: number): Promise<Stretch> {
  const { fence } = writing;
  let id = '0';
  await writeFenced(writing, async (trx) => {
    const runId = fence?.runId;
    if (runId) id = await openInterval(trx, { kind, list, newerId: null, olderId: older?.id ?? null, runId });
    return NOTHING;
  });
  return { id, list, newer: null, older, openedAt: now, movedAt: now };
}

async function readStretches(db: Knex): Promise<Stretch[]> {
  const intervals = await unreadIntervals(db, kind);
  const ids = intervals.flatMap(({ newerId, olderId }) => [newerId, olderId].filter((id) => id !== null));
  const places = await placesOfIntents(db, ids);
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
