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
import { openDatabase } from '../../src/records/database.js';
import { createTestCluster } from './cluster.js';

/** Of the server that comes with the embedded one. */
const EMBEDDED_MAJOR = 18;
/** From here on a server has all that our migrations ask for. */
const NEEDED_MAJOR = 16;

/** The same as the function that servers from version 16 on have. */
const STAND_IN = `
  CREATE FUNCTION pg_input_is_valid(given text, kind text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('SELECT %L::%s', given, kind);
    RETURN true;
  EXCEPTION WHEN OTHERS THEN
    RETURN false;
  END $$`;

export interface SystemPostgres {
  /** A database of that name need not be there. */
  url(database: string): string;
  /** For an empty database, before its migrations. */
  prepare(database: string): Promise<void>;
  close(): Promise<void>;
}

/** Major version of the pg_dump that is installed here; null: there is none, or no server that it can read. */
export function pgDumpMajor(): number | null {
  try {
    const said = execFileSync('pg_dump', ['--version'], { encoding: 'utf8' });
    const major = Number(/(\d+)(\.\d+)? *(\(|$)/m.exec(said)?.[1]);
    return major >= EMBEDDED_MAJOR || existsSync(path.join(folderOf(major), 'bin', 'initdb')) ? major : null;
  } catch {
    return null;
  }
}

const folderOf = (major: number) => `/usr/lib/postgresql/${major}`;

/** A server that the installed pg_dump can read: it refuses newer ones than itself. */
export async function createSystemPostgres(major: number): Promise<SystemPostgres> {
  if (major >= EMBEDDED_MAJOR) {
    const { url, close } = await createTestCluster({ fsync: 'off' });
    return { url, prepare: async () => {}, close };
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
  await promisify(execFile)(file, args, { ...identity.as, timeout: 60_000 });
  const port = await freePort(null);
  await startCluster(identity, { data, logFile: path.join(folder, 'log'), port, settings: { fsync: 'off' } });
  const url = (database: string) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  return {
    url,
    async prepare(database) {
      if (major >= NEEDED_MAJOR) return;
      const db = openDatabase(url(database));
      await db.raw(STAND_IN.replaceAll('?', '\\?'));
      await db.destroy();
    },
    async close() {
      await stopCluster(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
