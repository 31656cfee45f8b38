import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../src/domain/json.js';
import { kinds } from '../../src/reconcile/deps.js';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { DAY, depsOf, FakeService, serviceWith } from './fake-service.js';
import { MovingList } from './moving-list.js';
import { Random } from './random.js';
import { refreshRecords } from './refresh-records.js';

const kind = kinds[0];
const tick = { kind, full: false };
const full = { kind, full: true };

const database = resettableDatabase();

test('a record that a full sweep and a second poll lack is a break, and no longer one when it comes back', async () => {
  const service = serviceWith(150);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  const gone = [...service.list.rows.values()].find((row) => row.status === 'completed')!;
  gone.deletedAt = service.list.clock;
  service.list.clock += 60_000;
  const run = await runReconcile(deps, full);
  expect(run).toMatchObject({ complete: true, breaksOpened: 1, proof: { absent: { proven: 1, undecided: 0 } } });
  const open = {
    kind: 'record_not_at_service',
    entity_kind: 'payment_intent',
    entity_id: gone.id,
    severity: 'critical',
  };
  expect(await database.db('breaks')).toMatchObject([{ ...open, status: 'open' }]);

  gone.deletedAt = null;
  service.list.clock += 60_000;
  await runReconcile(deps, full);
  expect(await database.db('breaks')).toMatchObject([{ ...open, status: 'auto_resolved' }]);
});

test('a page that lacks a record for a moment does not make it absent', async () => {
  const service = serviceWith(150);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  const hidden = [...service.list.rows.values()].find((row) => row.status === 'completed')!;
  service.list.clock += 60_000;
  let lacking = 0;
  const reply = service.reply.bind(service);
  service.reply = async (...request) => {
    const { data, ...times } = await reply(...request);
    const isHidden = (item: Json): boolean => isJsonObject(item) && item['id'] === hidden.id;
    if (lacking > 0 || !Array.isArray(data) || !data.some(isHidden)) return { data, ...times };
    lacking += 1;
    return { data: data.filter((item) => !isHidden(item)), ...times };
  };
  const run = await runReconcile(deps, full);
  expect(lacking).toBe(1);
  expect(run).toMatchObject({ complete: true, breaksOpened: 0, proof: { absent: { proven: 0, undecided: 0 } } });
});

test('the list of another account is refused before anything of it is saved', async () => {
  const service = serviceWith(150);
  await runReconcile(depsOf(database, service), tick);
  const before = await database.db('payment_intents').orderBy('id');
  const list = new MovingList(new Random(99), { semantics: 'orm', pageCap: 100, deletes: false, grainMs: 1 });
  list.grow(300, 20 * DAY);
  list.clock = service.list.clock + 60_000;
  const run = await runReconcile(depsOf(database, new FakeService(list)), full);
  expect(run).toMatchObject({ status: 'failed', complete: false });
  expect(run.error).toContain('strange_list');
  expect(run.error).toMatch(/SERVICE_API_KEY.*SERVICE_BASE_URL.*DATABASE_URL/);
  expect(await database.db('payment_intents').orderBy('id')).toEqual(before);
  expect(await database.db('breaks')).toEqual([]);
});

test('an empty list is refused where records were read from it, however few; not where all of them are gone', async () => {
  const service = serviceWith(2);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  for (const row of service.list.rows.values()) row.deletedAt = service.list.clock;
  service.list.clock += 60_000;
  expect(await runReconcile(deps, tick)).toMatchObject({ status: 'failed', complete: false });
  await database.db('payment_intents').update({ absent_since: deps.now() });
  expect(await runReconcile(deps, tick)).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 0 });
});

test('a list that grew by hundreds, and lost the newest records we hold, is still ours', async () => {
  const service = serviceWith(150);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  for (const row of [...service.list.rows.values()].slice(-3)) row.deletedAt = service.list.clock;
  service.list.clock += DAY;
  service.list.grow(250, DAY / 2);
  service.list.clock += 60_000;
  expect(await runReconcile(deps, full)).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 3 });
});

test('a record of which an event reports the creation to the second alone is found among others of that second', async () => {
  const service = serviceWith(0);
  service.list.grow(260, 7_800);
  service.list.clock += 60_000;
  const deps = depsOf(database, service);
  const unseen = [...service.list.rows.values()].find((row) => row.seq > 130 && row.createdAt % 1_000 > 900)!;
  unseen.deletedAt = 0;
  await runReconcile(deps, tick);
  unseen.deletedAt = null;
  const from = service.list.clock + 1_000;
  service.list.clock += 3_000;
  const createdAt = new Date(unseen.createdAt - (unseen.createdAt % 1_000)).toISOString();
  const said = { type: 'statement', kind: 'payment_intent', id: unseen.id, from, to: from + 999 } as const;
  const observation = {
    ...said,
    source: { type: 'webhook', ref: '1' },
    fields: { status: 'completed', createdAt },
  } as const;
  const context = { now: deps.now(), adoptedAt: deps.adoptedAt };
  await database.db.transaction((trx) => saveObservations(trx, [observation], context));
  const memory = newRefreshMemory(['payment_intent']);
  for (let poll = 0; poll < 3; poll++) {
    service.list.clock += 60_000;
    await refreshRecords(deps, memory);
    await database.db('reading_marks').update({ next_at: database.db.raw("now() - interval '1 s'") });
  }
  expect(await database.db('payment_intents').where({ id: unseen.id }).pluck('verified')).toEqual([true]);
  expect(await database.db('breaks')).toEqual([]);
});

