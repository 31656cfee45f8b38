import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import type { ReconcileDeps } from '../../src/reconcile/deps.js';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { testSettings } from './fake-service.js';
import { refreshRecords } from './refresh-records.js';

const DAY = 86_400_000;
const tick = { kind: 'payouts', full: false } as const;

const database = resettableDatabase();
let sandbox: Sandbox;
let asked: string[];
let ahead: number;
let deps: ReconcileDeps;

beforeEach(async () => {
  sandbox = await startSandbox({ payments: 60, payouts: 40 });
  asked = [];
  ahead = 0;
  const client = new ServiceClient({
    baseUrl: sandbox.url,
    apiKey: 'sandbox-api-key',
    onRequest: ({ operation }) => void asked.push(operation),
  });
  deps = {
    db: database.db,
    databaseUrl: database.url,
    log: createLog('silent'),
    now: () => new Date(Date.now() + ahead),
    client,
    contract: defaultContract,
    settings: testSettings,
    adoptedAt: new Date(Date.now() - 3_600_000),
  };
});

afterEach(async () => {
  await sandbox?.close();
});

async function truth(): Promise<{ id: string; status: string }[]> {
  const rows = await (
    await fetch(`${sandbox.url}/v1/payouts?take=100`, { headers: { authorization: 'Bearer sandbox-api-key' } })
  ).json();
  return (rows as { id: string; status: string }[]).map(({ id, status }) => ({ id, status }));
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const held = async () => (await database.db('payouts').select('id', 'status')).sort(byId);

test('where the service has the list, every payout is held as it shows it', async () => {
  const run = await runReconcile(deps, tick);
  expect(run).toMatchObject({ status: 'succeeded', complete: true, error: null });
  expect(await held()).toEqual((await truth()).sort(byId));
  expect((await held()).length).toBeGreaterThan(20);
});

test('where it has none, that is remembered for a day, and open payouts are followed through the delivery history', async () => {
  sandbox.control.setFaults({ payoutsList: false });
  sandbox.control.addEndpoint({ url: 'http://127.0.0.1:9/webhooks', events: ['payout.failed', 'payout.confirmed'] });
  const id = openPayout();
  await ownAnswer(id, 'pending');

  const first = await runReconcile(deps, tick);
  expect(first).toMatchObject({ status: 'succeeded', complete: false, proof: { list: 'not offered', asked: 1 } });
  expect(first.proof['reason']).toMatch(/^degraded: /);
  expect(asked).toContain('listPayouts');
  asked = [];
  await runReconcile(deps, tick);
  expect(asked).toEqual(['listWebhookDeliveries']);

  sandbox.control.advancePayout(id, { step: 'fail' });
  await sandbox.control.deliveriesIdle();
  const shown = await runReconcile(deps, tick);
  expect(shown.proof).toMatchObject({ shown: 1 });
  expect(await database.db('payouts').where({ id }).first()).toMatchObject({ status: 'failed', verified: false });

  asked = [];
  ahead = DAY + 60_000;
  sandbox.control.setFaults({ payoutsList: true });
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: true });
  expect(await database.db('payouts').where({ id }).first()).toMatchObject({ status: 'failed', verified: true });
  expect(asked.filter((operation) => operation.startsWith('create'))).toEqual([]);
});

test('an open payout that nothing shows is kept, a break once it is old enough, and none when it ends', async () => {
  sandbox.control.setFaults({ payoutsList: false });
  const id = openPayout();
  await ownAnswer(id, 'pending');
  await runReconcile(deps, tick);
  expect(await database.db('breaks')).toEqual([]);
  ahead = testSettings.payoutGraceMs + 60_000;
  await runReconcile(deps, tick);
  const broken = { kind: 'payout_untracked', entity_id: id, severity: 'medium', status: 'open' };
  expect(await database.db('breaks')).toEqual([expect.objectContaining(broken)]);
  await ownAnswer(id, 'confirmed');
  await runReconcile(deps, tick);
  expect(await database.db('breaks')).toEqual([expect.objectContaining({ ...broken, status: 'auto_resolved' })]);
});

test('what events name is followed a few times at once, then by the runs alone, where there is no list', async () => {
  sandbox.control.setFaults({ payoutsList: false });
  const id = openPayout();
  await ownAnswer(id, 'pending');
  await runReconcile(deps, tick);
  const memory = newRefreshMemory();
  for (let round = 0; round < 6; round += 1) {
    expect(await database.db('reading_marks').where({ kind: 'payout' })).toHaveLength(1);
    await database.db('reading_marks').update({ next_at: new Date(0) });
    await refreshRecords(deps, memory);
  }
  expect(await database.db('reading_marks').where({ kind: 'payout' })).toEqual([]);
  expect(await runReconcile(deps, tick)).toMatchObject({ proof: { asked: 1, shown: 0 } });
});

function openPayout(): string {
  sandbox.control.deposit(null, 'USDT.TRC20', '1000');
  return sandbox.control.createPayout({
    assetCode: 'USDT.TRC20',
    amount: '5',
    destinationAddress: 'TXyz1234567890',
  });
}

/** As our own call's response would show it. */
async function ownAnswer(id: string, status: string): Promise<void> {
  const from = Date.now();
  const fields = { id, status, createdAt: new Date(from).toISOString() };
  const source = { type: 'api_response', ref: 'createPayout' } as const;
  await database.db.transaction((trx) =>
    saveObservations(trx, [{ type: 'statement', kind: 'payout', id, from, to: from + 1, source, fields }], {
      now: deps.now(),
      adoptedAt: deps.adoptedAt,
    }),
  );
}
