import request from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  ({ app } = testConsole(store.db));
  await save(store, [
    poll('payment_intent', paidIntent('pi', 'p'), 10),
    poll('payin', payin('p', 'pi'), 10),
    poll('payout', payout('po', { status: 'confirmed', amount: '5', merchantReference: 'order-pi' }), 20),
    poll('payout', payout('btc', { assetCode: 'BTC' }), 20),
  ]);
});

const assign = (id: string, body: object, role = 'operator') =>
  request(app).post(`/api/v1/payouts/${id}/assign`).set(bearer(role)).send(body);

it('an operator says whose refund a payout is, with a note; it is kept with their name, what was refused too', async () => {
  expect((await assign('po', { paymentIntentId: null, note: 'x' }, 'viewer')).status).toBe(403);
  for (const body of [{ paymentIntentId: 'pi' }, { note: 'x' }, { paymentIntentId: '', note: 'x' }])
    expect((await assign('po', body)).status).toBe(400);
  const missing = await assign('po', { paymentIntentId: 'pi_?', note: 'x' });
  expect([missing.status, missing.body.detail]).toEqual([404, expect.stringContaining('pi_?')]);
  const other = await assign('btc', { paymentIntentId: 'pi', note: 'x' });
  expect([other.status, other.body.detail]).toEqual([409, 'btc sends BTC, and pi received USDT.TRON.']);
  expect((await assign('po_0', { paymentIntentId: null, note: 'x' })).status).toBe(404);

  const release = async () =>
    (await request(app).get('/api/v1/orders/order-pi').set(bearer('viewer'))).body.release as { reason: string };
  expect((await release()).reason).toBe('refund_unlinked');
  const done = await assign('po', { paymentIntentId: null, note: 'a gift' });
  expect([done.status, done.body]).toEqual([
    200,
    { payoutId: 'po', paymentIntentId: null, before: null, orders: ['order-pi'] },
  ]);
  expect((await release()).reason).toBe('proven');
  const { body } = await request(app).get('/api/v1/actions?action=assign%20refund').set(bearer('admin'));
  expect(body.items.map((one: { outcome: string; reason: string }) => [one.outcome, one.reason])).toEqual([
    ['done', 'a gift'],
    ['refused', 'x'],
    ['refused', 'x'],
    ['refused', 'x'],
  ]);
});
