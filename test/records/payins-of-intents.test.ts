import { expect, test } from 'vitest';
import { fillColumns } from '../../src/reconcile/cross-check/cross-check-loop.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { listRecords } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { absence, mention, poll, report } from '../support/observations.js';
import { intent, paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

const marksOf = (id: string): Promise<string[]> => database.db('reading_marks').where({ id }).pluck('reason');
const releaseOf = async (reference: string) => (await getOrder(database.db, reference))?.release.reason;

async function breaksOf(id: string): Promise<string[]> {
  const { items } = await listBreaks(database.db, { entityId: id });
  return items.map(({ kind, status }) => `${kind} ${status}`);
}

test('a payin that the service denies and a payment lists is a break, and is asked for until it is there', async () => {
  await save(database, [poll('payment_intent', paidIntent('a', 'pa'), 0)]);
  await save(database, [absence('payin', 'pa', 5)]);
  expect(await marksOf('pa')).toEqual(['listed_elsewhere']);
  expect(await breaksOf('pa')).toEqual(['record_not_at_service open']);
  expect(await releaseOf('order-a')).toBe('payin_not_verified');

  await save(database, [absence('payin', 'pa', 65)]);
  expect(await marksOf('pa')).toEqual(['listed_elsewhere']);
  expect(await breaksOf('pa')).toHaveLength(1);

  await save(database, [poll('payin', payin('pa', 'a'), 200)]);
  expect(await marksOf('pa')).toEqual(['recheck']);
  expect(await breaksOf('pa')).toEqual(['record_not_at_service auto_resolved']);
  expect(await releaseOf('order-a')).toBe('proven');
});

test('a payin that only a payment unknown to the service lists is not asked for for ever', async () => {
  await save(database, [report('payment_intent', 'b', paidIntent('b', 'pb'), 0)]);
  await save(database, [absence('payment_intent', 'b', 60), absence('payin', 'pb', 60)]);
  expect(await marksOf('pb')).toEqual([]);
});

test('a paid payment that the service shows under another reference is a break; one that nobody paid is none', async () => {
  const under = (id: string, fields: object, second: number) =>
    poll('payment_intent', { ...paidIntent(id, `p${id}`), ...fields }, second);
  await save(database, [
    under('m1', { merchantReference: 'M1' }, 0),
    under('m2', { status: 'pending', merchantReference: 'M2' }, 0),
  ]);
  await save(database, [
    under('m1', { merchantReference: 'N' }, 60),
    under('m2', { status: 'pending', merchantReference: 'N' }, 60),
  ]);
  expect(await breaksOf('m1')).toEqual(['payment_moved open']);
  expect(await breaksOf('m2')).toEqual([]);
  const { items } = await listBreaks(database.db, { entityId: 'm1' });
  const evidence = { ours: { merchantReference: 'M1' }, theirs: { merchantReference: 'N' } };
  expect(items.map((one) => one.evidence)).toMatchObject([evidence]);
});

test('payins of a payment that was under way at adoption are read, those of one that was over are not', async () => {
  const adoptedAt = new Date('2026-02-28T23:20:00Z');
  const listed = (id: string, createdAt: string) => [{ id, status: 'confirmed', createdAt }];
  const before = '2026-02-28T23:10:00Z';
  const after = '2026-02-28T23:30:00Z';
  const underway = [intent('c1'), paidIntent('c2', '', { payins: listed('pc2', after) })];
  const over = paidIntent('c3', '', { payins: listed('pc3', before) });
  await save(
    database,
    [...underway, over].map((fields) => poll('payment_intent', fields, 0)),
    { adoptedAt },
  );
  await save(database, [poll('payment_intent', paidIntent('c1', '', { payins: listed('pc1', before) }), 60)], {
    adoptedAt,
  });
  expect(await marksOf('pc1')).toEqual(['payin_of_intent']);
  expect(await marksOf('pc2')).toEqual(['payin_of_intent']);
  expect(await marksOf('pc3')).toEqual([]);
});

test('a screening that turns against a released order is a break at once, and the order is held', async () => {
  await save(database, [poll('payment_intent', paidIntent('t', 'pt'), 0), poll('payin', payin('pt', 't'), 1)]);
  expect(await releaseOf('order-t')).toBe('proven');
  await save(database, [poll('payin', payin('pt', 't', { kytStatus: 'High Risk' }), 20)]);
  expect(await releaseOf('order-t')).not.toBe('proven');
  expect(await breaksOf('pt')).toEqual(['kyt_hold open']);
  await save(database, [poll('payin', payin('pt', 't', { kytStatus: 'High Risk' }), 30)]);
  expect(await breaksOf('pt')).toHaveLength(1);
});

test('a rejected payin that belongs to no payment is a break; what a webhook alone says of it is none', async () => {
  const lone = payin('lone', '', { paymentIntentId: null, payinType: 'merchant_deposit', kytStatus: 'rejected' });
  await save(database, [report('payin', 'lone', lone, 0)]);
  expect(await breaksOf('lone')).toEqual([]);
  await save(database, [poll('payin', lone, 5)]);
  expect(await breaksOf('lone')).toEqual(['kyt_hold open']);
});

test('a payin that its event alone names, and that the service does not know, is settled without a break', async () => {
  await save(database, [report('payin', 'dep_1', { id: 'dep_1', accountId: 'wa_1' }, 0)]);
  await save(database, [absence('payin', 'dep_1', 60)]);
  expect(await marksOf('dep_1')).toEqual([]);
  expect(await breaksOf('dep_1')).toEqual([]);
});

test('what a webhook says of a payment makes its invented payin no listed one', async () => {
  await save(database, [poll('payment_intent', intent('v'), 0)]);
  const forged = intent('v', { status: 'confirming', payins: [{ id: 'pv', status: 'confirmed' }] });
  await save(database, [report('payment_intent', 'v', forged, 1)]);
  expect(await marksOf('pv')).toEqual([]);
  await save(database, [mention('payin', 'pv', 1)]);
  expect(await marksOf('pv')).toHaveLength(1);
  await save(database, [absence('payin', 'pv', 60)]);
  expect(await marksOf('pv')).toEqual([]);
  expect(await breaksOf('pv')).toEqual([]);
});

test('payins that an older program saved get the hash of their transaction, and are searched by it', async () => {
  const { db } = database;
  const nested = [{ txid: '0xnested' }];
  await save(database, [
    poll('payin', payin('old_1', 'none', { txid: '0xold' }), 0),
    poll('payin', payin('old_2', 'none', { statusHistory: nested }), 0),
    poll('payin', payin('old_3', 'none', { txid: null }), 0),
  ]);
  const hashes = () => db('payins').where('id', 'like', 'old_%').orderBy('id').pluck('txid');
  expect(await hashes()).toEqual(['0xold', null, null]);
  await db('payins').update({ txid: null });
  await fillColumns({ db });
  expect(await hashes()).toEqual(['0xold', '', null]);
  const { items } = await listRecords(db, 'payin', { filters: { txid: '0xold' } });
  expect(items.map(({ id }) => id)).toEqual(['old_1']);
});

test('payments that an older program saved get the asset that was chosen, and are listed by it', async () => {
  const { db } = database;
  const summary = { id: 'in_x', assetCode: 'BTC' };
  await save(database, [
    poll('payment_intent', intent('asset_1', { assetCode: 'BTC' }), 0),
    poll('payment_intent', intent('asset_2', { assetCode: null, payins: [summary] }), 0),
    poll('payment_intent', intent('asset_3', { assetCode: null }), 0),
  ]);
  const assets = () => db('payment_intents').where('id', 'like', 'asset_%').orderBy('id').pluck('asset_code');
  expect(await assets()).toEqual(['BTC', null, null]);
  await db('payment_intents').update({ asset_code: null });
  await fillColumns({ db });
  expect(await assets()).toEqual(['BTC', '', null]);
  const { items } = await listRecords(db, 'payment_intent', { filters: { assetCode: 'BTC' } });
  expect(items.map(({ id }) => id)).toEqual(['asset_1']);
});
