import request from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { judgedBalance } from '../support/classified-balance.js';
import { bearer, testConsole } from '../support/console.js';
import { seedBooks } from '../support/console-books.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  const now = new Date(Date.now() - 60_000);
  await judgedBalance(store.db, { assetCode: 'USDT.TRON', opening: '100', balance: '100', now });
  await seedBooks(store.db);
  ({ app } = testConsole(store.db));
}, 60_000);

const get = (path: string) => request(app).get(`/api/v1/${path}`).set(bearer('viewer'));
const names = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

it('lists matches by state, age, asset and reason, paged like the other lists', async () => {
  const first = await get('match?state=open&take=2');
  expect(names(first)).toEqual(['pi_loose', 'order-pi_waiting']);
  const next = await get(`match?state=open&take=2&cursor=${first.body.nextCursor}`);
  expect([names(next), next.body.nextCursor]).toEqual([['order-pi_forgotten'], null]);
  expect(names(await get('match?assetCode=EUR&age=31-60'))).toEqual(['order-pi_waiting']);
  const [matched] = (await get('match?state=matched')).body.items;
  expect(matched).toMatchObject({
    kind: 'order',
    id: 'order-booked',
    reasons: [{ code: 'agreed', told: 'asked, paid and booked agree' }],
    amounts: [{ code: 'USDT.TRON', asked: '21', paid: '21', returned: '0', booked: '21', unpriced: 1 }],
    age: '0-30',
  });
});

it('refuses what is no state, age, reason or cursor of it', async () => {
  for (const query of ['state=lost', 'age=7', 'reason=magic', 'cursor=%21', 'colour=red']) {
    const { status, body } = await get(`match?${query}`);
    expect([query, status, body.parameter]).toEqual([query, 400, query.split('=')[0]]);
  }
});

it('adds them up by age and asset', async () => {
  const { status, body } = await get('match/summary');
  expect(status).toBe(200);
  expect(body.counts).toContainEqual({ state: 'unmatched', age: '90+', matches: 1 });
  expect(body.amounts).toContainEqual(
    expect.objectContaining({ code: 'EUR', state: 'unmatched', age: '31-60', asked: '19.9', paid: '0' }),
  );
  expect(body).toMatchObject({ unproven: [], behindSince: null });
});
