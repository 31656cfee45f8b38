import request from 'supertest';
import { beforeEach, expect, it } from 'vitest';
import { recordAction } from '../../src/records/actions/record-action.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { openedAt } from '../support/aged-breaks.js';
import { bearer, testConsole } from '../support/console.js';
import { session, visit } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { showRates } from '../support/shown-rates.js';

const operator = bearer('operator');
const finance = bearer('finance');

const store = useFreshDatabase();
let app: ReturnType<typeof testConsole>['app'];
let commands: ReturnType<typeof testConsole>['commands'];

// Of what people did nothing can be taken back, so each test has a database of its own.
beforeEach(() => {
  ({ app, commands } = testConsole(store.db));
});

const kept = async (filter = '') =>
  (await request(app).get(`/api/v1/actions${filter}`).set(operator).expect(200)).body.items;

it('keeps who asked for what, and why, and shows it newest first', async () => {
  await request(app)
    .post('/api/v1/runs')
    .set(operator)
    .send({ kind: 'payment-intents', note: 'after the outage' })
    .expect(202);
  await request(app)
    .post('/api/v1/deliveries/recover')
    .set(operator)
    .send({ since: '2026-10-01T00:00:00Z' })
    .expect(202);
  await request(app).put('/api/v1/orders/ord-1').set(operator).send({ amount: '1.50', currency: 'EUR' }).expect(201);
  await request(app).put('/api/v1/orders/ord-1').set(operator).send({ amount: '2.50', currency: 'EUR' }).expect(409);
  const base = { id: expect.any(String), at: expect.any(String), actor: 'omar', target: null, reason: null };
  expect(await kept()).toEqual([
    {
      ...base,
      action: 'register order',
      target: 'order ord-1',
      details: { role: 'operator', amount: '2.50', currency: 'EUR', outcome: 'conflict' },
      outcome: 'refused',
    },
    {
      ...base,
      action: 'register order',
      target: 'order ord-1',
      details: { role: 'operator', amount: '1.50', currency: 'EUR', outcome: 'created' },
      outcome: 'done',
    },
    { ...base, action: 'recover', details: { role: 'operator', since: '2026-10-01T00:00:00Z' }, outcome: 'asked' },
    {
      ...base,
      action: 'run',
      reason: 'after the outage',
      details: { role: 'operator', kinds: ['payment-intents'], full: false },
      outcome: 'asked',
    },
  ]);
  expect(await kept('?action=run')).toHaveLength(1);
  expect(await kept('?outcome=refused')).toHaveLength(1);
  const first = await request(app).get('/api/v1/actions?take=3').set(operator).expect(200);
  const rest = await request(app).get(`/api/v1/actions?cursor=${first.body.nextCursor}`).set(operator).expect(200);
  expect(rest.body).toMatchObject({ items: [{ action: 'run' }], nextCursor: null });
  await request(app).get(`/api/v1/actions/${rest.body.items[0].id}`).set(operator).expect(200);
  await request(app).get('/api/v1/actions/0').set(operator).expect(404);
});

it('keeps nothing of what was not allowed, was not understood, or met nothing', async () => {
  await request(app).post('/api/v1/runs').set(finance).send({ kind: 'payment-intents' }).expect(403);
  await request(app).post('/api/v1/runs').set(operator).send({ kind: 'nothing' }).expect(400);
  await request(app).post('/api/v1/events/1/replay').set(operator).expect(404);
  await request(app).post('/api/v1/breaks/1/resolve').set(operator).send({ note: 'x' }).expect(404);
  expect(await kept()).toEqual([]);
});

it('keeps a replay before it is handed over, so that one that gets lost was asked for all the same', async () => {
  const [event] = await store
    .db('inbox')
    .insert({
      key: 'k',
      key_type: 'id',
      content_hash: 'c',
      event_type: 'a.b',
      event_timestamp: 1,
      source: 'webhook',
      body: Buffer.from('{}'),
      status: 'failed',
    })
    .returning('id');
  commands.replay.mockRejectedValueOnce(new Error('the queue is gone'));
  await request(app).post(`/api/v1/events/${event.id}/replay`).set(operator).send({ note: 'fixed' }).expect(500);
  expect(await kept()).toMatchObject([{ action: 'replay', target: `event ${event.id}`, reason: 'fixed' }]);
});

it('what is decided and that it is kept stand or fall together', async () => {
  await store.db.transaction((trx) =>
    openBreaks(trx, [{ kind: 'payout_stuck', entity: { kind: 'payout', id: 'po_1' }, evidence: {} }]),
  );
  const { id } = await store.db('breaks').first();
  await store.db.raw(`ALTER TABLE actions ADD CONSTRAINT none CHECK (false) NOT VALID`);
  await request(app).post(`/api/v1/breaks/${id}/resolve`).set(operator).send({ note: 'paid by hand' });
  expect((await store.db('breaks').first()).status).toBe('open');
  await store.db.raw('ALTER TABLE actions DROP CONSTRAINT none');
  await request(app).post(`/api/v1/breaks/${id}/resolve`).set(operator).send({ note: 'paid by hand' }).expect(200);
  await request(app).post(`/api/v1/breaks/${id}/resolve`).set(operator).send({ note: 'again' }).expect(409);
  const about = { actor: 'omar', action: 'resolve break', target: `break ${id}` };
  expect(await kept()).toMatchObject([
    { ...about, reason: 'again', outcome: 'refused' },
    { ...about, reason: 'paid by hand', outcome: 'done', details: { kind: 'payout_stuck', entity: 'payout po_1' } },
  ]);
});

