import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { noteDisproved, noteSearched } from '../../src/records/orders/searched.js';
import { requestRefresh } from '../../src/records/runs/refresh-requests.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { useDatabase } from '../support/database.js';
import { at, poll, readPaid } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save, savePaid } from '../support/saved.js';

const database = useDatabase();

/** The delivery history was read a while ago. */
async function historyRead(age: string): Promise<void> {
  const updated_at = database.db.raw('now() - ?::interval', [age]);
  const mark = { kind: 'deliveries', name: 'mark', value: '{}', updated_at };
  await database.db('watermarks').insert(mark).onConflict(['kind', 'name']).merge();
}
beforeEach(() => historyRead('1 minute'));

const context = { now: new Date(), adoptedAt: new Date(0) };

test('a refund of which only a report names the payment holds its order until the delivery history was searched', async () => {
  const released = async () => (await getOrder(database.db, 'order-pi_1'))?.release;
  await save(database, [
    ...readPaid('pi_1'),
    poll('payout', payout('po_1', { status: 'confirmed', paymentIntentId: null }), 10),
  ]);
  expect(await released()).toMatchObject({ safe: true });
  const about = {
    kind: 'payout',
    id: 'po_1',
    from: at(20),
    to: at(20),
    source: { type: 'webhook', ref: '1' },
  } as const;
  const said = { ...payout('po_1', { status: 'confirmed' }), paymentIntentId: 'pi_1' };
  await database.db.transaction((trx) =>
    saveObservations(trx, [{ ...about, type: 'statement', fields: said }], context),
  );
  expect(await released()).toMatchObject({ safe: false, reason: 'refund_reported' });

  await database.db.transaction((trx) => noteSearched(trx, 'po_1', at(19), context));
  expect(await released()).toMatchObject({ safe: false, reason: 'refund_reported' });
  await database.db.transaction((trx) => noteSearched(trx, 'po_1', at(21), context));
  expect(await released()).toMatchObject({ safe: true, reason: 'proven' });
});

/** A webhook, by its row of the inbox. */
function said(id: string, ref: string, second: number, fields: JsonObject): Observation {
  const source = { type: 'webhook', ref } as const;
  return { kind: 'payout', id, from: at(second), to: at(second), source, type: 'statement', fields: { id, ...fields } };
}

const take = (...observations: Observation[]) =>
  database.db.transaction((trx) => saveObservations(trx, observations, context));

async function paidOrder(name: string): Promise<() => Promise<string | undefined>> {
  await savePaid(database, name);
  return async () => (await getOrder(database.db, `order-${name}`))?.release.reason;
}

test('a later report that names another payment takes nothing back of what an earlier one said', async () => {
  const [one, other] = [await paidOrder('one'), await paidOrder('other')];
  await take(said('po_2', '21', 20, { status: 'approved', paymentIntentId: 'one' }));
  await take(said('po_2', '22', 21, { status: 'failed', paymentIntentId: 'other', payoutType: 'withdrawal' }));
  await take(said('po_2', '23', 22, { status: 'approved', merchantReference: 'nobody' }));
  expect([await one(), await other()]).toEqual(['refund_reported', 'refund_reported']);
  expect(await getOrder(database.db, 'nobody')).toMatchObject({ release: { safe: false } });
});

test('what a report said that the service did not send holds nothing; what another said of the same payout does', async () => {
  const [one, other] = [await paidOrder('first'), await paidOrder('second')];
  await take(said('po_3', '31', 20, { status: 'pending', paymentIntentId: 'first' }));
  await take(said('po_3', '32', 21, { status: 'pending', paymentIntentId: 'second' }));
  await database
    .db('report_checks')
    .insert({ inbox_id: 31, secret_label: 'x', received_at: new Date(), state: 'not_sent' });
  await database.db.transaction((trx) => noteDisproved(trx, ['31'], context));
  expect([await one(), await other()]).toEqual(['proven', 'refund_reported']);
  // Said again, it holds again.
  await take(said('po_3', '33', 30, { status: 'pending', paymentIntentId: 'first' }));
  expect(await one()).toBe('refund_reported');
});

test('more than a few refunds that are reported of one order are not passed over, whatever was refuted before', async () => {
  const reason = await paidOrder('flooded');
  const now = new Date();
  await database
    .db('orders')
    .where({ reference: 'order-flooded' })
    .update({ refuted_at: [new Date(now.getTime() - 60_000), now] });
  for (const n of [1, 2, 3])
    await take(said(`po_f${n}`, `4${n}`, 20, { status: 'pending', paymentIntentId: 'flooded' }));
  expect(await reason()).toBe('proven');
  await take(said('po_f4', '44', 20, { status: 'pending', merchantReference: 'order-flooded' }));
  expect(await reason()).toBe('refund_reported');
});

test('where the delivery history is not read nothing else would find a true refund: none is passed over', async () => {
  const reason = await paidOrder('unread');
  const now = new Date();
  const refuted_at = [new Date(now.getTime() - 60_000), now];
  await database.db('orders').where({ reference: 'order-unread' }).update({ refuted_at });
  await take(said('po_u1', '46', 20, { status: 'pending', paymentIntentId: 'unread' }));
  expect(await reason()).toBe('proven');
  await historyRead('2 hours');
  await take(said('po_u2', '47', 20, { status: 'pending', paymentIntentId: 'unread' }));
  expect(await reason()).toBe('refund_reported');
});

