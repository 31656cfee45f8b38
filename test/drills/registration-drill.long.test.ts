import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesOf } from '../../src/records/changes.js';
import { getOrder, registerOrder } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { DRILL_MS, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';

const database = useDatabase();
let installation: Installation;

beforeAll(async () => {
  const env = { RELEASE_REQUIRES_REGISTRATION: 'true', RECONCILE_PAYMENT_INTENTS_CRON: '*/2 * * * * *' };
  installation = await createInstallation({ databaseUrl: database.url, env });
}, DRILL_MS);
afterAll(async () => {
  await installation.close();
});

test('with the demand for a registration, what is paid is not safe for a moment before the store registers it', {
  timeout: DRILL_MS,
}, async () => {
  const { control } = installation.sandbox;
  await installation.start('serve', 'work', 'schedule');
  const id = control.createPayment({ amount: '11', currency: 'USDT.TRC20', merchantReference: 'K-1\u200b' });
  control.pay(id, { assetCode: 'USDT.TRC20' });
  const { db } = database;
  const order = () => getOrder(db, 'K-1\u200b');
  await until('the order is paid, and held', async () => {
    const release = (await order())?.release;
    return release?.reason === 'not_registered' || JSON.stringify(release);
  });
  const asking = { rules: { requiresRegistration: true } };
  const register = (reference: string) =>
    db.transaction((trx) => registerOrder(trx, { reference, amount: '11', currency: 'USDT.TRC20' }, asking));
  await register('K-1');
  await until('the look-alike that is not paid makes it a break', async () => {
    const kinds: string[] = await db('breaks').where({ status: 'open' }).pluck('kind');
    return kinds.includes('similar_reference_paid') || kinds.join(' ');
  });
  await register('K-1\u200b');
  expect(await order()).toMatchObject({ release: { safe: true, reason: 'proven' }, similarReferences: ['K-1'] });
  const history = await changesOf(db, { kind: 'order', id: 'K-1\u200b' });
  const releases = history.filter(({ field }) => field === 'release').map(({ to, source }) => [to, source.type]);
  expect(releases.filter(([to]) => JSON.stringify(to).includes('"safe":true'))).toEqual([
    [{ safe: true, reason: 'proven' }, 'store'],
  ]);
});
