import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { runHere } from '../support/run-here.js';

const cwd = useFolder();
let empty: Pick<TestDatabase, 'url' | 'drop'>;
let nobody: string;

beforeAll(async () => {
  empty = await createEmptyDatabase();
  nobody = `127.0.0.1:${await freePort(null)}`;
});
afterAll(async () => {
  await empty.drop();
});

const run = (words: string, url: string, more: Record<string, string> = {}) =>
  runHere(words.split(' '), {
    cwd,
    env: {
      DATABASE_URL: url,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_API_KEY: 'key',
      WEBHOOK_SECRETS: 'test=whsec_test',
      CONSOLE_TOKENS: 'ann:admin:ann-has-a-long-token',
      LOG_LEVEL: 'fatal',
      ...more,
    },
  });

test.each([
  'orders show A-1',
  'breaks list',
  'refunds list --json',
  'calls list',
  'secrets status',
  'match',
  'deliveries missed',
  'api listInvoices',
])('%s says in one line that the database does not answer, where it is, and what to do', async (words) => {
  const { code, stdout, stderr } = await run(words, `postgres://ann:hunter2-hunter2@${nobody}/shop`);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `The database at ${nobody}/shop does not answer, nothing listens there (ECONNREFUSED): see that it runs and that host and port in DATABASE_URL are right.\n`,
  });
});

test('a database that does not exist, and one without our tables, are named as what they are', async () => {
  const other = new URL(empty.url);
  other.pathname = '/nowhere_at_all';
  expect((await run('orders show A-1', other.href)).stderr).toBe(
    `The database at ${other.host}/nowhere_at_all does not exist (3D000): create it (CREATE DATABASE), or correct the name in DATABASE_URL.\n`,
  );
  const bare = new URL(empty.url);
  expect((await run('orders show A-1', bare.href)).stderr).toBe(
    `The database at ${bare.host}${bare.pathname} is not up to date (42P01): bring it up to date with tallyhook migrate.\n`,
  );
});

test('what no waiting helps against ends migrate and doctor at once, with one sentence and no password', async () => {
  const other = new URL(empty.url);
  other.pathname = '/nowhere_at_all';
  other.password = other.password || 'hunter2-hunter2';
  const sentence = 'does not exist (3D000): create it (CREATE DATABASE), or correct the name in DATABASE_URL';
  const said = { migrate: await run('migrate', other.href), doctor: await run('doctor', other.href) };
  expect(said.migrate).toEqual({
    code: 1,
    stdout: '',
    stderr: `The database at ${other.host}/nowhere_at_all ${sentence}.\n`,
  });
  expect(said.doctor).toMatchObject({ code: 3, stderr: '' });
  expect(said.doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(sentence);
  expect(JSON.stringify(said)).not.toContain(other.password);
});

test('a refused login names the setting that held the password, and never the password', async () => {
  const url = new URL(empty.url);
  url.username = 'nobody_at_all';
  url.password = '';
  const refused = `The database at ${url.host}${url.pathname} refuses the user or the password (28P01): correct`;
  const name = path.join(cwd, 'password');
  await writeFile(name, 'hunter2-hunter2\n\n');
  const of = (held: Record<string, string>) => run('migrate', url.href, held);
  const bare = new URL(url);
  bare.password = 'hunter2-hunter2';
  expect(await of({ DATABASE_PASSWORD_FILE: name })).toMatchObject({
    stderr: `${refused} the password in DATABASE_PASSWORD_FILE, which is taken as it stands, without one new line at the end of the file, or the user in DATABASE_URL.\n`,
  });
  expect(await of({ DATABASE_PASSWORD: 'hunter2-hunter2' })).toMatchObject({
    stderr: `${refused} the password in DATABASE_PASSWORD, which is taken as it stands, or the user in DATABASE_URL.\n`,
  });
  expect((await run('migrate', bare.href)).stderr).toContain(`${refused} them in DATABASE_URL; characters such as @`);
});
