import { statSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createLog } from '../src/log.js';
import {
  data,
  dir,
  emptyFolder,
  kill,
  open,
  postmaster,
  query,
  start,
  startUser,
  useFolders,
} from './support/embedded-folder.js';

useFolders();

test('after a kill −9 of user and server together nothing that was committed is gone', async () => {
  const { child, url } = await startUser();
  await query(url, 'CREATE TABLE kept AS SELECT 1 AS one');
  const { pid } = await postmaster();
  process.kill(pid, 'SIGKILL');
  await kill(child);
  const next = await start();
  expect(await query(next.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
});

test('a server that dies comes back also when the first attempts to start it again fail', async () => {
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

test('two instances run side by side', async () => {
  const other = path.join(dir, 'another');
  const [first, second] = await Promise.all([start(), start({ dir: other })]);
  await query(first.url, 'CREATE TABLE mine ()');
  expect(await query(second.url, "SELECT to_regclass('mine') AS found")).toEqual([{ found: null }]);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  process.stderr.write('Not root: how a root without user namespaces keeps its database is not tested here.\n');
test.skipIf(!isRoot)('root, where user namespaces are refused, keeps its data with another user', async () => {
  await emptyFolder();
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
