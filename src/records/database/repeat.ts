import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../log.js';
import { describeError } from './database-errors.js';

interface Repeated {
  signal: AbortSignal;
  everyMs: number | (() => number);
  /** Left out: `everyMs`. */
  afterFailureMs?: number;
  /** Hears of what failed, but not of what the signal ended. */
  failed: (error: unknown) => void;
  /** What ends the next pause before its time; left out or null: nothing does. */
  sooner?: () => AbortSignal | null;
}

/** Does the work at once and again after each pause, until the signal. Never throws. */
export async function repeat(
  { signal, everyMs, afterFailureMs, failed, sooner }: Repeated,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    let pause: number | undefined;
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      failed(error);
      pause = afterFailureMs;
    }
    pause ??= typeof everyMs === 'number' ? everyMs : everyMs();
    const early = sooner?.() ?? null;
    await delay(pause, undefined, { signal: early === null ? signal : AbortSignal.any([signal, early]) }).catch(
      () => {},
    );
  }
}

/** A warning for each failure, in words that may be shown. */
export function logFailure(log: Pick<Logger, 'warn'>, message: string, about: object = {}): (error: unknown) => void {
  return (error) => log.warn({ ...about, error: describeError(error) }, message);
}

/** Begins what lasts until its signal; `close` gives the signal, and waits for the end. */
export function untilClosed(work: (signal: AbortSignal) => Promise<void>): { close(): Promise<void> } {
  const stop = new AbortController();
  const ended = work(stop.signal);
  return {
    close: () => {
      stop.abort();
      return ended;
    },
  };
}