test('what events claimed is not searched for in the list of another account', async () => {
  const service = serviceWith(150);
  await runReconcile(depsOf(database, service), tick);
  await database.db('reading_marks').insert({ kind: 'payment_intent', id: 'pi_new', reason: 'claimed' });
  const before = await database.db('payment_intents').orderBy('id');
  const list = new MovingList(new Random(99), { semantics: 'orm', pageCap: 100, deletes: false, grainMs: 1 });
  list.grow(300, 20 * DAY);
  const other = new FakeService(list);
  const deps = depsOf(database, other);
  const memory = newRefreshMemory();
  for (let round = 0; round < 3; round++) await expect(refreshRecords(deps, memory)).rejects.toThrow('SERVICE_API_KEY');
  expect(await database.db('payment_intents').orderBy('id')).toEqual(before);
  expect(await database.db('reading_marks').pluck('attempts')).toEqual([0]);
});

test('records that vanish among more of the same moment than a page holds are missed', async () => {
  const list = new MovingList(new Random(5), { semantics: 'orm', pageCap: 20, deletes: false, grainMs: 1_000 });
  list.restlessness = 0;
  list.grow(200, 4_000);
  list.clock += 60_000;
  const deps = depsOf(database, new FakeService(list));
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: true });
  const rows = [...list.rows.values()].slice(60, 120);
  const open = rows.find(({ status }) => status === 'pending')!;
  const done = rows.find(({ status }) => status === 'completed')!;
  open.deletedAt = list.clock;
  list.clock += 60_000;
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: true, breaksOpened: 1 });
  done.deletedAt = list.clock;
  list.clock += 60_000;
  expect(await runReconcile(deps, full)).toMatchObject({ complete: true, breaksOpened: 1 });
  expect(await database.db('payment_intents').whereNotNull('absent_since').pluck('id')).toEqual(
    expect.arrayContaining([open.id, done.id]),
  );
});

test('an event of a payment that the service never had ends as a break, with a date, without one, with one that is yet to come', async () => {
  const service = serviceWith(150);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  const from = service.list.clock;
  const source = { type: 'webhook', ref: '1' } as const;
  const reported = {
    pi_dated: from - 3_600_000,
    pi_undated: null,
    pi_soon: from + 3_600_000,
    pi_far: Date.UTC(2099, 0, 1),
  };
  const observations = Object.entries(reported).map(([id, createdAt]) => {
    const dated = createdAt === null ? {} : { createdAt: new Date(createdAt).toISOString() };
    const fields = { status: 'completed', ...dated };
    return { type: 'statement' as const, kind: 'payment_intent' as const, id, from, to: from + 999, source, fields };
  });
  await database.db.transaction((trx) =>
    saveObservations(trx, observations, { now: new Date(from), adoptedAt: deps.adoptedAt }),
  );
  service.list.clock += 60_000;
  await runReconcile(deps, tick);
  const absent = () => database.db('payment_intents').whereNotNull('absent_since').orderBy('id').pluck('id');
  expect(await absent()).toEqual(['pi_dated']);
  service.list.clock += 60_000;
  await runReconcile(deps, full);
  expect(await absent()).toEqual(['pi_dated', 'pi_far', 'pi_soon', 'pi_undated']);
  expect(await database.db('breaks').where({ kind: 'record_not_at_service', status: 'open' })).toHaveLength(4);
});

test('a payment whose event reports a time that is yet to come calls for a full scan, and is found there', async () => {
  const service = serviceWith(150);
  const deps = depsOf(database, service);
  const [unseen] = [...service.list.rows.values()].filter(({ status }) => status === 'completed');
  unseen!.deletedAt = 0;
  await runReconcile(deps, tick);
  unseen!.deletedAt = null;
  const from = service.list.clock;
  const fields = { status: 'completed', createdAt: new Date(from + DAY).toISOString() };
  const said = { type: 'statement', kind: 'payment_intent', id: unseen!.id, from, to: from + 999 } as const;
  await database.db.transaction((trx) =>
    saveObservations(trx, [{ ...said, source: { type: 'webhook', ref: '1' }, fields }], {
      now: new Date(from),
      adoptedAt: deps.adoptedAt,
    }),
  );
  service.list.clock += DAY / 12;
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: true, breaksOpened: 0 });
  expect(await database.db('payment_intents').where({ id: said.id }).pluck('verified')).toEqual([true]);
});
