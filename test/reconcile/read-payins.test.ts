import { beforeEach, expect, test } from 'vitest';
import type { ReconcileDeps } from '../../src/reconcile/deps.js';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { ContractViolationError, RefusedError, UnavailableError } from '../../src/service-api/service-errors.js';
import { at, mention, poll, report } from '../support/observations.js';
import { paidIntent, payin } from '../support/records.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { save } from '../support/saved.js';
import { depsOf, FakeService } from './fake-service.js';
import { MovingList } from './moving-list.js';
import { Random } from './random.js';
import { refreshRecords } from './refresh-records.js';

const database = resettableDatabase();
let service: FakeService;
let deps: ReconcileDeps;

beforeEach(async () => {
  const list = new MovingList(new Random(3), { semantics: 'orm', pageCap: 100, deletes: false, grainMs: 1 });
  list.restlessness = 0;
  list.clock = at(60);
  service = new FakeService(list);
  deps = depsOf(database, service);
});

const about = { operation: 'getPayin', status: 400, serviceCode: null, serviceMessage: null, isOwnWord: false };
const verified = () => database.db('payins').where({ verified: true }).orderBy('id').pluck('id');
const marks = () => database.db('reading_marks').where({ kind: 'payin' }).whereNot({ lane: 'recheck' }).orderBy('id');
const due = () => database.db('reading_marks').update({ next_at: database.db.raw("now() - interval '1 s'") });

function failOn(failures: Record<string, Error>): void {
  const reply = service.reply.bind(service);
  service.reply = async (operation, request) => {
    const failure = failures[request.path?.['id'] ?? ''];
    if (failure) throw failure;
    return reply(operation, request);
  };
}

/** Marked one after the other, so that they are read in this order. */
async function markInOrder(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await save(database, [mention('payin', id, 0)]);
    service.payins.set(id, payin(id, 'pi_1'));
  }
}

test('a payin that the service refuses to show, or shows unreadably, holds up none of the others', async () => {
  await markInOrder('refused', 'unreadable', 'good');
  failOn({
    refused: new RefusedError('the service refuses the request', about),
    unreadable: new ContractViolationError('the answer is not an object', about),
  });
  await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  expect(await verified()).toEqual(['good']);
  expect(await marks().select('id', 'attempts')).toEqual([
    { id: 'refused', attempts: 1 },
    { id: 'unreadable', attempts: 1 },
  ]);
});

test('one on which the service breaks down ends the round, and is not the first of the next', async () => {
  await markInOrder('broken', 'good');
  failOn({ broken: new UnavailableError('the service failed, status 500', { ...about, status: 500 }) });
  await expect(refreshRecords(deps, newRefreshMemory(['payment_intent']))).rejects.toThrow('the service failed');
  await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  expect(await verified()).toEqual(['good']);
});

test('one that can’t be saved is put off, and the others that were read with it are kept', async () => {
  await markInOrder('first', 'odd', 'last');
  await database.db.raw(`ALTER TABLE payins ADD CONSTRAINT no_odd_one CHECK (id <> 'odd' OR NOT verified)`);
  await expect(refreshRecords(deps, newRefreshMemory(['payment_intent']))).rejects.toThrow('no_odd_one');
  expect(await verified()).toEqual(['first', 'last']);
  expect(await marks().select('id', 'attempts')).toEqual([{ id: 'odd', attempts: 1 }]);
});

test('a payin that is not there yet is asked for again while an event may be newer than the answer, and no break', async () => {
  await save(database, [mention('payin', 'p', 0)]);
  await due();
  await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  // The event is of the second that begins after the question, by a clock that is known to a second.
  await save(database, [report('payin', 'p', payin('p', 'pi_1'), 59)]);
  await due();
  await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  expect(await database.db('payins').select('absent_since', 'known')).toEqual([
    { absent_since: new Date(at(58)), known: false },
  ]);
  expect(await marks().pluck('id')).toEqual(['p']);
  expect(await database.db('breaks')).toEqual([]);
  // Denied again by an answer that began later, it is one; reported once more, it stays one.
  service.list.clock = at(70);
  await due();
  await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  const broken = [expect.objectContaining({ kind: 'record_not_at_service', entity_id: 'p', status: 'open' })];
  expect(await database.db('breaks')).toEqual(broken);
  await save(database, [report('payin', 'p', payin('p', 'pi_1'), 80)]);
  expect(await marks().pluck('id')).toEqual(['p']);
  service.list.clock = at(90);
  for (let poll = 0; poll < 2; poll++) {
    await due();
    await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  }
  expect(await marks().pluck('id')).toEqual([]);
  expect(await database.db('breaks')).toEqual(broken);
});

