import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages.js';
import {
  accessibilityProblems,
  cutOff,
  NARROW,
  partsOf,
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
let site: Awaited<ReturnType<typeof serve>> & Pick<ReturnType<typeof testConsole>, 'commands'>;
let admin: Visitor;

beforeAll(async () => {
  [store, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  await seedConsole(store.db);
  const { app, commands } = testConsole(store.db);
  site = { ...(await serve(app)), commands };
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

  const looks = [
    { viewport: WIDE, colorScheme: 'light', seen: new Set<string>() },
    { viewport: NARROW, colorScheme: 'dark', seen: new Set<string>() },
  ] as const;

  it.each(pages.map(({ path }, place) => [path, place] as const))(
    '%s reads well for everybody, light and dark, wide and narrow',
    async (path, place) => {
      const { page, complaints } = admin;
      const answer = await page.goto(samplePaths[path] ?? path);
      expect(answer?.status()).toBe(200);
      const parts = isAll ? [] : await partsOf(page);
      for (const [turn, { viewport, colorScheme, seen }] of looks.entries()) {
        await page.setViewportSize(viewport);
        // Half of the time goes into this: pages take turns, and those of the parts of others are left to the longer run.
        const isTurn = place % looks.length === turn && parts.some((part) => !seen.has(part));
        if (isAll || isTurn) {
          await page.emulateMedia({ colorScheme });
          // What stands at the side of all pages is examined on the first two.
          expect(await accessibilityProblems(page, isAll || place < 2 ? {} : { but: '.side' })).toEqual([]);
          for (const part of parts) seen.add(part);
        }
        expect(await sidewaysScroll(page)).toBe(0);
        expect(await cutOff(page)).toEqual([]);
      }
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

describe('recovering', () => {
  it('a selection shows first what would be recovered, and does it once that is confirmed', async () => {
    const { page, complaints } = admin;
    await page.setViewportSize(WIDE);
    await page.goto('/deliveries');
    await page.getByLabel('Pick delivery wd_rejected').check();
    await page.getByLabel('Pick delivery wd_pending').check();
    expect(await page.getByLabel('Pick delivery wd_received').count()).toBe(0);
    await page.getByText('Recover the selected…').click();
    await page.getByLabel('Reason').first().fill('the secret was wrong');
    await page.getByRole('button', { name: 'Recover the selected' }).click();
    const told = await page.locator('main').innerText();
    expect(told).toContain('2 deliveries would be recovered');
    expect(told).toMatch(/wd_pending[^]*wd_rejected/);
    expect(site.commands.recover).not.toHaveBeenCalled();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(NARROW);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole('button', { name: 'Recover' }).click();
    expect(await page.locator('.flash').innerText()).toContain('Asked for 2 deliveries');
    const ids = ['wd_rejected', 'wd_pending'].sort();
    expect(site.commands.recover).toHaveBeenCalledExactlyOnceWith({ since: null, ids });
    const [kept] = await store.db('actions').orderBy('id', 'desc').limit(1);
    const reason = 'the secret was wrong';
    expect(kept).toMatchObject({ actor: 'ada', action: 'recover', outcome: 'asked', reason });
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
