import type { RecordKind } from '../../domain/records.js';
import type { MarkKind } from '../../records/runs/marks.js';
import type { ReconcileDeps } from '../deps.js';
import type { Absence } from '../lists/list-store.js';
import type { Rotation } from './take-turns.js';

/** What the rounds remember of each other. */
export interface ClaimMemory {
  /** Records of a list that were missing once, and when. */
  looksOf(kind: RecordKind): Map<string, Absence>;
  /** Lists that are known to be those that our records came from. */
  sure: Set<RecordKind>;
  /** Kinds whose reading costs so much that it is not due again before this moment (ms, our clock). */
  restUntil: Map<RecordKind, number>;
  /** Whose webhook was served last, of each kind. */
  rotationOf(kind: MarkKind): Rotation;
}

export interface Marked {
  deps: ReconcileDeps;
  memory: ClaimMemory;
  signal?: AbortSignal;
}

/** `sure`: kinds whose list is known to be ours. */
export function newClaimMemory(sure: readonly RecordKind[] = []): ClaimMemory {
  const looks = new Map<RecordKind, Map<string, Absence>>();
  const rotations = new Map<MarkKind, Rotation>();
  return {
    sure: new Set(sure),
    restUntil: new Map(),
    looksOf: (kind) => {
      const known = looks.get(kind) ?? new Map<string, Absence>();
      looks.set(kind, known);
      return known;
    },
    rotationOf: (kind) => {
      const known = rotations.get(kind) ?? { last: '' };
      rotations.set(kind, known);
      return known;
    },
  };
}
