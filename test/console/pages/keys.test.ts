import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages/pages.js';
import { breakKinds } from '../../../src/domain/breaks/breaks.js';
import { openBreaks } from '../../../src/records/breaks/breaks.js';
import { WIDE } from '../../support/browser.js';
import { samplePaths, seedConsole } from '../../support/console-samples.js';
import { useDatabase } from '../../support/database.js';
import { useSignedIn } from '../../support/signed-in.js';

const store = useDatabase();
const admin = useSignedIn({ store, role: 'admin', seed: () => seedConsole(store.db) });
let page: Page;

beforeAll(() => {
  ({ page } = admin);
});

const paths = pages.map(({ path }) => path);
const visit = async (path: string, viewport: typeof WIDE) => {
  await page.setViewportSize(viewport);
  await page.goto(samplePaths[path] ?? path);
};
const focused = () =>
  page.evaluate<string>(`(() => { const at = document.activeElement; return at.id || at.textContent.trim(); })()`);
/** In a row that is no count, or on the list, where its rows have nothing to open. */
const isInRow = () =>
  page.evaluate<boolean>(`(() => {
    const at = document.activeElement;
    const isGrid = at.closest('[role=grid]') !== null;
    const isBare = at.id === 'list' && at.querySelector('tbody :is(a, input, summary)') === null;
    return !isGrid && (at.closest('main tbody tr') !== null || isBare);
  })()`);

describe('by keyboard', () => {
  it.each(paths)(
    'with four problems the first row of %s is fewer than ten stops away, and can be skipped to',
    async (path) => {
      await visit(path, WIDE);
      expect(await page.locator('.status-item').count()).toBe(4);
      const list = page.locator('#list');
      if ((await list.count()) === 0) return;
      let stops = 0;
      for (; stops < 20 && !(await isInRow()); stops += 1) await page.keyboard.press('Tab');
      expect(stops).toBeLessThan(10);
      await visit(path, WIDE);
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Skip to the list');
      await page.keyboard.press('Enter');
      for (stops = 2; stops < 5 && !(await isInRow()); stops += 1) await page.keyboard.press('Tab');
      expect(stops).toBeLessThan(5);
    },
  );

  it('with any number of causes fewer than ten stops stand before the first break, and what is done with each by one key more', async () => {
    const kinds = breakKinds.slice(0, 12);
    const twice = kinds.flatMap((kind) =>
      ['a', 'b'].map((id) => ({ kind, entity: { kind: 'payin' as const, id }, evidence: {} })),
    );
    await openBreaks(store.db, twice);
    await visit('/breaks?', WIDE);
    const causes = page.getByRole('region', { name: /^Came together/ }).getByRole('grid');
    const buttons = causes.locator('summary');
    expect(await buttons.count()).toBeGreaterThanOrEqual(4 * kinds.length);
    const before: string[] = [];
    for (await page.keyboard.press('Tab'); !(await isInRow()); await page.keyboard.press('Tab'))
      before.push(await focused());
    expect(before.length, before.join(' | ')).toBeLessThan(10);
    const rows = causes.locator('tbody tr');
    await rows.first().getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await rows.nth(1).locator('.action-form').first().isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.activeElement.closest('.action-form') !== null`)).toBe(true);
  });

  it('a group is one stop: arrows go from one to the next in it, and Tab leaves it', async () => {
    await visit('/breaks', WIDE);
    const items = page.locator('.status-item');
    await items.first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe((await items.nth(1).innerText()).trim());
    await page.keyboard.press('End');
    expect(await focused()).toBe((await items.last().innerText()).trim());
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('.status')`)).toBe(null);
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe((await items.last().innerText()).trim());
    await page.locator('#fold').focus();
    await page.keyboard.press('End');
    expect(await focused()).toBe('CSV');
  });

  it('the pages are beside the content, and after it for the Tab key', async () => {
    await visit('/orders', WIDE);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the pages');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Overview');
    const [nav, main] = await Promise.all(['.menu-wide', 'main'].map((one) => page.locator(one).boundingBox()));
    expect((nav?.x ?? 0) + (nav?.width ?? 0)).toBeLessThanOrEqual(main?.x ?? 0);
  });

  it('/ and Ctrl-K lead to the search; j and k from row to row; Enter opens it', async () => {
    await visit('/orders', WIDE);
    for (const key of ['/', 'Control+k']) {
      await page.locator('main').focus();
      await page.keyboard.press(key);
      expect(await focused()).toBe('find');
      expect(await page.locator('#find').inputValue()).toBe('');
    }
    // Who types means letters.
    await page.keyboard.type('j?k/');
    expect(await page.locator('#find').inputValue()).toBe('j?k/');
    expect(await page.locator('#keys').isVisible()).toBe(false);
    await page.locator('main').focus();
    const rows = await page.locator('#list tbody tr td:first-child a').allTextContents();
    const walk: [string, number][] = [
      ['k', 0],
      ['j', 1],
      ['j', 2],
      ['k', 1],
    ];
    for (const [key, at] of walk) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(rows[at]);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/orders\/./);
  });

  it('? says the keys, and Esc closes it', async () => {
    await visit('/', WIDE);
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Keys: ?' }).last().click();
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(false);
  });
});