test('a run by hand reads every payin that is due, however many, and is not complete while one could not be read', async () => {
  const ids = Array.from({ length: 110 }, (_, index) => `p${index}`);
  await save(
    database,
    ids.map((id) => mention('payin', id, 0)),
  );
  for (const id of ids) service.payins.set(id, payin(id, 'pi_1'));
  failOn({ p7: new RefusedError('the service refuses the request', about) });
  await database.db('reading_marks').update({ reason: 'payin_of_intent', lane: 'listed' });
  const first = await runReconcile(deps, { kind: 'payment-intents', full: false });
  expect(first).toMatchObject({ complete: false, proof: { payins: { read: 110, left: 1 } } });
  expect(first.proof['reason']).toContain('payins still to be read: 1');
  expect(await verified()).toHaveLength(109);
});

test('a run beside the loop that reads payins says so when the loop does not keep up', async () => {
  await markInOrder('late', 'new');
  const run = () => runReconcile(deps, { kind: 'payment-intents', full: false, withoutPayins: true });
  expect((await run()).complete).toBe(true);
  const late = database.db.raw("now() - interval '11 minutes'");
  await database.db('reading_marks').where({ id: 'late' }).update({ next_at: late });
  expect((await run()).complete, 'what a webhook alone names may wait').toBe(true);
  await database.db('reading_marks').update({ lane: 'poll' });
  expect(await run()).toMatchObject({ complete: false, proof: { payins: { read: 0, left: 1 } } });
});

test.each(['payin_of_intent', 'payin_moved', 'listed_elsewhere'])(
  'a payin that the service refuses to show makes runs incomplete, whatever was read of it before: %s',
  async (reason) => {
    await markInOrder('refused');
    const run = () => runReconcile(deps, { kind: 'payment-intents', full: false, withoutPayins: true });
    const ago = database.db.raw("now() - interval '11 minutes'");
    // Put off ever longer, it is never due for long.
    await database.db('reading_marks').update({ reason, lane: 'listed', attempts: 3, marked_at: ago });
    expect(await run()).toMatchObject({ complete: false, proof: { payins: { read: 0, left: 1 } } });
    await database.db('reading_marks').update({ reason: 'not_final' });
    expect((await run()).complete, 'one on its way is waited for').toBe(true);
  },
);

test('dust that was sent to one payment is read behind all other payins, and stays there while it is not final', async () => {
  const dust = Array.from({ length: 60 }, (_, nth) => `dust${String(nth).padStart(2, '0')}`);
  const listing = (ids: string[]) => ids.map((id) => ({ id, status: 'pending', amountGross: '0.000001' }));
  await save(database, [poll('payment_intent', paidIntent('pi_dust', '', { payins: listing(dust) }), 0)]);
  await database.db('reading_marks').update({ next_at: database.db.raw("now() - interval '1 minute'") });
  await save(database, [poll('payment_intent', paidIntent('pi_honest', 'honest'), 0)]);
  for (const id of [...dust, 'honest'])
    service.payins.set(id, payin(id, 'pi_1', id === 'honest' ? {} : { status: 'pending' }));
  const asked: string[] = [];
  const reply = service.reply.bind(service);
  service.reply = async (operation, request) => {
    asked.push(request.path?.['id'] ?? '');
    return reply(operation, request);
  };
  await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  const before = asked.indexOf('honest');
  expect(before).toBeGreaterThanOrEqual(0);
  expect(before).toBeLessThanOrEqual(20);
  for (let round = 0; round < 3; round += 1) await refreshRecords(deps, newRefreshMemory(['payment_intent']));
  const crowded = await marks().where({ lane: 'crowded' }).pluck('id');
  expect(crowded).toEqual(dust.slice(20));
  expect(new Set(asked.filter((id) => id.startsWith('dust')))).toEqual(new Set(dust));
});
