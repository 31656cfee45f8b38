import request from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { registerOrder } from '../../../src/records/orders/orders.js';
import { testConsole } from '../../support/console.js';
import { useDatabase } from '../../support/database.js';

const HERE = { Host: 'console.example', Origin: 'https://console.example', 'Sec-Fetch-Site': 'same-origin' };

const store = useDatabase();
beforeAll(async () => {
  for (const reference of ['K-1', 'K-1\u200b', '\u041a-1', 'other'])
    await store.db.transaction((trx) => registerOrder(trx, { reference, amount: '1', currency: 'EUR' }));
});

it('the page of an order names the characters in which references that look the same differ', async () => {
  const { app } = testConsole(store.db);
  const signedIn = await request(app).post('/sign-in').set(HERE).type('form').send({ token: 'viewer-token-1' });
  const cookie = String(signedIn.get('set-cookie')).split(';')[0] ?? '';
  const page = async (reference: string) =>
    (
      await request(app)
        .get(`/orders/${encodeURIComponent(reference)}`)
        .set('Cookie', cookie)
        .expect(200)
    ).text;
  const shown = await page('K-1');
  for (const part of [
    'Not to be mistaken for',
    'U+200B (zero width space)',
    '“К” U+041A (Cyrillic)',
    '/orders/K-1%E2%80%8B',
  ])
    expect(shown).toContain(part);
  expect(await page('other')).not.toContain('Not to be mistaken for');
});
