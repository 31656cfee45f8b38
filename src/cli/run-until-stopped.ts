import closeWithGrace from 'close-with-grace';
import type { Logger } from '../log.js';
import { type Closers, createClosers } from '../wiring/closers.js';

/** Longer than the sum of what the parts allow themselves for draining. */
const CLOSE_MS = 45_000;
/** npm and a terminal both pass a Ctrl-C on: what comes this soon after the first is the same wish, not a second one. */
const SAME_WISH_MS = 2_000;

/**
 * Runs `start`, then waits for SIGTERM (exit 0) or SIGINT (exit 130), closes what start added to the closers, and exits.
 * A second signal, later, exits at once. When start fails, all is closed and its error thrown.
 */
export async function runUntilStopped(
  log: Logger,
  start: (closers: Closers, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const closers = createClosers(log);
  const stop = new AbortController();
  const starting = start(closers, stop.signal);
  const graceful = closeWithGrace(
    { delay: CLOSE_MS, logger: false, skip: ['SIGHUP', 'beforeExit'] },
    async ({ signal, err }) => {
      forgiveRepeats();
      if (err) log.fatal({ err }, 'unexpected, stopping');
      else log.info({ signal }, 'stopping');
      stop.abort();
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
    throw error;
  }
}

function forgiveRepeats(): void {
  const first = performance.now();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (performance.now() - first > SAME_WISH_MS) process.exit(130);
    });
  }
}
