import type { Logger } from '../log.js';
import { type Closers, createClosers } from '../wiring/closers.js';

/** Runs a command that may take long; SIGINT and SIGTERM abort it, and what it opened is closed either way. */
export async function runUntilDone(
  log: Logger,
  work: (closers: Closers, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const closers = createClosers(log);
  const stop = new AbortController();
  const interrupt = () => {
    process.exitCode = 130;
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await work(closers, stop.signal);
  } catch (error) {
    if (!isInterruption(error, stop.signal)) throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await closers.close();
  }
}

/** What ends because it was stopped says so by the reason it was given, or by an AbortError of Node. */
function isInterruption(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === 'AbortError'));
}
