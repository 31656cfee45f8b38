import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Identity } from './identity.js';
import { isAlive } from './process.js';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const PID_FILE = 'postmaster.pid';

/** The role that owns everything, and the database that exists from the start. */
export const ROLE = 'tallyhook';
export const MAINTENANCE_DATABASE = 'postgres';

export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** Makes a new data directory, whole or not at all. Bytewise collation everywhere; passwords by SCRAM. */
export async function initCluster(
  identity: Identity,
  data: string,
  password: string,
  {
    flags = [],
    signal,
    onWait,
  }: { flags?: string[]; signal?: AbortSignal | undefined; onWait?: (() => void) | undefined } = {},
): Promise<void> {
  const unfinished = `${data}.new`;
  const passwordFile = `${data}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await identity.own(unfinished);
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    await identity.own(passwordFile);
    const { file, args } = identity.command('initdb', [
      `--pgdata=${unfinished}`,
      `--username=${ROLE}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...flags,
    ]);
    const made = promisify(execFile)(file, args, { ...identity.as, timeout: START_TIMEOUT_MS, signal });
    onWait?.();
    await made;
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, data);
}

/** The running server of this data directory, if there is one. Another process that got its old id is not taken for it. */
export function readPostmaster(data: string): Postmaster | null {
  const [pid, , , port, , , , status] = pidLines(data);
  if (!pid || !isAlive(Number(pid)) || !standsIn(Number(pid), data)) return null;
  return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' };
}

/** Where its id is another process's now, for which Postgres would wait. Other leftovers it clears up by itself. */
export async function removeStalePid(data: string): Promise<void> {
  const pid = Number(pidLines(data)[0]);
  if (pid > 0 && isAlive(pid) && !standsIn(pid, data)) await rm(path.join(data, PID_FILE));
}

function pidLines(data: string): string[] {
  try {
    return readFileSync(path.join(data, PID_FILE), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** A server stands in its data directory, wherever that was moved to. Where the system does not say, yes. */
function standsIn(pid: number, data: string): boolean {
  let folder: string;
  try {
    folder = readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return true;
  }
  return folder === realpathSync(data);
}

/** In a session of its own, so that no Ctrl-C meant for us reaches it. Throws with the end of the server's log. */
export async function startCluster(
  identity: Identity,
  options: {
    data: string;
    logFile: string;
    port: number;
    settings: Record<string, string>;
    signal?: AbortSignal | undefined;
  },
): Promise<Postmaster> {
  const settings = {
    ...options.settings,
    port: String(options.port),
    listen_addresses: '127.0.0.1',
    // The path of a socket has about 100 bytes, that of a folder has no such limit.
    unix_socket_directories: '',
  };
  const { file, args } = identity.command('postgres', [
    '-D',
    options.data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = await open(options.logFile, 'a', 0o600);
  try {
    const logged = (await log.stat()).size;
    const child = spawn(file, args, { ...identity.as, detached: true, stdio: ['ignore', log.fd, log.fd] });
    child.unref();
    const outcome: { failure?: string } = {};
    child.once('error', (error) => (outcome.failure = error.message));
    child.once('exit', (code, signal) => (outcome.failure = `exit ${code ?? signal}`));
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!outcome.failure && Date.now() < deadline && !options.signal?.aborted) {
      const postmaster = readPostmaster(options.data);
      if (postmaster?.ready && postmaster.pid === child.pid) return postmaster;
      await delay(POLL_MS);
    }
    if (options.signal?.aborted) await endChild(child);
    options.signal?.throwIfAborted();
    const said = (await readFile(options.logFile, 'utf8')).slice(logged).trim().split('\n').slice(-5).join('\n');
    throw new Error(`The embedded Postgres did not start (${outcome.failure ?? 'timeout'}): ${said}`);
  } finally {
    await log.close();
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.ref();
  child.kill('SIGINT');
  await gone;
}

/** Asks for a fast shutdown: connections are cut, everything committed is on disk. Returns whom it asked. */
export function interruptCluster(data: string): Postmaster | null {
  const postmaster = readPostmaster(data);
  if (postmaster) process.kill(postmaster.pid, 'SIGINT');
  return postmaster;
}

/** The same; waits until the process is gone. */
export async function stopCluster(data: string): Promise<void> {
  const postmaster = interruptCluster(data);
  if (!postmaster) return;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(postmaster.pid)) {
    if (Date.now() > deadline) throw new Error(`The embedded Postgres (pid ${postmaster.pid}) does not stop`);
    await delay(POLL_MS);
  }
}
