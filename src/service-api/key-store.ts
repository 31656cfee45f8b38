import type { JsonObject } from '../domain/json.js';
import type { Begun, CallLog, KeyLimits, KeyOutcome, NotedCall, OpenCallNote } from '../domain/own-calls.js';
import type { KeyedOperation } from './operations.js';

export type { Begun, KeyLimits, KeyOutcome };

/** What is written down before it is sent: calls with an idempotency key, and invoices, which have none to send. */
export type NotedOperation = KeyedOperation | 'createInvoice';
export type NotedWrite<O extends NotedOperation = NotedOperation> = NotedCall<O>;
export type OpenWrite<O extends NotedOperation = NotedOperation> = OpenCallNote<O>;

/** Where creating calls are written down before they are sent, so that a crash leaves no payment or payout unknown. */
export interface KeyStore extends CallLog<NotedOperation> {
  /**
   * The record that a call of the operation made, as the service's lists or its own answer showed it; `at`: when, ms of the
   * service's clock. Null where it is not known. Left out: this store knows no records.
   */
  made?(operation: NotedOperation, objectId: string): Promise<{ fields: JsonObject; at: number } | null>;
}

interface Entry<O extends NotedOperation = NotedOperation> {
  write: NotedWrite<O>;
  state: 'open' | Exclude<KeyOutcome, 'unknown'>;
  objectId: string | null;
  begunAt: number;
  leasedUntil: number;
}

const MOST_ENTRIES = 10_000;

/**
 * Keeps keys for as long as the process lives: what it does not survive, nobody settles. Nobody else sees the calls: which
 * payment a refund was for is lost, and no order is held while it is not known what came of one.
 */
export class MemoryKeyStore implements KeyStore {
  private readonly entries = new Map<string, Entry>();
  private readonly now: () => number;

  /** `now`: a clock in ms that never jumps. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  begin(write: NotedWrite, { leaseMs, withinMs }: KeyLimits): Promise<Begun> {
    const now = this.now();
    const known = this.entries.get(idOf(write));
    const isFree = known === undefined || known.state === 'refused' || known.state === 'unsent';
    if (!isFree && known.write.hash !== write.hash) return refuse('other_request', known);
    if (!isFree && now - known.begunAt > withinMs) return refuse('expired', known);
    const begunAt = isFree ? now : known.begunAt;
    const objectId = isFree ? null : known.objectId;
    const state = known?.state === 'done' ? 'done' : 'open';
    this.keep({ write, state, objectId, begunAt, leasedUntil: now + leaseMs });
    return Promise.resolve({ ok: true, again: !isFree, age: now - begunAt });
  }

  end(write: NotedWrite, outcome: KeyOutcome, objectId: string | null): Promise<void> {
    const entry = this.entries.get(idOf(write));
    if (entry === undefined) return Promise.resolve();
    const isOver = entry.state === 'done' || entry.state === 'lost';
    if (isOver && outcome !== 'done') return Promise.resolve();
    entry.objectId = objectId ?? entry.objectId;
    entry.leasedUntil = this.now();
    if (outcome === 'unknown') entry.state = 'open';
    else entry.state = entry.objectId === null ? outcome : 'done';
    entry.write = outcome === 'unknown' ? write : { ...write, request: null };
    return Promise.resolve();
  }

  claim<O extends NotedOperation>(
    operations: readonly O[],
    { leaseMs, withinMs }: KeyLimits,
  ): Promise<OpenWrite<O> | null> {
    const now = this.now();
    const due = this.withUnknownOutcome(operations).filter(({ begunAt }) => now - begunAt <= withinMs);
    const [first] = due.sort((a, b) => a.leasedUntil - b.leasedUntil);
    if (first === undefined) return Promise.resolve(null);
    first.leasedUntil = now + leaseMs;
    return Promise.resolve({ ...first.write, age: now - first.begunAt });
  }

  giveUp<O extends NotedOperation>(operations: readonly O[], { withinMs }: KeyLimits): Promise<NotedWrite<O>[]> {
    const now = this.now();
    const late = this.withUnknownOutcome(operations).filter(({ begunAt }) => now - begunAt > withinMs);
    for (const entry of late) entry.state = entry.objectId === null ? 'lost' : 'done';
    return Promise.resolve(late.filter(({ state }) => state === 'lost').map(({ write }) => write));
  }

  rivals(write: NotedWrite, objectIds: readonly string[]): Promise<{ made: string[]; open: number }> {
    const others = [...this.entries.values()].filter(
      ({ write: { operation, key } }) => operation === write.operation && key !== write.key,
    );
    return Promise.resolve({
      made: objectIds.filter((id) => others.some(({ objectId }) => objectId === id)),
      open: others.filter(
        ({ state, objectId, write: { hash } }) => state === 'open' && objectId === null && hash === write.hash,
      ).length,
    });
  }

  private withUnknownOutcome<O extends NotedOperation>(operations: readonly O[]): Entry<O>[] {
    const now = this.now();
    return [...this.entries.values()]
      .filter((entry): entry is Entry<O> => operations.some((operation) => operation === entry.write.operation))
      .filter(({ state, leasedUntil }) => state === 'open' && leasedUntil <= now);
  }

  private keep(entry: Entry): void {
    const id = idOf(entry.write);
    this.entries.delete(id);
    this.entries.set(id, entry);
    if (this.entries.size <= MOST_ENTRIES) return;
    for (const [oldest, { state }] of this.entries) {
      if (state === 'open') continue;
      this.entries.delete(oldest);
      return;
    }
  }
}

const idOf = ({ operation, key }: NotedWrite): string => `${operation} ${key}`;

function refuse(reason: 'expired' | 'other_request', { objectId }: Entry): Promise<Begun> {
  return Promise.resolve({ ok: false, reason, objectId });
}

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
