import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { runHere } from '../support/run-here.js';

const cwd = useFolder();
let sandbox: Sandbox;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 5, confirmationSeconds: 0, kytSeconds: 0 });
  const payment = { amount: '11', currency: 'USDT.TRC20', merchantReference: 'ord-1' };
  sandbox.control.pay(sandbox.control.createPayment(payment), { assetCode: 'USDT.TRC20' });
});
afterAll(async () => {
  await sandbox.close();
  for (const database of databases) await database.drop();
});

/** Why the goods of the order may go out, or not, under the contract of a file. What is rejected is a break at once. */
async function releaseUnder(contract: object, more: Record<string, string> = {}): Promise<string> {
  const file = path.join(cwd, 'contract.json');
  await writeFile(file, JSON.stringify(contract));
  const database = await createTestDatabase();
  databases.push(database);
  const env = {
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: 'sandbox-api-key',
    DATABASE_URL: database.url,
    SERVICE_RATE: '1000/s',
    ADOPTED_AT: '2020-01-01T00:00:00Z',
    CONTRACT_FILE: file,
    ...more,
  };
  const { code, stderr } = await runHere(['reconcile', 'payment-intents', '--json'], { cwd, env });
  const row = await database.db('orders').where({ reference: 'ord-1' }).first('release_reason');
  const reason = String(row?.release_reason);
  const breaks = reason === 'kyt_rejected' ? ['kyt_hold'] : [];
  expect([code, stderr]).toEqual([breaks.length > 0 ? 3 : 0, expect.not.stringContaining('rror')]);
  expect(await database.db('breaks').pluck('kind')).toEqual(breaks);
  return reason;
}

it('the words of compliance are those of CONTRACT_FILE', async () => {
  expect(await releaseUnder({})).toBe('proven');
  // The sandbox says "approved".
  expect(await releaseUnder({ kyt: { passed: ['fine'] } })).toBe('kyt_unknown');
  expect(await releaseUnder({ kyt: { passed: ['fine'], rejected: ['Approved'] } })).toBe('kyt_rejected');
});

it('an order that nobody registered is held where RELEASE_REQUIRES_REGISTRATION demands it', async () => {
  expect(await releaseUnder({}, { RELEASE_REQUIRES_REGISTRATION: 'on' })).toBe('not_registered');
});
