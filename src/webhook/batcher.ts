import { AppError } from '../errors.js';

/** As many wait as may wait: the caller should come back later. */
export class OverloadedError extends AppError {
  readonly code = 'overloaded';
  override readonly retryable = true;
}

export interface BatchLimits<T, R> {
  /** Outcomes in the order of the items. */
  flush(items: T[]): Promise<PromiseSettledResult<R>[]>;
  /** What an item counts towards a batch: bytes, or rows. */
  weightOf(item: T): number;
  concurrency: number;
  /**
   * What waits is flushed beside a flush that runs once it is so large, or the first of it waited for so long when another one
   * comes; until then it waits for the end of that flush: side by side, small ones hold one another up. Left out: at once.
   */
  beside?: { weight: number; ms: number };
  maxItems: number;
  maxWeight: number;
  maxWaitingItems: number;
  maxWaitingWeight: number;
  /** Whoever waited longer when a flush could take it is sent away: its sender hardly waits any more. */
  maxWaitMs: number;
  /** While the first in line has waited for longer, nobody joins: he would only be written late, or sent away later. */
  shedAfterMs: number;
}

interface Waiting<T, R> {
  item: T;
  weight: number;
  since: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Gathers what comes while a flush runs, and flushes it together. Nobody waits for company: the first goes at once. */
export class Batcher<T, R> {
  private readonly settings: BatchLimits<T, R>;
  private waiting: Waiting<T, R>[] = [];
  private waitingWeight = 0;
  private running = 0;
  private scheduled = false;
  private onIdle: (() => void)[] = [];

  constructor(settings: BatchLimits<T, R>) {
    this.settings = settings;
  }

  /** Settles with this item's own outcome, after the flush that held it. Rejects at once with OverloadedError. */
  submit(item: T): Promise<R> {
    const weight = this.settings.weightOf(item);
    const { maxWaitingItems, maxWaitingWeight } = this.settings;
    if (this.waiting.length >= maxWaitingItems || this.waitingWeight + weight > maxWaitingWeight) {
      const message = `${this.waiting.length} items of weight ${this.waitingWeight} are waiting`;
      return Promise.reject(new OverloadedError(message));
    }
    if (this.standsStill()) return Promise.reject(new OverloadedError(`${this.waiting.length} items wait too long`));
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, weight, since: performance.now(), resolve, reject });
      this.waitingWeight += weight;
      this.schedule();
    });
  }

  /** Whether anything waits for the end of a flush. */
  isBusy(): boolean {
    return this.running > 0 && this.waiting.length > 0;
  }

  /** Whether less waits than that. */
  hasRoom(weight: number): boolean {
    return this.waitingWeight < weight;
  }

  /** Resolves once nothing waits and nothing runs. */
  idle(): Promise<void> {
    if (this.running === 0 && this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.onIdle.push(resolve));
  }

  private standsStill(): boolean {
    const [first] = this.waiting;
    return first !== undefined && performance.now() - first.since > this.settings.shedAfterMs;
  }

  private schedule(): void {
    if (this.scheduled || this.running >= this.settings.concurrency || this.waiting.length === 0) return;
    if (this.running > 0 && !this.isWorthAnother()) return;
    this.scheduled = true;
    // Whatever was read from the sockets in this turn of the loop comes along.
    setImmediate(() => {
      this.scheduled = false;
      this.rejectLate();
      if (this.waiting.length > 0) void this.run(this.takeBatch());
      else this.resolveIdle();
      this.schedule();
    });
  }

  private isWorthAnother(): boolean {
    const { beside } = this.settings;
    const [first] = this.waiting;
    if (beside === undefined || first === undefined) return true;
    return this.waitingWeight >= beside.weight || performance.now() - first.since >= beside.ms;
  }

  private rejectLate(): void {
    const oldest = performance.now() - this.settings.maxWaitMs;
    const firstInTime = this.waiting.findIndex(({ since }) => since >= oldest);
    const late = this.waiting.splice(0, firstInTime === -1 ? this.waiting.length : firstInTime);
    for (const entry of late) {
      this.waitingWeight -= entry.weight;
      entry.reject(new OverloadedError(`not written within ${this.settings.maxWaitMs} ms`));
    }
  }

  private takeBatch(): Waiting<T, R>[] {
    const { maxItems, maxWeight } = this.settings;
    let count = 0;
    let taken = 0;
    for (const { weight } of this.waiting) {
      if (count > 0 && (count === maxItems || taken + weight > maxWeight)) break;
      count += 1;
      taken += weight;
    }
    const batch = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    this.waitingWeight -= taken;
    return batch;
  }

  private async run(batch: Waiting<T, R>[]): Promise<void> {
    this.running += 1;
    const outcomes = await this.settings.flush(batch.map(({ item }) => item)).catch((error: unknown) => error);
    this.running -= 1;
    this.schedule();
    batch.forEach((entry, i) => {
      if (!Array.isArray(outcomes)) return entry.reject(outcomes);
      const outcome: PromiseSettledResult<R> | undefined = outcomes[i];
      if (outcome?.status === 'fulfilled') entry.resolve(outcome.value);
      else entry.reject(outcome?.reason ?? new Error('the flush forgot an item'));
    });
    this.resolveIdle();
  }

  private resolveIdle(): void {
    if (this.running > 0 || this.waiting.length > 0) return;
    for (const resolve of this.onIdle) resolve();
    this.onIdle = [];
  }
}
