import closeWithGrace from 'close-with-grace';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import { type Closers, createClosers } from '../wiring/closers.js';
import { StopRequest } from '../wiring/start-steps.js';

/** Longer than the sum of what the parts allow themselves for draining. */
const CLOSE_MS = 45_000;
/** npm and a terminal both pass a Ctrl-C on: what comes this soon after the first is the same request, not a second one. */
const SAME_CTRL_C_MS = 2_000;
const LEFT_OVER_MS = 1_000;

/**
 * Runs `start`, then waits for SIGTERM (exit 0) or SIGINT (exit 130), closes what start added to the closers, and exits.
 * A second signal, later, exits at once. A signal ends a start under way. When start fails, all is closed and its error
 * thrown. `drainSeconds`: how much longer than usual closing may take.
 */
export async function runUntilStopped(
  log: Logger,
  start: (closers: Closers, signal: AbortSignal) => Promise<void>,
  { drainSeconds = 0 } = {},
): Promise<void> {
  const closers = createClosers(log);
  const stop = new AbortController();
  const starting = start(closers, stop.signal);
  const graceful = closeWithGrace(
    { delay: CLOSE_MS + drainSeconds * 1_000, logger: false, skip: ['SIGHUP', 'beforeExit'] },
    async ({ signal, err }) => {
      forgiveRepeats();
      if (err) log.fatal({ err }, 'unexpected error');
      else log.info({ signal }, 'stopping');
      stop.abort(new StopRequest(signal));
      await starting.catch(() => {});
      await closers.close();
      if (!err && signal === 'SIGINT') process.exit(130);
    },
  );
  try {
    await starting;
  } catch (error) {
    if (stop.signal.aborted) return;
    graceful.uninstall();
    await closers.close();
    // A statement that still waits for its answer would keep the process.
    if (error instanceof AppError && error.retryable) setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
    throw error;
  }
}

function forgiveRepeats(): void {
  const first = performance.now();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (performance.now() - first > SAME_CTRL_C_MS) process.exit(130);
    });
  }
}
