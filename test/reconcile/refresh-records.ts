import type { ReconcileDeps } from '../../src/reconcile/deps.js';
import type { RefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { refreshReaders } from '../../src/reconcile/refresh/refresh-readers.js';

/** One round: every record whose poll is due. What fails for one kind is thrown when the others had their turn. */
export async function refreshRecords(deps: ReconcileDeps, memory: RefreshMemory, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const { read } of refreshReaders) {
    signal?.throwIfAborted();
    await read({ deps, memory, ...(signal ? { signal } : {}) }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
