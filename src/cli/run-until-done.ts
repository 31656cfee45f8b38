import { NotSentError } from '../service-api/service-errors.js';
import { createClosers } from '../wiring/closers.js';
import { openRuntime, type Runtime } from '../wiring/runtime.js';
import { commandLog } from './command-log.js';

/** Runs a command that may take long; SIGINT and SIGTERM abort it, and what it opened is closed either way. */
export async function runUntilDone(
  config: Runtime['config'],
  work: (runtime: Runtime) => Promise<void>,
  logLevel = config.LOG_LEVEL,
): Promise<void> {
  const log = commandLog(logLevel);
  const closers = createClosers(log);
  const stop = new AbortController();
  const interrupt = () => {
    process.exitCode = 130;
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await work(await openRuntime({ config, log, closers, signal: stop.signal }));
  } catch (error) {
    if (!isInterruption(error, stop.signal)) throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await closers.close();
  }
}

/** What ends because it was stopped says so by the reason it was given, by an AbortError of Node, or in that nothing was sent. */
function isInterruption(error: unknown, { aborted, reason }: AbortSignal): boolean {
  const cause = error instanceof NotSentError ? error.cause : error;
  return aborted && (cause === reason || (cause instanceof Error && cause.name === 'AbortError'));
}
