import { execFile, spawn } from 'node:child_process';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Identity } from './identity.js';
import { isAlive } from './process.js';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

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
  passwordFile: string,
  flags: string[] = [],
): Promise<void> {
  const unfinished = `${data}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await identity.own(unfinished);
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
  await promisify(execFile)(file, args, { ...identity.as, timeout: START_TIMEOUT_MS });
  await rename(unfinished, data);
}

/** What postmaster.pid says, if there is one and its process lives. */
export async function readPostmaster(data: string): Promise<Postmaster | null> {
  const lines = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, , , , status] = lines.split('\n');
  if (!pid || !isAlive(Number(pid))) return null;
  return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' };
}

/**
 * Starts a server in a session of its own, so that a Ctrl-C meant for us does not reach it, and waits until it is ready.
 * Throws with the end of the server's log when it does not come up.
 */
export async function startCluster(
  identity: Identity,
  options: { data: string; logFile: string; port: number; settings: Record<string, string> },
): Promise<Postmaster> {
  const settings = { ...options.settings, port: String(options.port), listen_addresses: '127.0.0.1' };
  const { file, args } = identity.command('postgres', [
    '-D',
    options.data,
    ...Object.entries({ ...settings, unix_socket_directories: '' }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
  ]);
  const log = await open(options.logFile, 'a', 0o600);
  const from = (await log.stat()).size;
  try {
    const child = spawn(file, args, { ...identity.as, detached: true, stdio: ['ignore', log.fd, log.fd] });
    let ended: string | null = null;
    child.once('error', (error) => (ended = error.message));
    child.once('exit', (code, signal) => (ended = `exit ${code ?? signal}`));
    child.unref();
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (ended === null && Date.now() < deadline) {
      const postmaster = await readPostmaster(options.data);
      if (postmaster?.ready && postmaster.pid === child.pid) return postmaster;
      await delay(POLL_MS);
    }
    const said = (await readFile(options.logFile, 'utf8')).slice(from).trim().split('\n').slice(-5).join('\n');
    throw new Error(`The embedded Postgres did not start (${ended ?? 'timeout'}): ${said}`);
  } finally {
    await log.close();
  }
}

/** A fast shutdown (connections are cut, everything committed is on disk); waits until the process is gone. */
export async function stopCluster(data: string): Promise<void> {
  const postmaster = await readPostmaster(data);
  if (!postmaster) return;
  process.kill(postmaster.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(postmaster.pid)) {
    if (Date.now() > deadline) throw new Error(`The embedded Postgres (pid ${postmaster.pid}) does not stop`);
    await delay(POLL_MS);
  }
}

/** The wished port when nobody listens there, else any free one. */
export async function freePort(wished: number | null): Promise<number> {
  const tries = wished === null ? [0] : [wished, 0];
  for (const candidate of tries) {
    const port = await new Promise<number | null>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(null));
      server.listen(candidate, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
      });
    });
    if (port !== null) return port;
  }
  throw new Error('No free port on 127.0.0.1');
}
