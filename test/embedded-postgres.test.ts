import { once } from 'node:events';
import { statSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { readPostmaster } from '../src/embedded-postgres/cluster.js';
import { isAlive } from '../src/embedded-postgres/process.js';
import { data, dir, kill, open, postmaster, query, start, startUser, useFolders } from './support/embedded-folder.js';

useFolders();

test('starts in an empty folder, keeps what is written, and leaves no process', async () => {
  const first = await start();
  await query(first.url, "CREATE TABLE kept AS SELECT 'ä' AS word");
  const { pid } = await postmaster();
  await open.pop()!.close();
  expect(isAlive(pid)).toBe(false);
  expect(readPostmaster(await data())).toBeNull();

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

test('a server that dies under its users comes back at the same address, with what was committed', async () => {
  const { url } = await start();
  await query(url, 'CREATE TABLE kept AS SELECT 1 AS one');
  const { pid } = await postmaster();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await query(url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]), 20_000);
  expect((await postmaster()).pid).not.toBe(pid);
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

test('a server that can not start says why', async () => {
  await start();
  await open.pop()!.close();
  const file = path.join(dir, 'postgres', 'data', 'postgresql.conf');
  const good = await readFile(file, 'utf8');
  await appendFile(file, "shared_buffers = 'plenty'\n");
  await expect(start()).rejects.toThrow(/invalid value for parameter "shared_buffers"/);
  await writeFile(file, good);
});
