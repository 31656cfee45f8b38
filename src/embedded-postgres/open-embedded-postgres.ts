import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../log.js';
import { interruptCluster, MAINTENANCE_DATABASE, type Postmaster, ROLE, stopCluster } from './cluster.js';
import { ensureRunning } from './ensure-running.js';
import { homeOf } from './identity.js';
import { isAlive, isSameProcess, processIdentity } from './process.js';

const DATABASE = 'tallyhook';
const WATCH_MS = 1_000;

export interface EmbeddedPostgres {
  url: string;
  /** Leaves; the last to leave stops the server. */
  close(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The instance's folder, `.tallyhook`: made when it is not there. */
  dir: string;
  log?: Logger;
  /** Ends the start; what was begun is stopped again. */
  signal?: AbortSignal;
  /** Called, maybe again, when the programs of Postgres are at work: what the caller does itself meanwhile takes no time of the start. */
  onWait?: (() => void) | undefined;
  lodgings?: string;
  unshare?: boolean;
}

/**
 * The default database: starts the server of this folder, or joins the one that another process started there. While we
 * use it, it is started again, on the same port, should it die.
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = path.resolve(options.dir, 'postgres');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = path.join(folder, 'lock');
  const passwordFile = path.join(folder, 'password');
  const revive = async (signal?: AbortSignal) => {
    const password = await readOrMakePassword(passwordFile);
    const urlOf = (port: number, database: string) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
    const check = ({ port }: Postmaster) => ensureDatabase(urlOf(port, MAINTENANCE_DATABASE));
    const postmaster = await ensureRunning({ ...options, signal, folder, password, check });
    return { postmaster, url: urlOf(postmaster.port, DATABASE) };
  };
  const { signal } = options;
  const dataOf = () => path.join(homeOf(folder), 'data');
  const leaveFor = async (member: string, forget: () => void) => {
    if (leave(member) === 0) await stopCluster(dataOf());
    forget();
  };
  const open = async () => {
    const member = await join(path.join(folder, 'members'));
    // Without the lock: whoever joins in this moment starts the server again.
    const forget = atExit(() => {
      if (existsSync(member) && leave(member) === 0) interruptCluster(dataOf());
    });
    try {
      const revived = await revive(signal);
      signal?.throwIfAborted();
      return { ...revived, leaveNow: () => leaveFor(member, forget) };
    } catch (error) {
      await leaveFor(member, forget);
      throw error;
    }
  };
  const { leaveNow, url, postmaster } = await withLock(lock, open, signal);
  const unwatch = watch(postmaster, options.log, async () => (await withLock(lock, () => revive())).postmaster);
  return {
    url,
    close: async () => {
      await unwatch();
      await withLock(lock, leaveNow);
    },
  };
}

async function readOrMakePassword(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known !== '') return known;
  const password = randomBytes(24).toString('hex');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

async function ensureDatabase(maintenanceUrl: string): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Calls `revive` when the server is gone. The returned function ends that, and waits for a revival under way. */
function watch(first: Postmaster, log: Logger | undefined, revive: () => Promise<Postmaster>): () => Promise<void> {
  let pid = first.pid;
  let reviving: Promise<void> | null = null;
  const timer = setInterval(() => {
    if (reviving || isAlive(pid)) return;
    log?.warn({ pid }, 'embedded Postgres restarting');
    reviving = revive()
      .then((postmaster) => {
        pid = postmaster.pid;
      })
      .catch((error: unknown) => log?.error({ err: error }, 'embedded Postgres not restarted'))
      .finally(() => {
        reviving = null;
      });
  }, WATCH_MS).unref();
  return async () => {
    clearInterval(timer);
    await reviving;
  };
}

/** Writes this process down as a user of the server; returns what `leave` needs. Call it under the lock. */
async function join(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const member = path.join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(member, processIdentity(process.pid), { mode: 0o600 });
  return member;
}

/** Strikes a member off, and all that died without leaving; returns how many remain. Call it under the lock, or at the exit. */
function leave(member: string): number {
  rmSync(member, { force: true });
  const folder = path.dirname(member);
  let remaining = 0;
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (isSameProcess(readFileSync(file, 'utf8'))) remaining += 1;
    else rmSync(file, { force: true });
  }
  return remaining;
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
const works = new Set<() => void>();

/**
 * Runs `work`, which may wait for nothing, should the process end before the returned function is called: by process.exit,
 * by an error that nobody caught, or by a signal that nobody else listens to.
 */
function atExit(work: () => void): () => void {
  if (works.size === 0) {
    process.on('exit', runAll);
    // First of all, when those who listen once still count.
    for (const signal of SIGNALS) process.prependListener(signal, exitUnheard);
  }
  works.add(work);
  return () => {
    if (!works.delete(work) || works.size > 0) return;
    process.off('exit', runAll);
    for (const signal of SIGNALS) process.off(signal, exitUnheard);
  };
}

function runAll(): void {
  for (const work of works) work();
}

/** A signal with a listener does not end the process by itself any more. */
function exitUnheard(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
}

/** Longer than a start of the server may take: whoever waits is let in by then, or something is broken. */
const WAIT_MS = 80_000;
const POLL_MS = 25;

/** A lock whose holder died is taken over. Throws when the signal aborts, or after longer than a start can take. */
async function withLock<T>(file: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const mine = `${processIdentity(process.pid)} ${randomBytes(6).toString('hex')}`;
  const draft = `${file}.${mine.split(' ').at(-1)}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    await acquire(file, draft, signal);
    try {
      return await work();
    } finally {
      await rm(file, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function acquire(file: string, draft: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    // A link appears with its content in it: nobody reads a lock that is half written.
    if (await link(draft, file).then(() => true, taken)) return;
    const holder = await readFile(file, 'utf8').catch(() => null);
    if (holder !== null && !isSameProcess(holder.split(' ').slice(0, 2).join(' '))) {
      await removeStale(file, holder, `${draft}.stale`);
      continue;
    }
    if (Date.now() > deadline) throw new Error(`${file} is held by process ${holder?.split(' ')[0] ?? 'unknown'}`);
    await delay(POLL_MS, undefined, { signal });
  }
}

function taken(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
  throw error;
}

/** Two who saw the same dead holder may both come here: the later one finds a living lock in its hand and puts it back. */
async function removeStale(file: string, holder: string, aside: string): Promise<void> {
  await rename(file, aside).catch(() => {});
  const found = await readFile(aside, 'utf8').catch(() => null);
  if (found !== null && found !== holder) await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
}
