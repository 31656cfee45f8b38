import * as fc from 'fast-check';
import request from 'supertest';
import { beforeAll, expect, test } from 'vitest';
import { receivedOf } from '../../src/domain/family/money.js';
import { compareAmounts, sumAmounts } from '../../src/domain/money.js';
import { bearer, testConsole } from '../support/console.js';
import { session } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { save } from '../support/saved.js';
import { useShell } from '../support/shell.js';

const store = useDatabase();
const run = useShell(store);
let app: ReturnType<typeof testConsole>['app'];

const payment = (id: string, reference: string, assetCode: string, totalAmountReceived: string) =>
  poll(
    'payment_intent',
    { id, merchantReference: reference, status: 'underpaid', assetCode, totalAmountReceived, payins: [] },
    1,
  );

beforeAll(async () => {
  ({ app } = testConsole(store.db));
  await save(store, [
    payment('pi_1', 'one', 'BTC', '0.5'),
    payment('pi_2', 'two', 'BTC', '0.5'),
    payment('pi_3', 'two', 'BTC', '1.25'),
    payment('pi_4', 'mixed', 'BTC', '1'),
    payment('pi_5', 'mixed', 'ETH', '1'),
    payment('pi_6', 'other', 'ETH', '2'),
    payment('pi_7', 'nothing', 'BTC', '0'),
  ]);
});

const asked: [query: string, references: string[]][] = [
  ['', ['mixed', 'nothing', 'one', 'other', 'two']],
  ['assetCode=BTC', ['one', 'two']],
  ['assetCode=ETH', ['other']],
  ['assetCode=BTC&receivedFrom=0.51', ['two']],
  ['assetCode=BTC&receivedFrom=1.75&receivedTo=1.75', ['two']],
  ['assetCode=BTC&receivedTo=0.50', ['one']],
];

test.each(asked)(
  'orders narrowed by “%s” are the same in the API, on the page, in its file and in a shell',
  async (query, references) => {
    const { body } = await request(app).get(`/api/v1/orders?${query}`).set(bearer('viewer')).expect(200);
    expect(body.items.map((item: { reference: string }) => item.reference).sort()).toEqual(references);
    const { get } = await session(app, 'viewer');
    const file = (await get(`/csv/orders?${query}`).expect(200)).text.trimEnd().split('\r\n').slice(1);
    expect(file.map((line) => line.split(',')[0] ?? '').toSorted((a, b) => (a < b ? -1 : 1))).toEqual(references);
    const page = (await get(`/orders?${query}`).expect(200)).text;
    for (const [, all] of asked.slice(0, 1))
      for (const one of all) expect(page.includes(`href="/orders/${one}"`), one).toBe(references.includes(one));
    const flags = [...new URLSearchParams(query)].flatMap(([name, value]) => [
      name === 'assetCode' ? '--asset' : `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      value,
    ]);
    const listed = (await run('orders', 'list', ...flags, '--json')).json as { items: { reference: string }[] };
    expect(listed.items.map(({ reference }) => reference).sort()).toEqual(references);
  },
);

test('what came in is said with its asset; of several assets, or of nothing, nothing is', async () => {
  const { body } = await request(app).get('/api/v1/orders').set(bearer('viewer')).expect(200);
  const received = Object.fromEntries(
    body.items.map((item: { reference: string; received: unknown }) => [item.reference, item.received]),
  );
  expect(received).toEqual({
    one: { amount: '0.5', currency: 'BTC' },
    two: { amount: '1.75', currency: 'BTC' },
    other: { amount: '2', currency: 'ETH' },
    mixed: null,
    nothing: null,
  });
  expect((await run('orders', 'list')).stdout).toMatch(/two .*1\.75 BTC/);
  const { get } = await session(app, 'viewer');
  expect((await get('/csv/orders?reference=two')).text).toContain('1.75 BTC');
});

test.each([
  ['receivedFrom=1', 'receivedFrom needs an asset beside it'],
  ['assetCode=BTC&receivedTo=much', 'receivedTo is "much"; it takes an amount such as 49.9'],
])('a range that compares nothing is refused everywhere: %s', async (query, told) => {
  const { body } = await request(app).get(`/api/v1/orders?${query}`).set(bearer('viewer')).expect(400);
  expect(body).toMatchObject({ detail: expect.stringContaining(told) as string });
  const { get } = await session(app, 'viewer');
  const page = (await get(`/orders?${query}`).expect(400)).text.replaceAll('&quot;', '"');
  expect(page).toContain(told.replace('receivedFrom', 'Received, from').replace('receivedTo', 'Received, up to'));
  const flag = query.includes('receivedTo') ? ['--asset', 'BTC', '--received-to', 'much'] : ['--received-from', '1'];
  const refused = await run('orders', 'list', ...flag);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(told)]);
});

test('law: what came in is the sum of one asset, in any order, and none of several', () => {
  const one = fc.record({
    absent: fc.boolean(),
    fields: fc.record({
      assetCode: fc.constantFrom('BTC', 'ETH'),
      totalAmountReceived: fc.constantFrom('0', '1.5', '2', 'x'),
    }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 5 }), (payments) => {
      const counted = payments.filter(
        ({ absent, fields }) => !absent && ['1.5', '2'].includes(fields.totalAmountReceived),
      );
      const assets = new Set(counted.map(({ fields }) => fields.assetCode));
      const received = receivedOf(payments);
      expect(receivedOf(payments.toReversed())).toEqual(received);
      if (assets.size !== 1) expect(received).toBeNull();
      else {
        const sum = sumAmounts(counted.map(({ fields }) => fields.totalAmountReceived));
        expect(compareAmounts(received?.amount ?? '-1', sum)).toBe(0);
        expect(received?.currency).toBe([...assets][0]);
      }
    }),
  );
});
