import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openSandbox } from '../sandbox/support.js';
import { useFreshDatabase } from '../support/database.js';
import { atService, fewAssets } from './service-at.js';

const database = useFreshDatabase();

test('counts of a product that are not those of our payments are a break after an hour, until they agree', async () => {
  const sandbox = await openSandbox({ seed: 3 });
  const at = fewAssets(atService(database, sandbox.url));
  const product = (await sandbox.call('POST', '/sandbox/products', { name: 'Tea', amount: '5', currency: 'USD' })).body;
  const pay = { amount: '5', currency: 'USD', requestedCurrencyType: 'fiat', productId: product.id };
  await sandbox.call('POST', '/sandbox/payment-intents', pay);
  await at.run('payment-intents');
  const { client } = at.deps;
  let more = 0;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const answer = await client.reply(operation, request);
      if (operation !== 'getProduct') return answer;
      const stats = parse(`{"totalIntents": ${1 + more}, "completedIntents": 0, "totalRevenue": "0"}`);
      return { ...answer, data: { ...(answer.data as object), stats } as Json };
    },
  };
  const open = async () => (await listBreaks(database.db, { kind: 'product_count', status: 'open' })).items;

  expect((await at.run('catalog')).proof).toMatchObject({ products: { read: 1, agree: 1, findings: [] } });
  // A payment that was not read yet is no difference.
  await sandbox.call('POST', '/sandbox/payment-intents', pay);
  more = 1;
  expect((await at.run('catalog')).proof).toMatchObject({ products: { findings: [] } });
  more = 2;
  expect((await at.run('catalog')).proof).toMatchObject({ products: { findings: [{ id: product.id }] } });
  expect(await open()).toEqual([]);
  // Another difference is not as old as the one before it.
  more = 3;
  sandbox.control.advance(3_700);
  await at.run('payment-intents');
  expect(await at.run('catalog')).toMatchObject({ status: 'succeeded', breaksOpened: 0 });
  expect(await open()).toEqual([]);
  sandbox.control.advance(3_700);
  await at.run('payment-intents');
  expect(await at.run('catalog')).toMatchObject({ status: 'succeeded', breaksOpened: 1 });
  expect(await open()).toMatchObject([
    { severity: 'medium', evidence: { ours: { totalIntents: '2' }, theirs: { totalIntents: '4' } } },
  ]);
  more = 1;
  await at.run('catalog');
  expect(await open()).toEqual([]);
});
