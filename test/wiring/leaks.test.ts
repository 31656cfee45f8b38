import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { onCluster } from '../support/database.js';

const CONFIG = 'test/wiring/leaky/leaky.config.ts';

interface Report {
  testResults: { name: string; status: string; message: string; assertionResults: { status: string }[] }[];
}

let files: Map<string, Report['testResults'][number]>;

beforeAll(async () => {
  const env = { ...process.env, LEAKY_CLUSTER: inject('clusterUrl') };
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    CONFIG,
    '--reporter=json',
    `--outputFile=${tmpdir()}/leaks.json`,
  ];
  await expect(promisify(execFile)(process.execPath, args, { env, timeout: 110_000 })).rejects.toMatchObject({
    code: 1,
  });
  const { testResults } = JSON.parse(await readFile(`${tmpdir()}/leaks.json`, 'utf8')) as Report;
  await rm(`${tmpdir()}/leaks.json`);
  files = new Map(testResults.map((file) => [path.basename(file.name, '.leaky.ts'), file]));
  const left = /this file leaves databases: .*?(test_[0-9a-f]{12})/s.exec(files.get('database')?.message ?? '')?.[1];
  await onCluster(`DROP DATABASE ${left}`);
});

test.each([
  ['process', 'ProcessWrap'],
  ['port', 'TCPServerWrap'],
  ['timer', 'Timeout'],
  ['file', 'this file leaves temporary files'],
  ['database', 'this file leaves databases'],
])('a file that leaves a %s fails, though its tests pass, and the failure says what it left', (name, left) => {
  const file = files.get(name);
  expect(file?.assertionResults).toMatchObject([{ status: 'passed' }]);
  expect(file).toMatchObject({ status: 'failed', message: expect.stringContaining(left) });
});