it('decides a whole cause by one form, after a preview, and offers each role only what it may', async () => {
  const stuck = (id: string) => ({
    kind: 'payout_stuck' as const,
    entity: { kind: 'payout' as const, id },
    evidence: {},
  });
  await store.db.transaction((trx) => openBreaks(trx, ['po_1', 'po_2', 'po_3'].map(stuck)));
  await store.db.transaction((trx) =>
    openBreaks(trx, [{ kind: 'missed_webhook', entity: { kind: 'delivery', id: 'd_1' }, evidence: {} }]),
  );
  const { get, press } = await visit(app, 'operator');
  const statuses = async () => (await store.db('breaks').orderBy('id').pluck('status')).join(' ');
  const list = await get('/breaks');
  expect(list.text).toContain('3 × payout stuck');
  expect(list.main).not.toContain('/breaks/cause/write-off');
  const preview = await press(list, 'Resolve all', { reason: 'paid by hand' });
  expect(preview.notices).toContain('It is about 3 breaks');
  expect(await statuses()).toBe('open open open open');
  expect((await press(preview, 'Resolve all')).flash).toContain('3 breaks: Resolve');
  expect(await statuses()).toBe('resolved resolved resolved open');
  expect(await kept('?action=resolve break')).toHaveLength(4);
  expect((await press(preview, 'Resolve all')).flash).toContain('nothing of it is open any more');
  const range = { openedFrom: '2020-01-01T00:00:00Z', openedTo: '2100-01-01T00:00:00Z' };
  const cause = { kind: 'missed_webhook', entityKind: 'delivery', shared: 'none', ...range, reason: 'x' };
  const asFinance = await session(app, 'finance');
  await asFinance.post('/breaks/cause/resolve', { ...cause, _confirmed: 'yes' }).expect(403);
  const asOperator = await session(app, 'operator');
  await asOperator.post('/breaks/cause/resolve', { ...cause, openedFrom: 'yesterday', _confirmed: 'yes' }).expect(400);
  expect(await statuses()).toBe('resolved resolved resolved open');
  await asOperator.post('/breaks/cause/resolve', { ...cause, _confirmed: 'yes' }).expect(303);
  expect(await statuses()).toBe('resolved resolved resolved resolved');
});

it('decides of a cause what its preview showed, and nothing that came since; what is left out is counted', async () => {
  const missed = (id: string, endpointId: string) => ({
    kind: 'missed_webhook' as const,
    entity: { kind: 'delivery' as const, id },
    evidence: { theirs: { endpointId } },
  });
  const open = (...breaks: ReturnType<typeof missed>[]) => store.db.transaction((trx) => openBreaks(trx, breaks));
  const close = (id: string) =>
    store.db('breaks').where({ entity_id: id }).update({ status: 'resolved', resolved_at: new Date() });
  await open(...['d_1', 'd_2', 'd_3', 'd_4'].map((id) => missed(id, id === 'd_4' ? 'we_2' : 'we_1')));
  const { get, press } = await visit(app, 'operator');
  const preview = await press(await get('/breaks'), 'Assign all', { owner: 'Ann', reason: 'hers' });
  expect(preview.notices).toContain('It is about 3 breaks');
  await open(missed('d_5', 'we_1'));
  const opened = store.db.raw('(SELECT max(opened_at) FROM breaks AS first WHERE entity_id = ?)', ['d_1']);
  await openedAt(store.db, { entity_id: 'd_5' }, opened);
  await close('d_2');
  const answer = await press(preview, 'Assign all');
  expect(answer.flash).toContain('2 breaks: Assign. Left out: 1 resolved.');
  const rows = await store.db('breaks').orderBy('entity_id').select('entity_id', 'owner');
  expect(rows.map(({ entity_id, owner }) => `${entity_id} ${owner}`)).toEqual([
    'd_1 Ann',
    'd_2 null',
    'd_3 Ann',
    'd_4 null',
    'd_5 null',
  ]);
  const again = await press(await get('/breaks'), 'Resolve all', { reason: 'fixed' });
  expect(again.notices).toContain('It is about 3 breaks');
  expect(again.notices).toContain('Left out: 1 resolved.');
});

it('a preview says the money by asset, of each record once, and what of it no record says', async () => {
  const { db } = store;
  const order = { status: 'underpaid', release_safe: false, release_reason: 'underpaid' };
  const orders = [
    ['a', '10.50', 'EUR'],
    ['b', '2', 'EUR'],
    ['c', '0.5', 'BTC'],
    ['d', null, null],
  ].map(([reference, expected_amount, expected_currency]) => ({
    ...order,
    reference,
    expected_amount,
    expected_currency,
  }));
  await db('orders').insert(orders);
  await showRates(db, [{ assetCode: 'BTC', rate: '60000.5', at: Date.now() }]);
  const underpaid = ({ reference }: { reference?: string | null | undefined }) => ({
    kind: 'order_underpaid' as const,
    entity: { kind: 'order' as const, id: reference ?? '' },
    evidence: { reason: 'underpaid' },
  });
  await db.transaction((trx) => openBreaks(trx, orders.map(underpaid)));
  const { get, press } = await visit(app, 'operator');
  const preview = await press(await get('/breaks'), 'Resolve all', { reason: 'paid since' });
  const table = preview.text.slice(preview.text.indexOf('The money that they are about'));
  expect(table.replaceAll(/\s+/g, ' ')).toMatch(
    /BTC 1 0\.5 BTC 30 ?000\.25 USD EUR 2 12\.5 EUR no rate no amount is known 1 – –/,
  );
});

it('holds any text', async () => {
  const given = { actor: 'a\0b', action: 'x', target: '\ud800', reason: '\0', details: { n: ['\0', '\udc00', 1] } };
  await recordAction(store.db, { ...given, outcome: 'done' });
  expect(await kept()).toMatchObject([given]);
});
