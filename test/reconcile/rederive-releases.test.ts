import { expect, test } from 'vitest';
import { defaultPayoutWords } from '../../src/domain/family/links.js';
import { defaultKytWords } from '../../src/domain/orders/kyt.js';
import { createLog } from '../../src/log.js';
import { crossCheck } from '../../src/reconcile/cross-check/cross-check.js';
import { checkOnce, rederiveReleases } from '../../src/reconcile/cross-check/cross-check-loop.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { changesOf } from '../../src/records/changes.js';
import { getOrder, registerOrder } from '../../src/records/orders/orders.js';
import { createTestDatabase, useDatabase } from '../support/database.js';
import { at, poll, readPaid } from '../support/observations.js';
import { paidIntent, payin, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';

const database = useDatabase();

const now = () => new Date(at(86_400));

test('other words for compliance results: every order that hangs on them is derived anew, once, and so are its holds', async () => {
  const ids = Array.from({ length: 450 }, (_, index) => `q${index}`);
  await save(
    database,
    ids.flatMap((id, index) => [
      poll('payment_intent', paidIntent(id, `p${id}`), 10),
      poll('payin', payin(`p${id}`, id, { kytStatus: index % 3 === 0 ? 'Green Light' : 'approved' }), 10),
    ]),
  );
  const deps = { db: database.db, log: createLog('silent'), now, adoptedAt: context.adoptedAt };
  await crossCheck(deps);
  const held = async () =>
    (await listBreaks(database.db, { status: 'open', kind: 'kyt_hold', take: 500 })).items.length;
  const unsafe = async () => Number((await database.db('orders').where('release_safe', false).count())[0]?.['count']);
  expect([await unsafe(), await held()]).toEqual([150, 150]);

  const words = { ...defaultKytWords, passed: [...defaultKytWords.passed, 'green_light'] };
  await rederiveReleases({ adoptedAt: new Date(0), db: database.db, now, kytWords: words });
  await crossCheck({ ...deps, kytWords: words });
  expect([await unsafe(), await held()]).toEqual([0, 0]);
  expect(await getOrder(database.db, 'order-q3')).toMatchObject({ release: { safe: true, reason: 'proven' } });
  const changes = await changesOf(database.db, { kind: 'order', id: 'order-q3' });
  expect(changes.at(-1)).toMatchObject({ field: 'release', source: { type: 'contract', ref: 'release' } });

  const before = await database.db('changes').count();
  await rederiveReleases({ adoptedAt: new Date(0), db: database.db, now, kytWords: words });
  expect(await database.db('changes').count()).toEqual(before);
});

test('the demand for a registration: what is paid and not registered is held, and released where the demand goes', async () => {
  const { db } = database;
  await save(database, [...readPaid('d1'), ...readPaid('d2')]);
  await db.transaction((trx) => registerOrder(trx, { reference: 'order-d2', amount: '25', currency: 'EUR' }));
  const reasons = async () => [
    (await getOrder(db, 'order-d1'))?.release.reason,
    (await getOrder(db, 'order-d2'))?.release.reason,
  ];
  await rederiveReleases({ adoptedAt: new Date(0), db, now, requiresRegistration: false });
  expect(await reasons()).toEqual(['proven', 'proven']);
  await rederiveReleases({ adoptedAt: new Date(0), db, now, requiresRegistration: true });
  expect(await reasons()).toEqual(['not_registered', 'proven']);
  const source = { type: 'setting', ref: 'RELEASE_REQUIRES_REGISTRATION' };
  const last = async () => (await changesOf(db, { kind: 'order', id: 'order-d1' })).at(-1);
  expect(await last()).toMatchObject({ field: 'release', to: { safe: false, reason: 'not_registered' }, source });
  const count = async () => db('changes').count();
  const before = await count();
  await rederiveReleases({ adoptedAt: new Date(0), db, now, requiresRegistration: true });
  expect(await count()).toEqual(before);
  await rederiveReleases({ adoptedAt: new Date(0), db, now });
  expect(await reasons()).toEqual(['proven', 'proven']);
  expect(await last()).toMatchObject({ to: { safe: true, reason: 'proven' }, source });
  const asking = { rules: { requiresRegistration: true } };
  await db.transaction((trx) => registerOrder(trx, { reference: 'order-d1', amount: '25', currency: 'EUR' }, asking));
  expect(await reasons()).toEqual(['proven', 'proven']);
});

test('other words for types of payouts: an order that a settlement seemed to give back is derived anew', async () => {
  const { db } = database;
  await save(database, [
    ...readPaid('s1'),
    poll('payout', payout('os1', { payoutType: 'fiat_leg', paymentIntentId: 's1', status: 'confirmed' }), 10),
  ]);
  const seen = async () => (await getOrder(db, 'order-s1'))?.status;
  expect(await seen()).toBe('refunded');
  const settlement = [...defaultPayoutWords.settlement, 'fiat_leg'];
  const payoutWords = { ...defaultPayoutWords, settlement };
  await rederiveReleases({ adoptedAt: new Date(0), db, now, payoutWords });
  expect(await seen()).toBe('paid');
  await rederiveReleases({ adoptedAt: new Date(0), db, now });
  expect(await seen()).toBe('refunded');
});

test('the account’s first result of a screening holds, at the next check, what was released without one', async () => {
  const own = await createTestDatabase();
  const paid = (id: string, kytStatus: string | null) => [
    poll('payment_intent', paidIntent(id, `p${id}`), 10),
    poll('payin', payin(`p${id}`, id, { kytStatus }), 10),
  ];
  const deps = { db: own.db, log: createLog('silent'), now, adoptedAt: context.adoptedAt };
  const reason = async () => (await getOrder(own.db, 'order-k1'))?.release.reason;
  await save(own, paid('k1', null));
  await checkOnce(deps);
  expect(await reason()).toBe('proven');
  await save(own, paid('k2', 'approved'));
  await checkOnce(deps);
  expect(await reason()).toBe('kyt_pending');
  await own.drop();
});
