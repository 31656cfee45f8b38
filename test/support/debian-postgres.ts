import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROLE, startCluster, stopCluster } from '../../src/embedded-postgres/cluster.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { chooseIdentity } from '../../src/embedded-postgres/identity.js';
import { STEP_MS, until } from './drill.js';

const run = promisify(execFile);

const PGBOUNCER = '/usr/sbin/pgbouncer';
const SERVERS = '/usr/lib/postgresql';

/** The newest server of the system's packages that is too old for us; null, said aloud: there is none. */
export function oldServer(): string | null {
  const majors = existsSync(SERVERS) ? readdirSync(SERVERS).filter((major) => Number(major) < 16) : [];
  const major = majors
    .toSorted((a, b) => Number(b) - Number(a))
    .find((one) => existsSync(path.join(SERVERS, one, 'bin/initdb')));
  if (major !== undefined) return path.join(SERVERS, major);
  process.stderr.write(`\nNOT TRIED: a server that is too old; no Postgres below 16 is under ${SERVERS}\n`);
  return null;
}

/** Whether there is a PgBouncer; that there is none is said aloud. */
export function hasPgBouncer(): boolean {
  if (existsSync(PGBOUNCER)) return true;
  process.stderr.write(`\nNOT TRIED: a real pooler; there is no ${PGBOUNCER}\n`);
  return false;
}

export interface Served {
  url: string;
  /** Of the server. */
  data: string;
  close(): Promise<void>;
}

/** A server of the system's packages in `native`, with one password for all. */
export async function startDebianPostgres(native: string, settings: Record<string, string> = {}): Promise<Served> {
  const folder = await mkdtemp(path.join(tmpdir(), 'debian-postgres-'));
  const identity = await chooseIdentity({ folder, native, lodgings: folder });
  const data = path.join(identity.home, 'data');
  const passwordFile = path.join(identity.home, 'password');
  await writeFile(passwordFile, 'hunter2-hunter2');
  await identity.own(passwordFile);
  const given = [
    `--pgdata=${data}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--no-sync',
  ];
  const { file, args } = identity.command('initdb', given);
  await run(file, args, { ...identity.as, timeout: STEP_MS });
  const port = await freePort(null);
  await startCluster(identity, {
    data,
    logFile: path.join(folder, 'log'),
    port,
    settings: { fsync: 'off', ...settings },
  });
  return {
    url: `postgres://${ROLE}:hunter2-hunter2@127.0.0.1:${port}/postgres`,
    data,
    async close() {
      await stopCluster(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A PgBouncer before the server of `target`, by default with 60 connections to it. */
export async function startPgBouncer(
  target: string,
  mode: 'session' | 'transaction',
  settings: Record<string, string | number> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const to = new URL(target);
  const folder = await mkdtemp(path.join(tmpdir(), 'pgbouncer-'));
  const port = await freePort(null);
  const users = path.join(folder, 'users');
  const ini = path.join(folder, 'ini');
  const log = path.join(folder, 'log');
  await writeFile(users, `"${to.username}" "${decodeURIComponent(to.password)}"\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: mode,
    default_pool_size: 60,
    max_client_conn: 300,
    logfile: log,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  await writeFile(ini, `[databases]\n* = host=127.0.0.1 port=${to.port}\n[pgbouncer]\n${lines.join('\n')}\n`);
  await appendFile(log, '');
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};
  for (const file of isRoot ? [folder, users, ini, log] : []) await chown(file, 65534, 65534);
  await chmod(folder, 0o700);
  const child = spawn(PGBOUNCER, ['-q', ini], { ...nobody, cwd: '/', stdio: 'ignore', env: {} });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until('the pooler listens', async () => {
    const said = await readFile(log, 'utf8');
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
    return said.includes('process up');
  });
  const url = new URL(target);
  url.port = String(port);
  return {
    url: url.href,
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
