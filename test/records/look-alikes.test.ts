import { expect, test } from 'vitest';
import { fillColumns } from '../../src/reconcile/cross-check/cross-check-loop.js';
import { lookAlikes } from '../../src/records/family/references.js';
import { getOrder, registerOrder } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { plansOf, queriesOf } from '../support/query-plans.js';
import { intent } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

const similarTo = async (reference: string) => (await getOrder(database.db, reference))?.similarReferences;
const register = (reference: string) =>
  database.db.transaction((trx) => registerOrder(trx, { reference, amount: '1', currency: 'EUR' }));

const others = ['K-1 ', 'K-1\u200b', 'K-1\0', '\u041a-1', 'K\u20111', 'k-1', 'K-\ud8001'];

test('each names the others, whether a payment or the store brought it', async () => {
  await save(
    database,
    others.map((merchantReference, n) => poll('payment_intent', intent(`k${n}`, { merchantReference }), 0)),
  );
  await register('K-1');
  await register('K-2');
  expect(new Set(await similarTo('K-1'))).toEqual(new Set(others));
  for (const other of others) {
    const alike = await similarTo(other);
    expect(alike).toContain('K-1');
    expect(alike).not.toContain(other);
    expect(alike).toHaveLength(others.length);
  }
  expect(await similarTo('K-2')).toEqual([]);
});

test('what is too long for an index is compared as well, and of more than a hundred a hundred are named', async () => {
  const long = '\ufdfa'.repeat(300);
  await register(long);
  await register(`${long} `);
  expect(await similarTo(long)).toEqual([`${long} `]);
  for (let n = 1; n <= 110; n += 1) await register(`many${'\u200b'.repeat(n)}`);
  expect(await similarTo('many\u200b')).toHaveLength(100);
});

test('what an older program made has its skeleton made in slices, and what then looks like another is checked', async () => {
  const { db } = database;
  await register('X-9');
  await db.raw(
    `INSERT INTO orders (reference, status, release_safe, release_reason)
     SELECT 'old-' || n, 'paid', false, 'x' FROM generate_series(1, 2500) AS n UNION ALL SELECT 'x-9 ', 'paid', false, 'x'`,
  );
  expect(await similarTo('X-9')).toEqual([]);
  expect(await similarTo('x-9 ')).toEqual(['X-9']);
  const holding = await db.transaction();
  await holding('orders').where({ reference: 'old-7' }).forUpdate();
  await fillColumns({ db });
  expect(await db('orders').whereNull('reference_skeleton').pluck('reference')).toEqual(['old-7']);
  await holding.rollback();
  await fillColumns({ db });
  expect(await db('orders').whereNull('reference_skeleton').pluck('reference')).toEqual([]);
  expect(await similarTo('X-9')).toEqual(['x-9 ']);
  const planned = await db('check_agenda').where({ entity_kind: 'order' }).pluck('entity_id');
  expect(planned).toContain('x-9 ');
  expect(planned).not.toContain('old-1');
});

test('they are found by the index', async () => {
  await database.db.raw('ANALYZE orders');
  const { sent } = await queriesOf(database.db, () => lookAlikes(database.db, ['old-1', 'old-2']));
  expect(await plansOf(database.url, sent)).toContain('orders_by_skeleton');
});
