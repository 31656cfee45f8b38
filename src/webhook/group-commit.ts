import { AppError } from '../errors.js';

/** As many wait as may wait: the caller should come back later. */
export class OverloadedError extends AppError {
  readonly code = 'overloaded';
  override readonly retryable = true;
}

export interface GroupCommit<T, R> {
  /** Settles with this item's own outcome, after the flush that held it. Rejects at once with OverloadedError. */
  submit(item: T): Promise<R>;
  /** Resolves once nothing waits and nothing runs. */
  idle(): Promise<void>;
}

interface Waiting<T, R> {
  item: T;
  size: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface GroupCommitSettings<T, R> {
  /** Outcomes in the order of the items. */
  flush(items: T[]): Promise<PromiseSettledResult<R>[]>;
  sizeOf(item: T): number;
  /** Flushes that may run at once. */
  concurrency: number;
  maxItems: number;
  maxBytes: number;
  maxWaitingItems: number;
  maxWaitingBytes: number;
}

/** Gathers what comes while a flush runs, and flushes it together. Nobody waits for company: the first goes at once. */
export function createGroupCommit<T, R>(settings: GroupCommitSettings<T, R>): GroupCommit<T, R> {
  let waiting: Waiting<T, R>[] = [];
  let waitingBytes = 0;
  let running = 0;
  let scheduled = false;
  let onIdle: (() => void)[] = [];

  function schedule(): void {
    if (scheduled || running >= settings.concurrency || waiting.length === 0) return;
    scheduled = true;
    // Whatever was read from the sockets in this turn of the loop comes along.
    setImmediate(() => {
      scheduled = false;
      void run(takeBatch());
      schedule();
    });
  }

  function takeBatch(): Waiting<T, R>[] {
    let count = 0;
    let bytes = 0;
    for (const { size } of waiting) {
      if (count > 0 && (count === settings.maxItems || bytes + size > settings.maxBytes)) break;
      count += 1;
      bytes += size;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes -= bytes;
    return batch;
  }

  async function run(batch: Waiting<T, R>[]): Promise<void> {
    running += 1;
    const outcomes = await settings.flush(batch.map(({ item }) => item)).catch((error: unknown) => error);
    running -= 1;
    schedule();
    batch.forEach((entry, i) => {
      if (!Array.isArray(outcomes)) return entry.reject(outcomes);
      const outcome: PromiseSettledResult<R> | undefined = outcomes[i];
      if (outcome?.status === 'fulfilled') entry.resolve(outcome.value);
      else entry.reject(outcome?.reason ?? new Error('the flush forgot an item'));
    });
    if (running > 0 || waiting.length > 0) return;
    for (const resolve of onIdle) resolve();
    onIdle = [];
  }

  return {
    submit(item) {
      const size = settings.sizeOf(item);
      if (waiting.length >= settings.maxWaitingItems || waitingBytes + size > settings.maxWaitingBytes) {
        return Promise.reject(new OverloadedError(`${waiting.length} items of ${waitingBytes} bytes are waiting`));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ item, size, resolve, reject });
        waitingBytes += size;
        schedule();
      });
    },
    idle() {
      if (running === 0 && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => onIdle.push(resolve));
    },
  };
}
