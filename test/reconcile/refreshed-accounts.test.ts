import { expect, test, vi } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import type { ReconcileDeps } from '../../src/reconcile/deps.js';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { createAnswers, refreshLoop } from '../../src/reconcile/schedule/schedule.js';
import { requestRefresh } from '../../src/records/runs/refresh-requests.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { UnavailableError } from '../../src/service-api/service-errors.js';
import { openSandbox, type Row } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, serviceWith } from './fake-service.js';
import { refreshRecords } from './refresh-records.js';
import { atService } from './service-at.js';

const database = resettableDatabase();

/** As an event does that reports a deposit and names the sub-wallet, and not the transaction of the feed. */
async function eventOf(deps: ReconcileDeps, account: string): Promise<void> {
  const at = deps.client.serviceNow();
  const source = { type: 'webhook', ref: '1' } as const;
  const said: Observation = { type: 'mention', kind: 'account', id: account, from: at, to: at, source };
  const context = { now: deps.now(), adoptedAt: deps.adoptedAt };
  await database.db.transaction((trx) => saveObservations(trx, [said], context));
}

const transactions = async () => database.db<Row>('transactions').where({ verified: true }).pluck('id');

test('an event of a deposit leads to a reading of the transaction at once; many events do not spend the rate on the lists', async () => {
  const sandbox = await openSandbox({ seed: 3, wallets: 8, movements: 40 });
  const { deps } = atService(database, sandbox.url, { adoptedAt: new Date(0) });
  const reply = deps.client.reply.bind(deps.client);
  let calls = 0;
  const counted: ReconcileDeps = {
    ...deps,
    client: {
      serviceNow: () => deps.client.serviceNow(),
      reply: (...request) => {
        calls += 1;
        return reply(...request);
      },
    },
  };
  const [wallet] = (await sandbox.call<Row[]>('GET', '/v1/accounts?status=active')).body;
  const deposit = () =>
    sandbox.call('POST', `/sandbox/accounts/${wallet!.id}/deposit`, { assetCode: 'BTC', amount: '1' });
  await deposit();
  const memory = newRefreshMemory();
  await eventOf(counted, wallet!.id);
  await refreshRecords(counted, memory);
  const newest = (await sandbox.call<Row[]>('GET', `/v1/accounts/${wallet!.id}/transactions`)).body[0];
  expect(await transactions()).toContain(newest?.id);
  expect(await database.db('accounts').where({ id: wallet!.id }).pluck('verified')).toEqual([true]);

  const once = calls;
  expect(once).toBeLessThan(20);
  for (let many = 0; many < 5; many++) {
    await deposit();
    await eventOf(counted, wallet!.id);
    await refreshRecords(counted, memory);
  }
  expect(calls).toBe(once);
  const later = { ...counted, now: () => new Date(counted.now().getTime() + 60_000) };
  await refreshRecords(later, memory);
  const shown = (await sandbox.call<Row[]>('GET', `/v1/accounts/${wallet!.id}/transactions`)).body;
  expect(await transactions()).toEqual(expect.arrayContaining(shown.slice(0, 6).map(({ id }) => id)));
});

test('a kind that can’t be read holds up no claim of another', async () => {
  const service = serviceWith(30);
  const reply = service.reply.bind(service);
  let refused = 0;
  service.reply = async (operation, request) => {
    if (operation === 'listPaymentIntents') return reply(operation, request);
    refused += 1;
    throw new Error('invoices are not to be had');
  };
  const deps = depsOf(database, service);
  const [row] = [...service.list.rows.values()].slice(-1);
  await requestRefresh(database.db, [{ kind: 'invoice', id: 'inv_1', reason: 'claimed' }]);
  const stop = new AbortController();
  const loop = refreshLoop(deps, stop.signal);
  try {
    // By then a lane for all of them would pause for four seconds.
    await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(2), { timeout: 20_000, interval: 50 });
    await requestRefresh(database.db, [{ kind: 'payment_intent', id: row!.id, reason: 'claimed' }]);
    const isHeld = async () => expect(await database.db('payment_intents').where({ id: row!.id })).toHaveLength(1);
    await vi.waitFor(isHeld, { timeout: 3_000, interval: 50 });
  } finally {
    stop.abort();
    await loop;
  }
});

test('what could not be read while the service was away is read at once when it answers again', async () => {
  const service = serviceWith(30);
  const reply = service.reply.bind(service);
  let refused = 0;
  let isAway = true;
  service.reply = async (operation, request) => {
    if (!isAway) return reply(operation, request);
    refused += 1;
    throw new UnavailableError('the service failed, status 503', { operation, status: 503 });
  };
  const [row] = [...service.list.rows.values()].slice(-1);
  await requestRefresh(database.db, [{ kind: 'payment_intent', id: row!.id, reason: 'claimed' }]);
  const stop = new AbortController();
  const answers = createAnswers();
  const loop = refreshLoop(depsOf(database, service), stop.signal, answers);
  try {
    // By then its lane pauses for eight seconds.
    await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(3), { timeout: 20_000, interval: 50 });
    isAway = false;
    answers.heard();
    const isHeld = async () => expect(await database.db('payment_intents').where({ id: row!.id })).toHaveLength(1);
    await vi.waitFor(isHeld, { timeout: 4_000, interval: 50 });
  } finally {
    stop.abort();
    await loop;
  }
});
