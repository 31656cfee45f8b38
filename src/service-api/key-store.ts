import type { KeyedOperation } from './operations.js';

/** A creating call, as it is written down before it is sent. */
export interface KeyedWrite {
  operation: KeyedOperation;
  key: string;
  /** SHA-256 of what is asked for: tells a replay from another request under the same key. */
  hash: string;
  /** All that it takes to send the call again, as JSON text; null where it must not be kept (a TOTP code is in it). */
  request: string | null;
}

export interface KeyLimits {
  /** How long one call may last: so long nobody else sends it. */
  leaseMs: number;
  /** A key that was first used longer ago than this is never sent again. */
  withinMs: number;
}

/**
 * `again`: a call under the key was begun before and not refused; `age` in ms since the key was first used; `objectId` of
 * what it made, where that is known.
 */
export type Begun =
  | { ok: true; again: boolean; age: number }
  | { ok: false; reason: 'expired' | 'other_request'; objectId: string | null };

/**
 * How a call ended: `refused` and `unsent` made nothing, so their key is free again; `doubt` is to be settled; `lost`
 * can't be settled any more.
 */
export type KeyOutcome = 'done' | 'refused' | 'unsent' | 'doubt' | 'lost';

export type OpenWrite = KeyedWrite & { age: number };

/** Where creating calls are written down before they are sent, so that a crash leaves no payment or payout unknown. */
export interface KeyStore {
  /** Resolves when the call is written down so that it outlives the process; only then may it be sent. */
  begin(write: KeyedWrite, limits: KeyLimits): Promise<Begun>;
  end(write: KeyedWrite, outcome: KeyOutcome, objectId: string | null): Promise<void>;
  /**
   * The call in doubt that has waited longest, of those that nobody else settles now and that are not too old to be sent;
   * it is the caller's for `leaseMs`. Null where there is none.
   */
  claim(limits: KeyLimits): Promise<OpenWrite | null>;
  /** Gives calls in doubt up that are too old to be sent again; returns those of which nothing is known. */
  giveUp(limits: KeyLimits): Promise<KeyedWrite[]>;
}

interface Entry {
  write: KeyedWrite;
  state: 'open' | Exclude<KeyOutcome, 'doubt'>;
  objectId: string | null;
  begunAt: number;
  leasedUntil: number;
}

const MOST_ENTRIES = 10_000;

/** Keeps keys for as long as the process lives: what it does not survive, nobody settles. */
export class MemoryKeyStore implements KeyStore {
  private readonly entries = new Map<string, Entry>();
  private readonly now: () => number;

  /** `now`: a clock in ms that never jumps. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  begin(write: KeyedWrite, { leaseMs, withinMs }: KeyLimits): Promise<Begun> {
    const now = this.now();
    const known = this.entries.get(idOf(write));
    const isFree = known === undefined || known.state === 'refused' || known.state === 'unsent';
    if (!isFree && known.write.hash !== write.hash) return refuse('other_request', known);
    if (!isFree && now - known.begunAt > withinMs) return refuse('expired', known);
    const begunAt = isFree ? now : known.begunAt;
    const objectId = isFree ? null : known.objectId;
    this.keep({ write, state: 'open', objectId, begunAt, leasedUntil: now + leaseMs });
    return Promise.resolve({ ok: true, again: !isFree, age: now - begunAt });
  }

  end(write: KeyedWrite, outcome: KeyOutcome, objectId: string | null): Promise<void> {
    const entry = this.entries.get(idOf(write));
    if (entry === undefined) return Promise.resolve();
    entry.state = outcome === 'doubt' ? 'open' : outcome;
    entry.objectId = objectId ?? entry.objectId;
    entry.leasedUntil = this.now();
    if (outcome !== 'doubt') entry.write = { ...entry.write, request: null };
    return Promise.resolve();
  }

  claim({ leaseMs, withinMs }: KeyLimits): Promise<OpenWrite | null> {
    const now = this.now();
    const due = this.inDoubt().filter(({ begunAt }) => now - begunAt <= withinMs);
    const [first] = due.sort((a, b) => a.leasedUntil - b.leasedUntil);
    if (first === undefined) return Promise.resolve(null);
    first.leasedUntil = now + leaseMs;
    return Promise.resolve({ ...first.write, age: now - first.begunAt });
  }

  giveUp({ withinMs }: KeyLimits): Promise<KeyedWrite[]> {
    const now = this.now();
    const late = this.inDoubt().filter(({ begunAt }) => now - begunAt > withinMs);
    for (const entry of late) entry.state = entry.objectId === null ? 'lost' : 'done';
    return Promise.resolve(late.filter(({ state }) => state === 'lost').map(({ write }) => write));
  }

  private inDoubt(): Entry[] {
    const now = this.now();
    return [...this.entries.values()].filter(({ state, leasedUntil }) => state === 'open' && leasedUntil <= now);
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

function idOf({ operation, key }: KeyedWrite): string {
  return `${operation} ${key}`;
}

function refuse(reason: 'expired' | 'other_request', { objectId }: Entry): Promise<Begun> {
  return Promise.resolve({ ok: false, reason, objectId });
}
