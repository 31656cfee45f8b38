import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages/pages.js';
import { breakKinds } from '../../../src/domain/breaks/breaks.js';
import { openBreaks } from '../../../src/records/breaks/breaks.js';
import { NARROW, WIDE } from '../../support/browser.js';
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
/** Whatever of the first row of the list comes first, or the list, where its rows have nothing to open. */
const isInRow = () =>
  page.evaluate<boolean>(`(() => {
    const at = document.activeElement;
    const isBare = at.id === 'list' && at.querySelector('tbody :is(a, input, summary)') === null;
    return at.closest('#list tbody tr:first-child') !== null || isBare;
  })()`);

/** Pages whose list has rows here. */
const withRows = new Set<string>();
/** What the Tab key comes to until it is there. */
async function stopsToRow(): Promise<string[]> {
  const stops: string[] = [];
  while (stops.length < 20 && !(await isInRow())) {
    await page.keyboard.press('Tab');
    stops.push(await focused());
  }
  return stops;
}
async function expectNearRow(): Promise<void> {
  const stops = await stopsToRow();
  expect(stops.length, stops.join(' | ')).toBeLessThan(10);
}

describe('by keyboard', () => {
  describe.each([
    ['wide', WIDE],
    ['on a phone', NARROW],
  ])('%s, with four problems,', (_width, viewport) => {
    it.each(paths)('the first row of %s is fewer than ten stops away, and can be skipped to', async (path) => {
      await visit(path, viewport);
      expect(await page.locator('.status-item').count()).toBe(4);
      if ((await page.locator('main .list').count()) > 0) expect(await page.locator('#list').count()).toBe(1);
      if ((await page.locator('#list tbody tr').count()) === 0) return;
      withRows.add(path);
      await expectNearRow();
      await visit(path, viewport);
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Skip to the list');
      await page.keyboard.press('Enter');
      expect((await stopsToRow()).length).toBeLessThan(3);
    });
  });

  it('all lists of the console were among them', () => {
    const lists = pages.filter((one) => one.list !== undefined).map(({ path }) => path);
    expect([...withRows].toSorted()).toEqual(['/', ...lists].toSorted());
  });

  it('with any number of causes fewer than ten stops stand before the first break, and what is done with each by one key more', async () => {
    const kinds = breakKinds.slice(0, 12);
    const twice = kinds.flatMap((kind) =>
      ['a', 'b'].map((id) => ({ kind, entity: { kind: 'payin' as const, id }, evidence: {} })),
    );
    await openBreaks(store.db, twice);
    await visit('/breaks?', NARROW);
    await expectNearRow();
    await visit('/breaks?', WIDE);
    await expectNearRow();
    const causes = page.getByRole('region', { name: /^Came together/ }).getByRole('grid');
    const buttons = causes.locator('summary');
    expect(await buttons.count()).toBeGreaterThanOrEqual(4 * kinds.length);
    const rows = causes.locator('tbody tr');
    await rows.first().getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await rows.nth(1).locator('.action-form').first().isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.activeElement.closest('.action-form') !== null`)).toBe(true);
  });

  it.each([WIDE, NARROW])(
    'where the delivery history is not read to the end, which has a link, too: %o',
    async (viewport) => {
      await store.db('runs').where({ kind: 'deliveries' }).update({ complete: false, status: 'failed' });
      await visit('/deliveries', viewport);
      expect(await page.locator('main .notice a').count()).toBe(1);
      await expectNearRow();
    },
  );

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
    await page.keyboard.press('ArrowRight');
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
