import { beforeEach, expect, test } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { kinds, type ReconcileDeps } from '../../src/reconcile/deps.js';
import { newRefreshMemory, type RefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { createCallShare } from '../../src/reconcile/take-turns.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, FakeService, rateLimited } from './fake-service.js';
import { MovingList, type Simulated } from './moving-list.js';
import { Random } from './random.js';
import { refreshRecords } from './refresh-records.js';

const kind = kinds[0];

const database = resettableDatabase();
let service: FakeService;
let deps: ReconcileDeps;
let memory: RefreshMemory;

beforeEach(async () => {
  const list = new MovingList(new Random(11), { semantics: 'orm', pageCap: 100, deletes: false, grainMs: 1 });
  list.restlessness = 0;
  list.grow(420, 3_600_000);
  service = new FakeService(list);
  deps = depsOf(database, service);
  memory = newRefreshMemory(['payment_intent']);
});

/** Events of these payments arrive, a second after the payments moved. */
async function claims(rows: Partial<Simulated>[]): Promise<void> {
  service.list.clock += 2_000;
  const from = Math.floor((service.list.clock - 1_500) / 1_000) * 1_000;
  const observations = rows.map(({ id = '', status = 'completed', createdAt }): Observation => {
    const fields = { status, ...(createdAt ? { createdAt: new Date(createdAt).toISOString() } : {}) };
    const source = { type: 'webhook', ref: id } as const;
    return { type: 'statement', kind: 'payment_intent', id, from, to: from + 999, source, fields };
  });
  const context = { now: deps.now(), adoptedAt: deps.adoptedAt };
  await database.db.transaction((trx) => saveObservations(trx, observations, context));
  service.list.clock += 2_000;
}

const newest = (many: number): Simulated[] => [...service.list.rows.values()].slice(-many);
const marks = (): Promise<string[]> => database.db('reading_marks').orderBy('id').pluck('id');
const makeDue = () => database.db('reading_marks').update({ next_at: database.db.raw("now() - interval '1 s'") });

/** Those with a report that no poll has answered yet. */
async function unread(): Promise<string[]> {
  return database.db('payment_intents').where({ settled: false, absent_since: null }).orderBy('id').pluck('id');
}

test('one call answers for all that was claimed of the newest hundred payments', async () => {
  await runReconcile(deps, { kind, full: false });
  const rows = newest(60);
  for (const row of rows) row.status = 'completed';
  await claims(rows);
  expect(await unread()).not.toEqual([]);
  service.asked = [];
  await refreshRecords(deps, memory);
  expect(service.asked).toHaveLength(1);
  expect(await unread()).toEqual([]);
  expect(await marks()).toEqual([]);
});

test('claims of payments far down the list are read by the record next above', async () => {
  await runReconcile(deps, { kind, full: false });
  const open = [...service.list.rows.values()].filter(({ status }) => status === 'pending');
  const old = [open[1]!, open[2]!, open[Math.floor(open.length / 2)]!];
  for (const row of old) row.status = 'completed';
  await claims(old.map(({ id }) => ({ id })));
  service.asked = [];
  await refreshRecords(deps, memory);
  expect(service.asked).toHaveLength(2);
  expect(service.asked.every(({ cursor }) => cursor !== undefined)).toBe(true);
  expect(await unread()).toEqual([]);
});

test('on an empty database the head is read, and what is further down waits for a run', async () => {
  const [old] = service.list.rows.values();
  await claims([...newest(5), { id: old!.id }]);
  await refreshRecords(deps, memory);
  expect(await unread()).toEqual([old!.id]);
  await runReconcile(deps, { kind, full: false });
  expect(await unread()).toEqual([]);
  expect(await marks()).toEqual([]);
});

test('a payment that the service does not list is absent at the second poll, a break, and asked for no more', async () => {
  await runReconcile(deps, { kind, full: false });
  service.list.clock += 60_000;
  await claims([{ id: 'pi_never', createdAt: service.list.clock - 45_000 }]);
  await refreshRecords(deps, memory);
  expect(await unread()).toEqual(['pi_never']);
  service.list.clock += 6_000;
  await makeDue();
  await refreshRecords(deps, memory);
  expect(await database.db('breaks')).toMatchObject([{ kind: 'record_not_at_service', entity_id: 'pi_never' }]);
  expect(await marks()).toEqual([]);
});

test('a payment claimed the moment it is made is not taken for absent while the list may lag behind', async () => {
  await runReconcile(deps, { kind, full: false });
  await claims([{ id: 'pi_fresh', createdAt: service.list.clock }]);
  for (let round = 0; round < 3; round++) {
    service.list.clock += 6_000;
    await makeDue();
    await refreshRecords(deps, memory);
  }
  expect(await unread()).toEqual(['pi_fresh']);
  expect(await database.db('breaks')).toEqual([]);
});

test('what was not settled is put off, ever longer', async () => {
  await runReconcile(deps, { kind, full: false });
  await claims([{ id: 'pi_somewhere' }]);
  service.asked = [];
  await refreshRecords(deps, memory);
  await refreshRecords(deps, memory);
  expect(service.asked).toHaveLength(1);
  const [mark] = await database.db('reading_marks');
  expect(mark).toMatchObject({ id: 'pi_somewhere', attempts: 1 });
});

test('made-up payments all over the list cost one head page a round, and a quarter of the calls besides', async () => {
  await runReconcile(deps, { kind, full: false });
  const share = createCallShare(service, () => 0);
  const shared = { ...deps, client: share.others, share };
  const oldest = [...service.list.rows.values()][0]!.createdAt;
  const span = service.list.clock - oldest;
  const spread = Array.from({ length: 100 }, (_, index) => ({
    id: `pi_made_up_${index}`,
    createdAt: oldest + Math.floor((span * index) / 100),
  }));
  await claims(spread);
  service.asked = [];
  for (let round = 0; round < 9; round += 1) {
    await makeDue();
    await refreshRecords(shared, memory);
  }
  const deep = service.asked.filter(({ cursor }) => cursor !== undefined);
  expect(service.asked.length - deep.length).toBe(9);
  expect(deep.length).toBeGreaterThan(0);
  expect(deep.length).toBeLessThanOrEqual(9 / 3 + 2);
});

test('a refusal of the service leaves everything to be read later', async () => {
  await runReconcile(deps, { kind, full: false });
  for (const row of newest(3)) row.status = 'completed';
  await claims(newest(3));
  service.list.beforeCall = () => {
    throw rateLimited();
  };
  await expect(refreshRecords(deps, memory)).rejects.toThrow('too many calls');
  expect(await marks()).toHaveLength(3);
});

test('payins are read by their detail; one that the service does not know, twice, is absent', async () => {
  const payin = { id: 'payin_1', paymentIntentId: 'pi_1', status: 'confirmed', kytStatus: 'approved' };
  service.payins.set('payin_1', { ...payin, amountGross: '5', createdAt: '2026-02-01T00:00:00.000Z' });
  const at = service.list.clock;
  const source = { type: 'webhook', ref: '1' } as const;
  const mention = { type: 'mention', kind: 'payin', from: at, to: at, source } as const;
  const observations: Observation[] = ['payin_1', 'payin_2'].map((id) => ({ ...mention, id }));
  const context = { now: deps.now(), adoptedAt: deps.adoptedAt };
  await database.db.transaction((trx) => saveObservations(trx, observations, context));
  service.list.clock += 5_000;
  await refreshRecords(deps, memory);
  const payins = () => database.db('payins').select('id', 'verified', 'absent_since').orderBy('id');
  expect(await payins()).toMatchObject([
    { id: 'payin_1', verified: true, absent_since: null },
    { id: 'payin_2', verified: false, absent_since: null },
  ]);
  await makeDue();
  await refreshRecords(deps, memory);
  expect((await payins())[1]).toMatchObject({ id: 'payin_2', absent_since: expect.any(Date) });
});
