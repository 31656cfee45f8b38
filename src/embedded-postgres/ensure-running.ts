import { existsSync } from 'node:fs';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log.js';
import { prepareBinaries } from './binaries.js';
import { initCluster, type Postmaster, readPostmaster, removeStalePid, startCluster } from './cluster.js';
import { freePort } from './free-port.js';
import { chooseIdentity, homeOf, type Identity } from './identity.js';

const ATTEMPTS = 10;
const READY_TIMEOUT_MS = 60_000;
const LOG_LIMIT_BYTES = 10_000_000;

/** Nothing here trades safety of a commit for speed. */
const SETTINGS = { max_connections: '200', jit: 'off', timezone: 'UTC', log_timezone: 'UTC', log_checkpoints: 'off' };

/** What no other attempt can fix. */
const HOPELESS = /contains errors|incompatible with server|password authentication failed|No embedded Postgres|initdb/i;

export interface Instance {
  folder: string;
  password: string;
  /** Throws while the server does not answer. */
  check: (postmaster: Postmaster) => Promise<void>;
  log?: Logger;
  signal: AbortSignal | undefined;
  onWait?: (() => void) | undefined;
  lodgings?: string;
  unshare?: boolean;
}

/** Call it under the lock. Around a kill −9 the dead may look alive for a moment: tried again, bounded. */
export async function ensureRunning({ folder, password, check, ...options }: Instance): Promise<Postmaster> {
  let native: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      let postmaster = await waitUntilReady(path.join(homeOf(folder), 'data'), options.signal);
      if (postmaster) options.onWait?.();
      else {
        native ??= await prepareBinaries(folder);
        const identity = await chooseIdentity({ ...options, folder, native });
        postmaster = await start(identity, { ...options, folder, password, attempt });
      }
      await check(postmaster);
      return postmaster;
    } catch (error) {
      if (options.signal?.aborted || attempt === ATTEMPTS || HOPELESS.test(String(error))) throw error;
      options.log?.debug({ err: error, attempt }, 'embedded Postgres not ready');
      await delay(100 * attempt, undefined, { signal: options.signal });
    }
  }
}

async function waitUntilReady(data: string, signal: AbortSignal | undefined): Promise<Postmaster | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const postmaster = readPostmaster(data);
    if (!postmaster || postmaster.ready) return postmaster;
    if (Date.now() > deadline) throw new Error(`The embedded Postgres (pid ${postmaster.pid}) does not get ready`);
    await delay(20, undefined, { signal });
  }
}

async function start(
  identity: Identity,
  { folder, password, attempt, signal, onWait }: Omit<Instance, 'check'> & { attempt: number },
): Promise<Postmaster> {
  const data = path.join(identity.home, 'data');
  if (existsSync(path.join(data, 'PG_VERSION'))) onWait?.();
  else await initCluster(identity, data, password, { signal, onWait });
  await removeStalePid(data);
  const logFile = path.join(folder, 'log');
  const logged = await stat(logFile).catch(() => null);
  if (logged && logged.size > LOG_LIMIT_BYTES) await truncate(logFile);
  const portFile = path.join(folder, 'port');
  const last = Number(await readFile(portFile, 'utf8').catch(() => ''));
  // The last port again, also when the first attempts fail: whoever still has the old address finds the server there.
  const port = await freePort(attempt < ATTEMPTS && last > 0 ? last : null);
  await writeFile(portFile, String(port), { mode: 0o600 });
  return startCluster(identity, { data, logFile, port, settings: SETTINGS, signal });
}
