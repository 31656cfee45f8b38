import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../records/database/database-errors.js';
import type { RefreshKind } from '../../records/runs/refresh-requests.js';
import type { ReconcileDeps } from '../deps.js';
import { newRefreshMemory, type RefreshMemory, type RefreshRound } from './refresh-memory.js';
import { refreshReaders } from './refresh-readers.js';

/** Claims that come within this time are read by the same calls. */
const GATHER_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Reads at once what events claimed, until the signal aborts. Each kind in a lane of its own, so that none waits for what
 * is long or fails of another. Failures are logged and tried again, ever more slowly.
 */
export async function refreshLoop(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const memory = newRefreshMemory();
  await Promise.all(refreshReaders.map(({ kind, read }) => readLoop({ deps, memory, signal }, kind, read)));
}

async function readLoop(
  round: RefreshRound & { signal: AbortSignal },
  kind: RefreshKind,
  read: (round: RefreshRound) => Promise<void>,
): Promise<void> {
  const { deps, signal } = round;
  let pause = GATHER_MS;
  while (!signal.aborted) {
    try {
      await read(round);
      pause = GATHER_MS;
    } catch (error) {
      if (signal.aborted) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      deps.log.warn({ kind, error: describeError(error), pause }, 'refresh failed');
    }
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}

/** One round: every record whose poll is due. What fails for one kind is thrown when the others had their turn. */
export async function refreshRecords(deps: ReconcileDeps, memory: RefreshMemory, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const { read } of refreshReaders) {
    signal?.throwIfAborted();
    await read({ deps, memory, ...(signal ? { signal } : {}) }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
