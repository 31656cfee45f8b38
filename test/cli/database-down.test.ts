import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { runHere } from '../support/run-here.js';

let cwd: string;
let empty: Pick<TestDatabase, 'url' | 'drop'>;
let nobody: string;

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'cli-'));
  empty = await createEmptyDatabase();
  nobody = `127.0.0.1:${await freePort(null)}`;
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
  await empty.drop();
});

const run = (words: string, url: string) =>
  runHere(words.split(' '), {
    cwd,
    env: {
      DATABASE_URL: url,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_API_KEY: 'key',
      WEBHOOK_SECRETS: 'test=whsec_test',
      CONSOLE_TOKENS: 'ann:admin:ann-has-a-long-token',
      LOG_LEVEL: 'fatal',
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
  'migrate',
])('%s says in one line that the database does not answer, where it is, and what to do', async (words) => {
  const { code, stdout, stderr } = await run(words, `postgres://ann:hunter2-hunter2@${nobody}/shop`);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `The database at ${nobody}/shop is unreachable (ECONNREFUSED). See that it runs and that DATABASE_URL is right: tallyhook doctor.\n`,
  });
});

test('a database that does not exist, and one without our tables, are told as what they are', async () => {
  const other = new URL(empty.url);
  other.pathname = '/nowhere_at_all';
  expect((await run('orders show A-1', other.href)).stderr).toBe(
    `The database at ${other.host}/nowhere_at_all is refused (3D000). Correct the user, password or database name in DATABASE_URL.\n`,
  );
  const bare = new URL(empty.url);
  expect((await run('orders show A-1', bare.href)).stderr).toBe(
    `The database at ${bare.host}${bare.pathname} is not up to date (42P01). Bring it up to date: tallyhook migrate.\n`,
  );
});
