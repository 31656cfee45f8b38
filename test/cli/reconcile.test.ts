import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/cli/reconcile.js';
import type { Run } from '../../src/domain/views/proof-shapes.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
let sandbox: Sandbox;
const shell = useShell(database, () => ({
  SERVICE_BASE_URL: sandbox.url,
  SERVICE_API_KEY: 'sandbox-api-key',
  SERVICE_RATE: '1000/s',
  ADOPTED_AT: '2020-01-01T00:00:00Z',
}));
const reconcile = (...words: string[]) => shell('reconcile', ...words);

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 5, confirmationSeconds: 0, kytSeconds: 0, strict: true });
}, 60_000);
afterAll(async () => {
  await sandbox.close();
});

/** An order that two payments were made for, which is a break. */
function payTwice(merchantReference: string): void {
  for (const _ of [1, 2]) {
    const payment = { amount: '11', currency: 'USDT.TRC20', merchantReference };
    sandbox.control.pay(sandbox.control.createPayment(payment), { assetCode: 'USDT.TRC20' });
  }
}

const openBreaks = () => database.db('breaks').where({ status: 'open' }).orderBy('id').pluck('kind');

test('a run that opens breaks is a finding, exit code 3; one that opens none is fine', async () => {
  payTwice('ord-1');
  const first = await reconcile('payment-intents', '--full', '--json');
  expect(first.json).toMatchObject({ status: 'succeeded', breaksOpened: 1 });
  expect(await openBreaks()).toEqual(['duplicate_payment']);
  expect([first.code, first.stderr]).toEqual([3, '']);
  expect(await reconcile('payment-intents', '--full', '--json')).toMatchObject({ code: 0 });

  payTwice('ord-2');
  const rehearsed = await reconcile('payment-intents', '--dry-run');
  expect([rehearsed.code, rehearsed.stderr]).toEqual([3, expect.stringMatching(/^1 break would be opened$/m)]);
  expect(await openBreaks()).toHaveLength(1);
  const done = await reconcile('invoices', 'payment-intents');
  expect(await openBreaks()).toHaveLength(2);
  const where = /^1 break opened: tallyhook breaks list --status open$/m;
  expect([done.code, done.stderr]).toEqual([3, expect.stringMatching(where)]);
  const quiet = await reconcile('payment-intents', '--full');
  expect([quiet.code, quiet.stderr]).toEqual([0, expect.not.stringContaining('opened')]);
}, 120_000);

test('a run that ends and did not prove all says so in one line; it is a finding, unless the service does not offer the list', async () => {
  const { code, stdout, stderr } = await reconcile('payment-intents', 'payouts');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/payouts[ │]+succeeded[ │]+not proven/)]);
  expect(stderr).toMatch(/^not proven: payouts \(degraded: the service has no list of payouts.*\)$/m);
  const { json, ...quiet } = await reconcile('payouts', '--json');
  expect([quiet.code, quiet.stderr, json]).toEqual([0, '', expect.objectContaining({ complete: false })]);
  const run = json as Run;
  const moved = { ...run, proof: { reason: 'BTC: it moved each time that it was read' } };
  expect([exitCodeOf([run]), exitCodeOf([run, moved]), exitCodeOf([{ ...moved, status: 'failed' }])]).toEqual([
    0, 3, 1,
  ]);
}, 60_000);
