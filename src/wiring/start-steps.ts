import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';

class StartStepError extends AppError {
  readonly code = 'start_step';
  override readonly retryable = true;
}

/** The process was asked to stop; the reason of its AbortSignal. */
export class StopRequest extends AppError {
  readonly code = 'stopping';
  readonly by: string | undefined;
  constructor(by: string | undefined) {
    super(`stopping (${by ?? 'error'})`);
    this.by = by;
  }
}

/**
 * Runs a step of the start under its name. Its signal says that it is to end: the process stops, or the step's limit is
 * over. It is not waited for then, unless it gets `graceMs` to tidy up.
 */
export type RunStep = <T>(
  name: string,
  step: (signal: AbortSignal) => T | Promise<T>,
  options?: { graceMs?: number },
) => Promise<T>;

const SLOW_MS = 5_000;
const LIMIT_MS = 90_000;

/** Steps without a start: of a command that runs to its end by itself. */
export const runPlainly: RunStep = async (_name, step) => step(new AbortController().signal);

export function createStartSteps(
  { log, signal }: { log: Logger; signal: AbortSignal },
  { slowMs = SLOW_MS, limitMs = LIMIT_MS } = {},
): { run: RunStep; running: () => string | null } {
  const running = new Set<string>();
  const run: RunStep = async (step, work, { graceMs = 0 } = {}) => {
    signal.throwIfAborted();
    const began = performance.now();
    const limit = new AbortController();
    const stop = AbortSignal.any([signal, limit.signal]);
    const slow = setTimeout(() => log.warn({ step, limitMs }, 'start step is slow'), slowMs);
    const late = setTimeout(() => {
      limit.abort(new StartStepError(`The start gave up: its step "${step}" did not end within ${limitMs / 1000} s.`));
    }, limitMs);
    running.add(step);
    try {
      const done = await Promise.race([work(stop), givenUp(stop, graceMs)]);
      log.info({ step, ms: Math.round(performance.now() - began) }, 'start step done');
      return done;
    } catch (error) {
      throw stop.aborted ? stop.reason : error;
    } finally {
      running.delete(step);
      clearTimeout(slow);
      clearTimeout(late);
    }
  };
  return { run, running: () => [...running].at(-1) ?? null };
}

async function givenUp(signal: AbortSignal, graceMs: number): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  if (graceMs > 0) await delay(graceMs, undefined, { ref: false });
  throw signal.reason;
}
