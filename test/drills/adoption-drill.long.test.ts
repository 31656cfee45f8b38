import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useFreshDatabase } from '../support/database.js';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { differingRecords } from '../support/truth.js';

const PAYMENTS = isLong ? 20_000 : 2_000;
const OTHER_SHOP = 'http://127.0.0.1:9/other-shop/webhooks';

const database = useFreshDatabase();
let installation: Installation;
let elsewhere: Sandbox;

beforeEach(async () => {
  elsewhere = await startSandbox({ seed: 2 });
  installation = await createInstallation({ databaseUrl: database.url, sandbox: { payments: PAYMENTS } });
});
afterEach(async () => {
  await installation?.close();
  await elsewhere?.close();
});

test('a service with two years of payments and the endpoint of another shop is read whole, without a break', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox } = installation;
  const { db } = database;
  sandbox.control.addEndpoint({ url: OTHER_SHOP });
  sandbox.control.setFaults({ churn: 0.05, rateLimit: 0.01, serverError: 0.01 });

  const began = performance.now();
  const { code, stdout, stderr } = await installation.run(['reconcile', 'payment-intents', '--full', '--json']);
  const seconds = (performance.now() - began) / 1000;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const run = JSON.parse(stdout) as Record<string, unknown>;
  expect(run).toMatchObject({ kind: 'payment-intents', full: true, status: 'succeeded', complete: true, error: null });
  expect(await db('breaks').select('kind', 'entity_kind', 'entity_id', 'evidence')).toEqual([]);
  const { compared, differing } = await differingRecords(db, sandbox, { changedBefore: String(run['startedAt']) });
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(0.98 * PAYMENTS);

  for (const verb of [['reconcile'], ['work'], ['serve']]) {
    const refused = await installation.run(verb, { SERVICE_BASE_URL: elsewhere.url });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`SERVICE_BASE_URL\n    given "${elsewhere.url}"`);
  }
  report('adoption-drill', {
    payments: compared,
    calls: String(run['calls']),
    seconds: seconds.toFixed(1),
    differing: differing.length,
    breaks: 0,
  });
});
