import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages.js';
import {
  accessibilityProblems,
  cutOff,
  NARROW,
  sidewaysScroll,
  signIn,
  startBrowser,
  type Visitor,
  visitor,
  WIDE,
} from '../../support/browser.js';
import { consoleTokens, serve, testConsole } from '../../support/console.js';
import { HOSTILE, samplePaths, seedConsole } from '../../support/console-samples.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { isAll } from '../../support/drill.js';

let store: TestDatabase;
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let admin: Visitor;

beforeAll(async () => {
  [store, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  await seedConsole(store.db);
  site = await serve(testConsole(store.db).app);
  admin = await visitor(browser, { baseURL: site.url });
  await signIn(admin.page, consoleTokens[3]?.token ?? '');
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await store.drop();
});

describe('every page', () => {
  it('is looked at', () => {
    expect(pages.map(({ path }) => path).filter((path) => samplePaths[path] === undefined)).toEqual([]);
  });

  it.each(pages.map(({ path }, place) => [path, place] as const))(
    '%s reads well for everybody, light and dark, wide and narrow',
    async (path, place) => {
      // Half of the time goes into this: the pages, of the same parts and colours, take turns.
      const isExamined = (turn: number) => isAll || place % 2 === turn;
      // What stands at the side of all pages is examined on the first two.
      const but = isAll || place < 2 ? {} : { but: '.side' };
      const { page, complaints } = admin;
      await page.setViewportSize(WIDE);
      await page.emulateMedia({ colorScheme: 'light' });
      const answer = await page.goto(samplePaths[path] ?? path);
      expect(answer?.status()).toBe(200);
      if (isExamined(0)) expect(await accessibilityProblems(page, but)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await cutOff(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize(NARROW);
      if (isExamined(1)) expect(await accessibilityProblems(page, but)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await cutOff(page)).toEqual([]);
      expect(complaints.splice(0)).toEqual([]);
    },
  );
});

describe('what belongs together', () => {
  it('leads to each other: an event to its order, the order to its one line on the page Match', async () => {
    const { page, complaints } = admin;
    await page.goto('/events/2');
    await page.locator('main').getByRole('link', { name: 'order-2' }).click();
    await page.getByRole('link', { name: 'on the page Match' }).click();
    const rows = page.getByRole('region', { name: 'Orders, invoices and payments' }).locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('order-2')]);
    expect(complaints.splice(0)).toEqual([]);
  });
});

describe('what others wrote', () => {
  it('is shown as text: nothing of it becomes part of a page', async () => {
    const { page, complaints } = admin;
    for (const path of [
      '/orders',
      samplePaths['/orders/:reference'] ?? '',
      '/events',
      '/events/3',
      '/breaks?status=any',
      '/rejections',
      '/audit',
    ]) {
      await page.goto(path);
      expect(await page.locator('main').innerText()).toContain(HOSTILE);
      expect(await page.locator('main img, main script, main b').count()).toBe(0);
      expect(await page.title()).not.toBe('owned');
    }
    expect(complaints.splice(0)).toEqual([]);
  });
});

describe('signing in', () => {
  it('leads to the address that was wished for, says a wrong token in words, and ends by signing out', async () => {
    const { page, context, complaints } = await visitor(browser, {
      baseURL: site.url,
      viewport: NARROW,
      colorScheme: 'dark',
    });
    await page.goto('/orders?status=paid');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(complaints).toEqual([]);
    await page.getByLabel('Your token').fill('not-a-token-of-ours');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('not one of the tokens');
    await page.getByLabel('Your token').fill('viewer-token-1');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/orders?status=paid');
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto('/orders');
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await context.close();
  });
});

describe('an action', () => {
  it('asks for the reason, is kept with it, and tells what happened', async () => {
    const { page, complaints } = admin;
    await page.setViewportSize(WIDE);
    await page.goto('/events/1');
    await page.getByText('Replay…').click();
    await page.getByLabel('Reason').fill('the worker was down');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Replay' }).click();
    expect(await page.locator('.flash').innerText()).toContain('queued');
    expect(new URL(page.url()).pathname).toBe('/events/1');
    const [kept] = await store.db('actions').orderBy('id', 'desc').limit(1);
    expect(kept).toMatchObject({
      actor: 'ada',
      action: 'replay',
      target: 'event 1',
      reason: 'the worker was down',
      outcome: 'asked',
    });
    await page.reload();
    expect(await page.locator('.flash').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });
});

describe('the overview', () => {
  it('renews itself while it is open', async () => {
    const { page, complaints } = admin;
    await page.goto('/');
    await store.db('inbox').where({ id: 3 }).update({ status: 'applied' });
    await page.getByText('1 event given up').waitFor({ state: 'detached', timeout: 20_000 });
    await store.db('inbox').where({ id: 3 }).update({ status: 'dead' });
    await page.getByText('1 event given up').waitFor({ timeout: 20_000 });
    expect(complaints.splice(0)).toEqual([]);
  });
});
