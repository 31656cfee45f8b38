import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  ({ app } = testConsole(store.db));
});

const operator = bearer('operator');

describe('an order’s expectation', () => {
  it('register once what the store expects; another amount is a conflict', async () => {
    const put = (body: object) => request(app).put('/api/v1/orders/shop%2F42').set(operator).send(body);
    expect((await put({ amount: '12.50', currency: 'EUR' })).status).toBe(201);
    const again = await put({ amount: '12.5', currency: 'EUR' });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({
      reference: 'shop/42',
      status: 'awaiting_payment',
      expected: { amount: '12.5', currency: 'EUR' },
      release: { safe: false },
    });
    const other = await put({ amount: '13', currency: 'EUR' });
    expect(other.status).toBe(409);
    expect(other.body.existing).toEqual({ amount: '12.5', currency: 'EUR' });
  });

  it('refuse an amount that is none, naming the field', async () => {
    for (const amount of [12.5, '1e3', '-1', '', '1,5', '1.1234567890123456789', '0', '0.00', '000']) {
      const answer = await request(app).put('/api/v1/orders/o').set(operator).send({ amount, currency: 'EUR' });
      expect(answer.status).toBe(400);
      expect(answer.body.detail).toContain('amount');
    }
    await request(app).get('/api/v1/orders/o').set(operator).expect(404);
  });

  it('refuse a currency that is no code, naming the field, and the code that it may mean', async () => {
    const put = (currency: unknown) =>
      request(app).put('/api/v1/orders/c').set(operator).send({ amount: '0.000000000000000001', currency });
    const wrong = [undefined, null, 978, '', '  ', ' EUR', 'E U', 'E\0R', 'EUR\n', '\ud800', '€', 'É', 'A'.repeat(33)];
    for (const currency of wrong) {
      const { status, body } = await put(currency);
      expect([status, body.title], String(currency)).toEqual([400, 'Bad request']);
      expect(body.detail).toContain('currency: ');
    }
    for (const [currency, meant] of Object.entries({ eur: 'EUR', 'Usdt.Trc20': 'USDT.TRC20' })) {
      const { status, body } = await put(currency);
      expect([status, body.detail], currency).toEqual([400, expect.stringContaining(`write ${meant}`)]);
    }
    await request(app).get('/api/v1/orders/c').set(operator).expect(404);
    for (const currency of ['EUR', 'BTC', 'USDT.TRC20', 'A_1-B.2', 'A'.repeat(32)]) {
      const { body } = await request(app)
        .put(`/api/v1/orders/of-${currency}`)
        .set(operator)
        .send({ amount: '0.5', currency })
        .expect(201);
      expect(body.expected).toEqual({ amount: '0.5', currency });
    }
  });
});
