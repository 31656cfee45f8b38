import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROLE, startCluster, stopCluster } from '../../src/embedded-postgres/cluster.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { chooseIdentity } from '../../src/embedded-postgres/identity.js';
import { migrate, openDatabase } from '../../src/records/database.js';
import { createTestCluster } from './cluster.js';
import { STEP_MS } from './drill.js';

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

const MIGRATIONS = path.join(import.meta.dirname, '../../migrations');

export interface SystemPostgres {
  /** A database of that name need not be there. */
  url(database: string): string;
  /** Brings an empty database up to date; on a server that is too old for our migrations with stand-ins for what it lacks. */
  migrate(database: string): Promise<void>;
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
    async migrate(database) {
      if (major < NEEDED_MAJOR) await migrateOldServer(url(database));
      await migrate(url(database));
    },
    async close() {
      await stopCluster(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Our migrations, noted as done, in words that the server understands. */
async function migrateOldServer(url: string): Promise<void> {
  const db = openDatabase(url);
  await db.raw(STAND_IN);
  await db.raw('CREATE TABLE migrations (id serial PRIMARY KEY, name text, batch integer, migration_time timestamptz)');
  const names = (await readdir(MIGRATIONS)).filter((name) => /^\d{4}_/.test(name)).toSorted();
  for (const name of names) {
    const sql = (await readFile(path.join(MIGRATIONS, name), 'utf8')).replaceAll(' STORAGE EXTERNAL', '');
    await db.raw(sql.replaceAll('?', '\\?'));
    await db('migrations').insert({ name, batch: 1 });
  }
  await db.destroy();
}
