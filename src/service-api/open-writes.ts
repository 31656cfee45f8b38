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

/** Of one round: the calls that are too old to be settled are given up, and each of the others is handed out once. */
export async function* openWrites<O extends NotedOperation>(
  store: KeyStore,
  { operations, limits, signal }: { operations: readonly O[]; limits: KeyLimits; signal: AbortSignal | undefined },
): AsyncGenerator<
  { write: OpenWrite<O>; isGivenUp: false } | { write: { operation: O; key: string }; isGivenUp: true }
> {
  for (const write of await store.giveUp(operations, limits)) yield { write, isGivenUp: true };
  const given = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const write = await store.claim(operations, limits);
    if (write === null) return;
    const name = `${write.operation} ${write.key}`;
    // Those that stay unknown wait behind the others: all of them had their turn.
    if (given.has(name)) {
      await store.end(write, 'unknown', null);
      return;
    }
    given.add(name);
    yield { write, isGivenUp: false };
  }
}
