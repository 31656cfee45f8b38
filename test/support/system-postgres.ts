import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROLE, startCluster, stopCluster } from '../../src/embedded-postgres/cluster.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { chooseIdentity } from '../../src/embedded-postgres/identity.js';
import { migrate } from '../../src/records/database.js';
import { createTestCluster } from './cluster.js';
import { STEP_MS } from './drill.js';

/** Of the server that comes with the embedded one. */
const EMBEDDED_MAJOR = 18;
/** Tallyhook refuses older ones. */
const NEEDED_MAJOR = 16;

export interface SystemPostgres {
  /** A database of that name need not be there. */
  url(database: string): string;
  /** Brings an empty database up to date. */
  migrate(database: string): Promise<void>;
  close(): Promise<void>;
}

/** Major version of the pg_dump that is installed here; null, and said so: there is none, or no server that it and we can use. */
export function pgDumpMajor(): number | null {
  const major = installedMajor();
  if (major >= EMBEDDED_MAJOR) return major;
  if (major >= NEEDED_MAJOR && existsSync(path.join(folderOf(major), 'bin', 'initdb'))) return major;
  const has = major === 0 ? 'No pg_dump is installed' : `The installed pg_dump is of Postgres ${major}`;
  process.stderr.write(
    `\n!!! ${has}, ${NEEDED_MAJOR} or newer is needed: the backup of a Postgres of one's own is NOT TRIED !!!\n`,
  );
  return null;
}

/** 0: none. */
function installedMajor(): number {
  try {
    const said = execFileSync('pg_dump', ['--version'], { encoding: 'utf8' });
    return Number(/(\d+)(\.\d+)? *(\(|$)/m.exec(said)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const folderOf = (major: number) => `/usr/lib/postgresql/${major}`;

/** A server that the installed pg_dump can read: it refuses newer ones than itself. */
export async function createSystemPostgres(major: number): Promise<SystemPostgres> {
  if (major >= EMBEDDED_MAJOR) {
    const cluster = await createTestCluster({ fsync: 'off' });
    const url = (database: string) => cluster.url(database);
    return { url, migrate: async (name) => void (await migrate(url(name))), close: () => cluster.close() };
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'system-postgres-'));
  const identity = await chooseIdentity({ folder, native: folderOf(major), lodgings: folder });
  const password = randomBytes(16).toString('hex');
  const data = path.join(identity.home, 'data');
  const passwordFile = path.join(identity.home, 'password');
  await writeFile(passwordFile, password);
  await identity.own(passwordFile);
  const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const { file, args } = identity.command('initdb', [
    `--pgdata=${data}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordFile}`,
    ...flags,
  ]);
  await promisify(execFile)(file, args, { ...identity.as, timeout: STEP_MS });
  const port = await freePort(null);
  await startCluster(identity, { data, logFile: path.join(folder, 'log'), port, settings: { fsync: 'off' } });
  const url = (database: string) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  return {
    url,
    migrate: async (database) => void (await migrate(url(database))),
    async close() {
      await stopCluster(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
