import request from 'supertest';
import { beforeAll, expect, test } from 'vitest';
import { bearer, testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const HASH = 'ab12'.repeat(16);
const MAIL = 'ada@example.test';
const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
beforeAll(async () => {
  app = testConsole(store.db).app;
  await save(store, [
    poll('payment_intent', paidIntent('pi_1', 'in_1'), 1),
    poll('payin', payin('in_1', 'pi_1', { txid: HASH, kytStatus: 'pending' }), 1),
  ]);
});

const PENDING = 'The screening of a payin is not finished. What changes it: the service ends it; wait.';
const search = (role: string, q: string) => request(app).get('/api/v1/search').query({ q }).set(bearer(role));

test('a hash leads to payin, order and why the goods are held', async () => {
  const { body, status } = await search('viewer', `https://explorer.example/tx/${HASH}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    items: [{ kind: 'payin', id: 'in_1', by: 'txid', exact: true, orders: ['order-pi_1'] }],
    orders: [{ reference: 'order-pi_1', says: PENDING }],
    more: false,
  });
  const page = await (await visit(app, 'viewer')).get(`/find?q=${HASH}`);
  expect(page.panel('Order order-pi_1')).toContain(PENDING);
  expect(page.link('in_1')).toBe('/deposits/in_1');
  expect((await (await visit(app, 'viewer')).get('/orders/order-pi_1')).notices).toContain(PENDING);
});

test('an order without deliveries says of which time that is', async () => {
  const shown = async () => (await (await visit(app, 'viewer')).get(`/find?q=${HASH}`)).panel('Order order-pi_1');
  expect((await search('viewer', HASH)).body).toMatchObject({ deliveriesReadAt: null, orders: [{ deliveries: [] }] });
  expect(await shown()).toContain('the history was not read yet');
  const started_at = '2026-03-01T10:00:00.000Z';
  await store.db('runs').insert({ kind: 'deliveries', full: false, status: 'succeeded', complete: true, started_at });
  expect((await search('viewer', HASH)).body.deliveriesReadAt).toBe(started_at);
  expect(await shown()).toMatch(/none; history read[^]*2026-03-01T10:00/);
});

test('an e-mail is found by roles that may see it', async () => {
  for (const role of ['operator', 'finance', 'admin']) {
    expect((await search(role, MAIL.toUpperCase())).body.items).toMatchObject([{ kind: 'payment_intent', id: 'pi_1' }]);
  }
  expect((await search('viewer', MAIL)).body.items).toEqual([]);
  const page = await (await visit(app, 'viewer')).get(`/find?q=${encodeURIComponent(MAIL)}`);
  expect(page.text).toContain('Your role finds nothing by what says who somebody is.');
});

test('without a text nothing is searched', async () => {
  expect((await search('viewer', ' ')).body).toMatchObject({ status: 400, code: 'bad_request' });
  expect((await request(app).get('/api/v1/search').set(bearer('viewer'))).status).toBe(400);
  expect((await request(app).get('/api/v1/search?q=pi_1')).status).toBe(401);
  expect((await (await visit(app, 'viewer')).get('/find')).text).toContain('A reference, any id');
});
