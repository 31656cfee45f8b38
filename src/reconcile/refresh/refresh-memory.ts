import type { RecordKind } from '../../domain/records.js';
import type { RefreshKind } from '../../records/runs/refresh-requests.js';
import type { ReconcileDeps } from '../deps.js';
import type { Absence } from '../lists/list-store.js';
import type { Rotation } from '../take-turns.js';

/** What the rounds remember of each other. */
export interface RefreshMemory {
  /** Records of a list that were missing once, and when. */
  absencesOf(kind: RecordKind): Map<string, Absence>;
  /** Lists that are known to be those that our records came from. */
  sure: Set<RecordKind>;
  /** Kinds whose poll costs so much that it is not due again before this moment (ms, our clock). */
  restUntil: Map<RecordKind, number>;
  /** Whose webhook was served last, of each kind. */
  rotationOf(kind: RefreshKind): Rotation;
}

export interface RefreshRound {
  deps: ReconcileDeps;
  memory: RefreshMemory;
  signal?: AbortSignal;
}

/** `sure`: kinds whose list is known to be ours. */
export function newRefreshMemory(sure: readonly RecordKind[] = []): RefreshMemory {
  const absences = new Map<RecordKind, Map<string, Absence>>();
  const rotations = new Map<RefreshKind, Rotation>();
  return {
    sure: new Set(sure),
    restUntil: new Map(),
    absencesOf: (kind) => {
      const known = absences.get(kind) ?? new Map<string, Absence>();
      absences.set(kind, known);
      return known;
    },
    rotationOf: (kind) => {
      const known = rotations.get(kind) ?? { last: '' };
      rotations.set(kind, known);
      return known;
    },
  };
}