test('a withdrawal makes no order of the reference that it carries; what may be a refund does', async () => {
  await save(database, [poll('payout', payout('po_w', { payoutType: 'withdrawal', merchantReference: 'wd-1' }), 10)]);
  expect(await getOrder(database.db, 'wd-1')).toBeNull();
  await save(database, [
    poll('payout', payout('po_w2', { payoutType: 'refund', merchantReference: 'wd-2', paymentIntentId: null }), 10),
  ]);
  expect(await getOrder(database.db, 'wd-2')).not.toBeNull();
});

test('however many others a later report names, or what it calls the payout, nothing is taken back', async () => {
  const [one, other] = [await paidOrder('kept'), await paidOrder('typed')];
  await take(said('po_4', '51', 20, { status: 'pending', payoutType: 'refund', merchantReference: 'order-kept' }));
  for (let n = 0; n < 20; n += 1)
    await take(said('po_4', `6${n}`, 21 + n, { status: 'pending', merchantReference: `nobody-${n}` }));
  expect(await one()).toBe('refund_reported');
  await take(said('po_5', '52', 20, { status: 'pending', payoutType: 'refund', merchantReference: 'order-typed' }));
  await take(said('po_5', '53', 30, { status: 'pending', payoutType: 'withdrawal', merchantReference: 'order-typed' }));
  expect(await other()).toBe('refund_reported');
  // What a list shows decides.
  await save(database, [
    poll(
      'payout',
      payout('po_5', { payoutType: 'withdrawal', merchantReference: 'order-typed', paymentIntentId: null }),
      40,
    ),
  ]);
  expect(await other()).toBe('proven');
});

test('while many such reports wait to be polled, none is passed over', async () => {
  const reason = await paidOrder('immune');
  await database.db('reading_marks').delete();
  const now = new Date();
  await database
    .db('orders')
    .where({ reference: 'order-immune' })
    .update({ refuted_at: [new Date(now.getTime() - 60_000), now] });
  await take(said('po_6', '71', 20, { status: 'pending', paymentIntentId: 'immune' }));
  expect(await reason()).toBe('proven');
  await requestRefresh(
    database.db,
    Array.from({ length: 10 }, (_, n) => ({
      kind: 'delivery' as const,
      id: `payout po_w${n}`,
      reason: 'x',
      lane: 'hold' as const,
    })),
  );
  await take(said('po_6', '72', 30, { status: 'approved', paymentIntentId: 'immune' }));
  expect(await reason()).toBe('refund_reported');
});

test('what one report says that was not sent takes nothing back of what another says just so', async () => {
  const reason = await paidOrder('twice');
  await take(said('po_7', '81', 20, { status: 'pending', paymentIntentId: 'twice' }));
  await take(said('po_7', '82', 21, { status: 'pending', paymentIntentId: 'twice' }));
  const disprove = async (id: string) => {
    const row = { inbox_id: id, secret_label: 'x', received_at: new Date(), state: 'not_sent' };
    await database.db('report_checks').insert(row);
    await database.db.transaction((trx) => noteDisproved(trx, [id], context));
  };
  await disprove('82');
  expect(await reason()).toBe('refund_reported');
  await disprove('81');
  expect(await reason()).toBe('proven');
});

const OTHERS = Array.from({ length: 20 }, (_, n) => n);

test('a report among more others than a record keeps, at once with it or later said than it, holds its order', async () => {
  const [one, other] = [await paidOrder('burst'), await paidOrder('before')];
  const nobody = (payout: string, n: number) =>
    said(payout, `9${n}`, 30 + n, { status: 'pending', paymentIntentId: `nobody-${n}` });
  await take(
    said('po_8', '85', 20, { status: 'pending', paymentIntentId: 'burst' }),
    ...OTHERS.map((n) => nobody('po_8', n)),
  );
  expect(await one()).toBe('refund_reported');
  for (const n of OTHERS) await take(nobody('po_9', n));
  await take(said('po_9', '86', 20, { status: 'pending', paymentIntentId: 'before' }));
  expect(await other()).toBe('refund_reported');
  // The service denies it: nothing that any of them said holds an order.
  const absence = {
    type: 'absence',
    kind: 'payout',
    from: at(90),
    to: at(90),
    source: { type: 'poll', ref: 'p' },
  } as const;
  await take({ ...absence, id: 'po_8' }, { ...absence, id: 'po_9' });
  expect([await one(), await other()]).toEqual(['proven', 'proven']);
});

test('what a few of many reports held is held still when the others of them are disproved', async () => {
  const reason = await paidOrder('many');
  const now = new Date();
  const refuted_at = [new Date(now.getTime() - 60_000), now];
  await database.db('orders').where({ reference: 'order-many' }).update({ refuted_at });
  for (const n of [1, 2, 3, 4])
    await take(said(`po_m${n}`, `10${n}`, 20, { status: 'pending', paymentIntentId: 'many' }));
  expect(await reason()).toBe('refund_reported');
  const forged = ['101', '102', '103'];
  const row = { secret_label: 'x', received_at: now, state: 'not_sent' };
  await database.db('report_checks').insert(forged.map((inbox_id) => ({ ...row, inbox_id })));
  await database.db.transaction((trx) => noteDisproved(trx, forged, context));
  expect(await reason()).toBe('refund_reported');
});
