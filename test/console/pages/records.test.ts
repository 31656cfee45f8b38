import type { Browser } from 'playwright-core';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages.js';
import { listAttributions } from '../../../src/records/balances/balance-attributions.js';
import { accessibilityProblems, signIn, startBrowser, type Visitor, visitor } from '../../support/browser.js';
import { consoleTokens, serve, testConsole } from '../../support/console.js';
import { recordPaths } from '../../support/console-records.js';
import { seedConsole } from '../../support/console-samples.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let store: TestDatabase;
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
const visitors = new Map<string, Visitor>();

beforeAll(async () => {
  [store, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  await seedConsole(store.db);
  site = await serve(testConsole(store.db).app);
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await store.drop();
});

async function as(role: string): Promise<Visitor> {
  const known = visitors.get(role);
  if (known) return known;
  const visiting = await visitor(browser, { baseURL: site.url });
  await signIn(visiting.page, consoleTokens.find((entry) => entry.role === role)?.token ?? '');
  visitors.set(role, visiting);
  return visiting;
}

async function textOf(role: string, path: string): Promise<string> {
  const { page } = await as(role);
  await page.goto(path);
  return page.locator('main').innerText();
}

describe('the page of a record', () => {
  it('tells a payment whole: amounts with their units, dispute, order, deposits with their screening, breaks', async () => {
    const told = await textOf('operator', '/payments/pi_full');
    for (const part of [
      'dispute: pending decision',
      'verified',
      '19.9 EUR',
      '21.285 USDT.TRON',
      'order-full',
      'ann@example.com',
      'in_1',
      'approved',
      'not read yet',
      'inv_1',
      'run 1',
    ]) {
      expect(told).toContain(part);
    }
    const { page } = await as('operator');
    await page.getByRole('link', { name: 'in_1' }).click();
    expect(await page.locator('main').innerText()).toContain('Risk score');
    await page.getByRole('link', { name: 'order-full' }).first().click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('order-full');
  });

  it('says what a webhook alone reports, and links it: no order, no state of its own', async () => {
    const told = await textOf('operator', '/payments/pi_claimed');
    for (const part of ['Reported, not verified yet', 'reported: completed', 'Only reported', 'Order\nunlinked']) {
      expect(told).toContain(part);
    }
    const { page } = await as('operator');
    expect(await page.locator('main').getByRole('link', { name: 'event 1' }).first().getAttribute('href')).toBe(
      '/events/1',
    );
    expect(await page.locator('main .badge').allInnerTexts()).not.toContain('completed');
  });

  it('tells a newer report apart from what the service showed: without its colours, and no address to be copied', async () => {
    const told = await textOf('operator', '/payments/pi_told');
    expect(told).toContain('A webhook says otherwise than the service’s list');
    const { page } = await as('operator');
    const badges = await page.locator('main h1 ~ .badge, main .badge').allInnerTexts();
    expect(badges).toEqual(expect.arrayContaining(['pending', 'verified', 'newer report']));
    expect(badges).not.toContain('completed');
    const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Only reported' }) });
    const reported = await panel.innerText();
    for (const part of ['Status\ncompleted', 'TForgedForged', 'Metadata', 'Never pay to an address that stands here']) {
      expect(reported).toContain(part);
    }
    expect(reported).not.toContain('Requested');
    expect(await panel.locator('.id, button').count()).toBe(0);
    expect(told.replace(reported, '')).not.toContain('TForgedForged');
    expect(told).toContain('reported.status completed');
  });

  it('shows a payout that nothing links as unlinked, and makes no address of what is none', async () => {
    const told = await textOf('operator', recordPaths['/payouts/:id'] ?? '');
    expect(told).toContain('unlinked');
    expect(told).toContain('Not linked: nothing the service shows says which payment it belongs to');
    const { page } = await as('operator');
    expect(await page.locator('main a[href^="javascript"], main img').count()).toBe(0);
  });

  it('masks for viewers whoever paid or holds an account', async () => {
    for (const path of ['/payments/pi_full', '/invoices/inv_1', '/accounts', '/accounts/acc_1']) {
      const told = await textOf('viewer', path);
      expect(told).not.toMatch(/ann@example\.com|Ann Example/);
      expect(told).toContain('[masked]');
    }
  });

  it('is found by its id, narrowed by the filters of the read API, and by no other', async () => {
    expect(await textOf('viewer', '/payments?id=pi_2')).toContain('order-2');
    expect(await textOf('viewer', '/payments?irregularStatus=pending_decision')).not.toContain('pi_2');
    expect(await textOf('viewer', '/transactions?accountId=nobody')).toContain('No transaction fits');
    const { page } = await as('viewer');
    expect((await page.goto('/accounts?label=Ann'))?.status()).toBe(400);
  });
});

describe('every kind of record', () => {
  it('has a list that leads to its page', () => {
    const own = pages.map(({ path }) => path).filter((path) => path in recordPaths);
    expect(own.toSorted()).toEqual(Object.keys(recordPaths).toSorted());
  });
});

describe('the open part of a balance', () => {
  it('is attributed by finance, in parts, after it is told what that leaves; by nobody else', async () => {
    for (const role of ['viewer', 'operator']) {
      expect(await textOf(role, '/balances/USDT.TRON')).toContain('-44 USDT.TRON are unexplained');
      expect(await (await as(role)).page.getByText('Attribute…').count()).toBe(0);
    }
    const { page, complaints } = await as('finance');
    const fill = async (amount: string) => {
      await page.goto('/balances/USDT.TRON');
      await page.getByText('Attribute…').click();
      await page.getByLabel('Amount').fill(amount);
      await page.getByLabel('Reason').fill('the settlement of 3 November');
      await page.getByRole('button', { name: 'Attribute' }).click();
    };
    await fill('-45');
    expect(await page.locator('main').innerText()).toContain('This will be refused');
    await fill('-40.50');
    expect(await page.locator('main').innerText()).toContain('After it -3.5 USDT.TRON are unexplained');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await listAttributions(store.db, 'USDT.TRON')).toEqual([]);
    expect(await store.db('actions').where({ action: 'attribute balance' })).toEqual([]);
    await page.getByRole('button', { name: 'Attribute' }).click();
    expect(await page.locator('.flash').innerText()).toContain('-40.5 USDT.TRON were attributed');
    expect(new URL(page.url()).pathname).toBe('/balances/USDT.TRON');
    expect(await page.locator('main').innerText()).toContain('the settlement of 3 November');
    expect(await listAttributions(store.db, 'USDT.TRON')).toMatchObject([{ amount: '-40.5', actor: 'fina' }]);
    const kept = await store.db('actions').where({ action: 'attribute balance' });
    expect(kept).toMatchObject([{ actor: 'fina', outcome: 'done', reason: 'the settlement of 3 November' }]);
    expect(complaints.splice(0)).toEqual([]);
  }, 120_000);
});

describe('the read API', () => {
  it('and the pages know the same filters', async () => {
    const answer = await request(site.url)
      .get('/api/v1/payment-intents?irregularStatus=pending_decision')
      .set('Authorization', 'Bearer viewer-token-1');
    expect(answer.body.items).toHaveLength(1);
  });
});
