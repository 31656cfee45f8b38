import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { verifyingTls } from '../../src/records/database/watch-connection.js';

const address = 'postgres://ann:p%40ss@db.example/shop';

test.each(['prefer', 'require', 'verify-ca', 'verify-full'])('sslmode=%s is verify-full, the rest stays', (mode) => {
  expect(verifyingTls(`${address}?sslmode=${mode}`)).toBe(`${address}?sslmode=verify-full`);
  expect(verifyingTls(`${address}?sslrootcert=/a%20b&sslmode=${mode}&options=-c%20x=1`)).toBe(
    `${address}?sslrootcert=/a%20b&sslmode=verify-full&options=-c%20x=1`,
  );
});

test.each(['', '?sslmode=disable', '?sslmode=no-verify', '?uselibpqcompat=true&sslmode=require', '?xsslmode=require'])(
  'an address with "%s" stays as it is',
  (query) => expect(verifyingTls(address + query)).toBe(address + query),
);

/** Opens each sort of connection, and prints why there is none. */
const SCRIPT = `
  const [program, url] = process.argv.slice(1);
  const { createLog } = await import(program + '/log.js');
  const { openDatabase } = await import(program + '/records/database.js');
  const { openClient } = await import(program + '/records/database/examine-database.js');
  const { openQueue } = await import(program + '/webhook/queue-backend.js');
  const codes = [];
  const failed = (error) => codes.push(error.code);
  await openDatabase(url).raw('SELECT 1').catch(failed);
  await openClient(url, {}).catch(failed);
  const queue = openQueue('events', { databaseUrl: url, log: createLog('silent') });
  await queue.waitUntilReady().catch(failed);
  console.log(codes.join());
  process.exit();
`;

test('no library warns of sslmode=require', async () => {
  const url = `postgres://127.0.0.1:${await freePort(null)}/shop?sslmode=require`;
  const args = ['--input-type=module', '--eval', SCRIPT, path.resolve(inject('program')), url];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect({ stdout, stderr }).toEqual({ stdout: 'ECONNREFUSED,ECONNREFUSED,ECONNREFUSED\n', stderr: '' });
});
