import type { KeyLimits, KeyStore, NotedOperation, OpenWrite } from './key-store.js';

/** How a call with an unknown outcome was settled, or that it is not yet. */
export interface SettledWrite {
  operation: NotedOperation;
  key: string;
  /**
   * `done`: it had made something, or did now; `refused`, `unsent`, `absent` (it is not in the service's list): nothing;
   * `outcomeUnknown`: to be asked for again; `lost`: it is not known any more.
   */
  outcome: 'done' | 'refused' | 'unsent' | 'absent' | 'unknown' | 'lost';
  /** Of what it made; of a lost invoice those that it may be. */
  objectIds: readonly string[];
}

export type Settled = Pick<SettledWrite, 'outcome' | 'objectIds'>;

/** One round: the calls that are too old to be settled are given up, and each of the others is settled once. */
export async function* settleOpen<O extends NotedOperation>(
  store: KeyStore,
  { operations, limits, signal }: { operations: readonly O[]; limits: KeyLimits; signal: AbortSignal | undefined },
  settle: (write: OpenWrite<O>) => Promise<Settled>,
): AsyncGenerator<SettledWrite> {
  for (const { operation, key } of await store.giveUp(operations, limits))
    yield { operation, key, outcome: 'lost', objectIds: [] };
  const given = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const write = await store.claim(operations, limits);
    if (write === null) return;
    const { operation, key } = write;
    // Those that stay unknown wait behind the others: all of them had their turn.
    if (given.has(`${operation} ${key}`)) {
      await store.end(write, 'unknown', null);
      return;
    }
    given.add(`${operation} ${key}`);
    yield { operation, key, ...(await settle(write)) };
  }
}
