import { setTimeout as delay } from 'node:timers/promises';
import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import type { Client } from 'pg';
import { AppError } from '../../errors.js';
import type { Logger } from '../../log.js';
import { describeError, isPassing } from '../../records/database/database-errors.js';
import { openClient } from '../../records/database/examine-database.js';

/** Held by this process until `release`, or until `signal` says that it was lost with its connection. */
export interface Lock {
  signal: AbortSignal;
  release(): Promise<void>;
}

export interface LockDeps {
  /** Where sessions last: DATABASE_DIRECT_URL. */
  databaseUrl: string;
  log: Logger;
  /** A process that stands still, or a machine that is gone, gives its locks up after so long: half a minute unless given. */
  idleMs?: number;
}

/** Another process held the lock for longer than was to be waited. */
export class LockTimeoutError extends AppError {
  readonly code = 'lock_timeout';
  override readonly retryable = true;
}

/** The connection that held the lock is gone, and somebody else may hold it now. */
class LockLostError extends AppError {
  readonly code = 'lock_lost';
  override readonly retryable = true;
}

const LOCK_CLASS = 0x7448;
const POLL_MS = 200;
/** A connection that died without a word is noticed after so long. */
const PULSE_MS = 5_000;
const IDLE_MS = 30_000;
/** Over some half a minute. */
const CONNECT_ATTEMPTS = 8;

/** Among all processes, bound to a connection of its own: whoever dies gives it up. Null: another process holds it. */
export async function tryLock(deps: LockDeps, name: string): Promise<Lock | null> {
  const client = await connect(deps.databaseUrl);
  try {
    if (await obtain(client, name)) return await hold(client, deps, name);
  } catch (error) {
    await end(client);
    throw error;
  }
  await end(client);
  return null;
}

/** The same, waiting. Throws LockTimeoutError after `timeoutMs`, and the signal's reason when it aborts. */
export async function takeLock(
  deps: LockDeps,
  name: string,
  options: { timeoutMs: number; signal?: AbortSignal | undefined; onWaiting?: (() => void) | undefined },
): Promise<Lock> {
  const client = await connectSoon(deps, options);
  const deadline = performance.now() + options.timeoutMs;
  let announced = false;
  try {
    while (!(await obtain(client, name))) {
      if (performance.now() >= deadline)
        throw new LockTimeoutError(`another process held "${name}" for more than ${options.timeoutMs / 1_000} s`);
      if (!announced) options.onWaiting?.();
      announced = true;
      await delay(POLL_MS, undefined, { signal: options.signal });
      options.signal?.throwIfAborted();
    }
    return await hold(client, deps, name);
  } catch (error) {
    await end(client);
    throw error;
  }
}

/** A server with no connection left, or that starts again, has one in a moment. */
async function connectSoon(
  { databaseUrl, log }: LockDeps,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Client> {
  const limit = {
    maxAttempts: CONNECT_ATTEMPTS,
    backoff: new ExponentialBackoff({ initialDelay: 500, maxDelay: 5_000 }),
  };
  const soon = retry(handleWhen(isPassing), limit);
  const deadline = performance.now() + timeoutMs;
  soon.onFailure(({ reason }) => {
    if ('error' in reason) log.debug({ error: describeError(reason.error) }, 'lock not connected');
  });
  return soon.execute(async ({ attempt, signal: ended }) => {
    if (attempt > 0 && performance.now() > deadline)
      throw new LockTimeoutError('no connection to the database came in time');
    ended.throwIfAborted();
    return connect(databaseUrl);
  }, signal);
}

function connect(url: string): Promise<Client> {
  return openClient(url, { application_name: 'tallyhook lock', query_timeout: PULSE_MS });
}

async function obtain(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1, hashtext($2)) AS held', [
    LOCK_CLASS,
    name,
  ]);
  return rows[0]?.held ?? false;
}

async function hold(client: Client, { log, idleMs = IDLE_MS }: LockDeps, name: string): Promise<Lock> {
  await client.query(`SET idle_session_timeout = ${idleMs}`);
  const lost = new AbortController();
  let released = false;
  const lose = () => {
    clearInterval(pulse);
    if (released || lost.signal.aborted) return;
    log.warn({ lock: name }, 'lock lost');
    lost.abort(new LockLostError(`the connection that held "${name}" is gone`));
    void end(client);
  };
  const pulse = setInterval(() => void client.query('SELECT 1').catch(lose), PULSE_MS);
  pulse.unref();
  client.on('error', lose);
  client.on('end', lose);
  return {
    signal: lost.signal,
    release: async () => {
      released = true;
      clearInterval(pulse);
      await end(client);
    },
  };
}

/** Ending the connection gives the lock up. It never throws, and takes no longer than a pulse. */
async function end(client: Client): Promise<void> {
  const limit = new AbortController();
  const late = delay(PULSE_MS, undefined, { signal: limit.signal }).catch(() => {});
  await Promise.race([client.end().catch(() => {}), late]);
  limit.abort();
}
