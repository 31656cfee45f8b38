import { beforeAll, expect, it } from 'vitest';
import { registerOrder } from '../../../src/records/orders/orders.js';
import { testConsole } from '../../support/console.js';
import { session } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';

const store = useDatabase();
beforeAll(async () => {
  for (const reference of ['K-1', 'K-1\u200b', '\u041a-1', 'other'])
    await store.db.transaction((trx) => registerOrder(trx, { reference, amount: '1', currency: 'EUR' }));
});

it('the page of an order names the characters in which references that look the same differ', async () => {
  const viewer = await session(testConsole(store.db).app, 'viewer');
  const page = async (reference: string) =>
    (await viewer.get(`/orders/${encodeURIComponent(reference)}`).expect(200)).text;
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
