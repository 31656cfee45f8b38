import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServiceWriteLog } from '../../../src/records/service-writes.js';
import { prepareKeyed } from '../../../src/service-api/keyed-request.js';
import { at, claim, paidIntent, payin, payout, reading, save } from '../../records/observed.js';
import { signIn, startBrowser, type Visitor, visitor } from '../../support/browser.js';
import { serve, testConsole } from '../../support/console.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let store: TestDatabase;
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let page: Visitor['page'];

beforeAll(async () => {
  [store, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  for (const pi of ['linked', 'unlinked', 'told', 'called'])
    await save(store, [
      reading('payment_intent', paidIntent(pi, `in_${pi}`), 10),
      reading('payin', payin(`in_${pi}`, pi), 10),
    ]);
  const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: 'called' } });
  const log = createServiceWriteLog(store.db);
  await log.begin(write, { leaseMs: 60_000, withinMs: 480_000 });
  await log.end(write, 'lost', null);
  await store.db('service_writes').update({ begun_at: new Date(at(0)) });
  await save(store, [
    reading('payout', payout('po_linked', { status: 'confirmed', paymentIntentId: 'linked' }), 20),
    reading('payout', payout('po_unlinked', { merchantReference: 'order-unlinked' }), 20),
    reading('payout', payout('po_called', { merchantReference: 'order-called' }), 20),
    claim('payout', 'po_told', { status: 'confirmed', paymentIntentId: 'told' }, 20),
    reading('payout', payout('po_own', { payoutType: 'withdrawal' }), 20),
  ]);
  site = await serve(testConsole(store.db).app);
  ({ page } = await visitor(browser, { baseURL: site.url }));
  await signIn(page, 'operator-token');
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await store.drop();
});

it.each([
  ['po_linked', 'order-linked', 'refunded', null],
  ['po_unlinked', 'order-unlinked', 'nothing says of which payment', 'tallyhook refunds assign po_unlinked'],
  [
    'po_called',
    'order-called',
    'own call refund-called may have made it',
    'calls settle refund-called --note WHY --as done:po_called',
  ],
  ['po_told', 'order-told', 'Only webhooks say whose refund it is', 'say whose refund it is, above'],
])('the page of %s names its order %s, why it is held, and what ends that', async (own, order, why, remedy) => {
  await page.goto(`/payouts/${own}`);
  const main = page.locator('main');
  const told = await main.innerText();
  expect(told.replaceAll(/\s+/g, ' ').toLowerCase()).toContain(why.toLowerCase());
  if (remedy !== null) expect(told).toContain(remedy);
  const table = page.getByRole('table', { name: 'Orders that it concerns' });
  await table.getByRole('link', { name: order }).click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(order);
  const notices = (await page.locator('.notice').allInnerTexts()).join('\n');
  if (remedy !== null && own !== 'po_told') expect(notices).toContain(remedy);
});

it('a withdrawal concerns no order', async () => {
  await page.goto('/payouts/po_own');
  const told = await page.locator('main').innerText();
  expect(told).not.toContain('Orders that it concerns');
  expect(told).not.toContain('Whose refund');
  expect(told).toContain('unlinked');
});
