import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  initCluster,
  MAINTENANCE_DATABASE,
  ROLE,
  readPostmaster,
  startCluster,
  stopCluster,
} from '../../src/embedded-postgres/cluster.js';
import { prepareBinaries } from '../../src/embedded-postgres/ensure-running.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { chooseIdentity, type Identity } from '../../src/embedded-postgres/identity.js';
import { isAlive } from '../../src/embedded-postgres/process.js';

/** A Postgres of one's own, that a test may stop as it likes. */
export interface TestServer {
  /** By default that of a database to stand on, not to write to. */
  url(database?: string): string;
  port(): number;
  /** On the same port, unless it moves: then on another, as what takes over from a failed server. */
  start(options?: { moves: boolean }): Promise<void>;
  stop(how: StopMode): Promise<void>;
  isRunning(): Promise<boolean>;
  /** Whether it takes connections. */
  isReady(): Promise<boolean>;
  /** Runs a statement as the server's owner, in the database to stand on. */
  ask<Row extends object>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

export interface TestCluster extends TestServer {
  /** Where everything of it lies; on a disk of its own where one was asked for and could be had. */
  folder: string;
  hasOwnDisk: boolean;
  /** A server that streams from this one, until `promote`; this one was stopped for a moment to be copied. To be closed first. */
  standby(): Promise<TestServer>;
}

const START_ATTEMPTS = 50;
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** `fast`: connections are cut, all is written. `immediate`: as if the power failed. `kill`: -9 of the first process alone. */
export type StopMode = keyof typeof STOP_SIGNALS;

/** Started. What a killed run of tests left over the next one removes (run-folder.ts). */
export async function createTestCluster(
  settings: Record<string, string> = {},
  { diskMb = 0, initdb = [] }: { diskMb?: number; initdb?: readonly string[] } = {},
): Promise<TestCluster> {
  const dir = await mkdtemp(path.join(tmpdir(), 'cluster-'));
  const hasOwnDisk = diskMb > 0 && (await mounted(dir, diskMb));
  const password = randomBytes(16).toString('hex');
  const identity = await chooseIdentity({ folder: dir, native: await prepareBinaries(dir), lodgings: dir });
  const data = path.join(identity.home, 'data');
  await initCluster(identity, data, password, { flags: ['--no-sync', ...initdb] });
  const place = { identity, data, logFile: path.join(dir, 'log'), password, settings };
  const server = await openServer(place);
  return {
    ...server,
    folder: dir,
    hasOwnDisk,
    standby: () => standbyOf(server, place),
    close: async () => {
      await server.close();
      if (hasOwnDisk) await unmount(dir);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Place {
  identity: Identity;
  data: string;
  logFile: string;
  password: string;
  settings: Record<string, string>;
}

/** Starts the server of a data directory on a free port. */
async function openServer({ password, ...place }: Place): Promise<TestServer> {
  const options = { ...place, port: await freePort(null) };
  const url = (database = MAINTENANCE_DATABASE) =>
    `postgres://${ROLE}:${password}@127.0.0.1:${options.port}/${database}`;
  const server: TestServer = {
    url,
    port: () => options.port,
    async start({ moves } = { moves: false }) {
      if (moves) options.port = await freePort(null);
      await startAgain(() => startCluster(options.identity, options));
    },
    stop: (how) => stopPostmaster(options.data, how),
    isRunning: async () => readPostmaster(options.data) !== null,
    isReady: async () => readPostmaster(options.data)?.ready === true,
    async ask<Row extends object>(sql: string) {
      const client = new Client({ connectionString: url() });
      await client.connect();
      try {
        return (await client.query<Row>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    close: () => stopCluster(options.data),
  };
  await server.start();
  return server;
}

/** The binaries of the package have no pg_basebackup: a stopped server's folder is copied. */
async function standbyOf(primary: TestServer, place: Place): Promise<TestServer> {
  const data = `${place.data}-standby-${randomBytes(2).toString('hex')}`;
  await primary.stop('fast');
  // With owners and rights, as the server demands them.
  await promisify(execFile)('cp', ['-a', place.data, data]);
  await writeFile(path.join(data, 'standby.signal'), '');
  await place.identity.own(path.join(data, 'standby.signal'));
  await primary.start();
  const to = `host=127.0.0.1 port=${primary.port()} user=${ROLE} password=${place.password}`;
  const logFile = `${place.logFile}-standby`;
  return openServer({ ...place, data, logFile, settings: { ...place.settings, primary_conninfo: to } });
}

/** Stops the server of this data directory and waits until it is gone. */
export async function stopPostmaster(data: string, how: StopMode): Promise<void> {
  const postmaster = readPostmaster(data);
  if (!postmaster) throw new Error(`no Postgres runs in ${data}`);
  process.kill(postmaster.pid, STOP_SIGNALS[how]);
  const deadline = performance.now() + 60_000;
  while (isAlive(postmaster.pid)) {
    if (performance.now() > deadline) throw new Error(`Postgres ${postmaster.pid} does not stop`);
    await delay(10);
  }
}

/** A small disk in memory. Only root may have one; false where the system refuses it. */
async function mounted(folder: string, megabytes: number): Promise<boolean> {
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder];
  return promisify(execFile)('mount', options).then(
    () => true,
    () => false,
  );
}

async function unmount(folder: string): Promise<void> {
  await promisify(execFile)('umount', [folder]);
}

/** The children of a server that was stopped hard hold its memory for a moment longer. */
async function startAgain(start: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await start();
      return;
    } catch (error) {
      if (attempt === START_ATTEMPTS || !/shared memory block|lock file/.test(String(error))) throw error;
      await delay(100);
    }
  }
}
