import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../records/database/database-errors.js';
import type { MarkKind } from '../../records/runs/marks.js';
import type { ReconcileDeps } from '../deps.js';
import { type ClaimMemory, type Marked, newClaimMemory } from './claim-memory.js';
import { markedReaders } from './marked-readers.js';

/** Claims that come within this time are read by the same calls. */
const GATHER_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Reads at once what events claimed, until the signal aborts. Each kind in a lane of its own, so that none waits for what
 * is long or fails of another. Failures are logged and tried again, ever more slowly.
 */
export async function keepVerifyingClaims(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const memory = newClaimMemory();
  await Promise.all(markedReaders.map(({ kind, read }) => keepReading({ deps, memory, signal }, kind, read)));
}

async function keepReading(
  marked: Marked & { signal: AbortSignal },
  kind: MarkKind,
  read: (marked: Marked) => Promise<void>,
): Promise<void> {
  const { deps, signal } = marked;
  let pause = GATHER_MS;
  while (!signal.aborted) {
    try {
      await read(marked);
      pause = GATHER_MS;
    } catch (error) {
      if (signal.aborted) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      deps.log.warn({ kind, error: describeError(error), pause }, 'refresh failed');
    }
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}

/** One round: every record whose reading is due. What fails for one kind is thrown when the others had their turn. */
export async function verifyClaims(deps: ReconcileDeps, memory: ClaimMemory, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const { read } of markedReaders) {
    signal?.throwIfAborted();
    await read({ deps, memory, ...(signal ? { signal } : {}) }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
