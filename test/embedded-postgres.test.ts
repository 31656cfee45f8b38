import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { readPostmaster } from '../src/embedded-postgres/cluster.js';
import { homeOf } from '../src/embedded-postgres/identity.js';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../src/embedded-postgres/open-embedded-postgres.js';
import { isAlive } from '../src/embedded-postgres/process.js';
import { createLog } from '../src/log.js';

/** Of all tests but those that begin with an empty folder: making a cluster takes longer than what is tried with it. */
let shared: string;
let dir: string;
const open: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

const newFolder = async () => {
  const made = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  await chmod(made, 0o700);
  return made;
};

beforeAll(async () => {
  shared = await newFolder();
});
afterAll(() => rm(shared, { recursive: true, force: true }));
beforeEach(() => {
  dir = shared;
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const database of open.splice(0)) await database.close();
  // Whoever was killed left nobody to stop the server: join and leave.
  if (existsSync(path.join(dir, 'postgres'))) {
    const last = await openEmbeddedPostgres({ dir });
    await query(last.url, 'DROP TABLE IF EXISTS kept, mine');
    await last.close();
  }
  if (dir !== shared) await rm(dir, { recursive: true, force: true });
});

async function start(options: Partial<Parameters<typeof openEmbeddedPostgres>[0]> = {}): Promise<EmbeddedPostgres> {
  const database = await openEmbeddedPostgres({ dir, ...options });
  open.push(database);
  return database;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const data = async () => path.join(await homeOf(path.join(dir, 'postgres')), 'data');
const postmaster = async () => (await readPostmaster(await data()))!;

/** Another process that uses the database of `dir` until it is told to stop or is killed. */
async function startUser(): Promise<{ child: ChildProcess; url: string }> {
  const module = path.join(inject('program'), 'embedded-postgres', 'open-embedded-postgres.js');
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { openEmbeddedPostgres } = await import(${JSON.stringify(module)});
       const database = await openEmbeddedPostgres({ dir: ${JSON.stringify(dir)} });
       process.stdout.write(database.url);
       process.stdin.resume().once('data', async () => { await database.close(); process.exit(0); });`,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  children.push(child);
  const [url] = await once(child.stdout, 'data');
  return { child, url: String(url) };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('starts in an empty folder, keeps what is written, and leaves no process', async () => {
  const first = await start();
  await query(first.url, "CREATE TABLE kept AS SELECT 'ä' AS word");
  const { pid } = await postmaster();
  await open.pop()!.close();
  expect(isAlive(pid)).toBe(false);
  expect(await readPostmaster(await data())).toBeNull();

  const second = await start();
  expect(await query(second.url, 'SELECT word FROM kept')).toEqual([{ word: 'ä' }]);
});

test('commits are safe, and only those who may read our folder get in', async () => {
  const { url } = await start();
  const settings = await query(
    url,
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses') ORDER BY name",
  );
  expect(settings).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
  const wrong = new URL(url);
  wrong.password = 'guess';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  expect(statSync(path.join(dir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
});

test('a second process joins; the server stays until the last has left', async () => {
  const { child, url } = await startUser();
  const { pid } = await postmaster();
  const mine = await start();
  expect(mine.url).toBe(url);

  child.stdin!.write('stop');
  await once(child, 'exit');
  expect(await query(mine.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await open.pop()!.close();
  expect(isAlive(pid)).toBe(false);
});

test('many processes starting at once share one server', async () => {
  const databases = await Promise.all([start(), start(), start(), startUser(), startUser()]);
  expect(new Set(databases.map(({ url }) => url)).size).toBe(1);
});

test('after a kill −9 of its only user the next one joins, and still is the last', async () => {
  const { child, url } = await startUser();
  await query(url, 'CREATE TABLE kept AS SELECT 1 AS one');
  const { pid } = await postmaster();
  await kill(child);
  const next = await start();
  expect(await query(next.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
  await open.pop()!.close();
  expect(isAlive(pid)).toBe(false);
});

test('after a kill −9 of user and server together nothing that was committed is gone', async () => {
  const { child, url } = await startUser();
  await query(url, 'CREATE TABLE kept AS SELECT 1 AS one');
  const { pid } = await postmaster();
  process.kill(pid, 'SIGKILL');
  await kill(child);
  const next = await start();
  expect(await query(next.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
});

test('a server that dies under its users comes back at the same address', async () => {
  const { url } = await start();
  const { pid } = await postmaster();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]), 20_000);
  expect((await postmaster()).pid).not.toBe(pid);
});

test('also when the first attempts to start it again fail', async () => {
  const failed = vi.fn();
  const { url } = await start({ log: Object.assign(createLog('silent'), { debug: failed }) });
  const control = path.join(await data(), 'global', 'pg_control');
  const { pid } = await postmaster();
  process.kill(pid, 'SIGSTOP');
  await rename(control, `${control}.away`);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(failed).toHaveBeenCalled(), 20_000);
  await rename(`${control}.away`, control);
  await vi.waitFor(async () => expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]), 30_000);
});

test('leftovers that name a living stranger stop nobody', async () => {
  await start();
  await open.pop()!.close();
  const folder = path.join(dir, 'postgres');
  await writeFile(path.join(folder, 'lock'), `${process.pid} 1 left`);
  await writeFile(
    path.join(folder, 'data', 'postmaster.pid'),
    `${process.pid}\n${folder}/data\n1\n5432\n\n\n\nready   \n`,
  );
  await writeFile(path.join(folder, 'members', '1-left'), '1 1');
  const { url } = await start();
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const { pid } = await postmaster();
  await open.pop()!.close();
  expect(isAlive(pid)).toBe(false);
});

test('two instances run side by side', async () => {
  const other = path.join(dir, 'another');
  const [first, second] = await Promise.all([start(), start({ dir: other })]);
  await query(first.url, 'CREATE TABLE mine ()');
  expect(await query(second.url, "SELECT to_regclass('mine') AS found")).toEqual([{ found: null }]);
});

test('a server that can not start says why', async () => {
  await start();
  await open.pop()!.close();
  const file = path.join(dir, 'postgres', 'data', 'postgresql.conf');
  const good = await readFile(file, 'utf8');
  await appendFile(file, "shared_buffers = 'plenty'\n");
  await expect(start()).rejects.toThrow(/invalid value for parameter "shared_buffers"/);
  await writeFile(file, good);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  process.stderr.write('Not root: how a root without user namespaces keeps its database is not tested here.\n');
test.skipIf(!isRoot)('root, where user namespaces are refused, keeps its data with another user', async () => {
  dir = await newFolder();
  const plain = await start();
  await query(plain.url, 'CREATE TABLE kept AS SELECT 1 AS one');
  await open.pop()!.close();

  const lodgings = await mkdtemp(path.join(tmpdir(), 'lodgings-'));
  await chmod(lodgings, 0o755);
  const refused = await start({ unshare: false, lodgings });
  expect(await query(refused.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
  expect(statSync(await data()).uid).not.toBe(0);
  await query(refused.url, 'INSERT INTO kept VALUES (2)');
  await open.pop()!.close();

  const allowedAgain = await start();
  expect(await query(allowedAgain.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }, { one: 2 }]);
  await open.pop()!.close();
  await rm(lodgings, { recursive: true });
  await rm(path.join(dir, 'postgres'), { recursive: true });
});
