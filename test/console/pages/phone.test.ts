import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { pages } from '../../../src/console/pages/pages.js';
import { DOCTOR, keepResult } from '../../../src/records/actions/list-actions.js';
import { openBreaks } from '../../../src/records/breaks/breaks.js';
import { saveObservations } from '../../../src/records/saving/save-observations.js';
import { NARROW, sidewaysScroll, WIDE } from '../../support/browser.js';
import { seedDecision } from '../../support/console-desk.js';
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
/** Those that hold rows here. */
const lists = new Set<string>();
describe('on a phone', () => {
  it.each(paths)('%s gives a finger 44 px, keeps the state in sight, and folds its filters', async (path) => {
    await visit(path, NARROW);
    // Links within text are as high as its lines; the button that copies has its height around it.
    const small = await page.evaluate(`[...document.querySelectorAll(
      'button:not(.copy), .pick, summary.button, .menu > summary, .status-item, .nav a, .pager a, .clear, .crumbs a, select, input:not(.switch, [type=checkbox], [type=hidden])')]
      .filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44)
      .map((one) => one.outerHTML.slice(0, 120))`);
    expect(small).toEqual([]);
    await page.evaluate('window.scrollTo(0, 400)');
    expect((await page.locator('.status').boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(-400);
    const { top } = await page.evaluate<{ top: number }>(
      `document.querySelector('.status').getBoundingClientRect().toJSON()`,
    );
    const scrolled = await page.evaluate<number>('window.scrollY');
    if (scrolled > 150) expect(top).toBe(0);
    const fold = page.locator('label[for="fold"]');
    if ((await fold.count()) === 0) return;
    expect(await page.locator('.filters .field').first().isVisible()).toBe(false);
    await fold.click();
    expect(await page.locator('.filters .field').first().isVisible()).toBe(true);
    expect(await sidewaysScroll(page)).toBe(0);
  });

  it.each(paths)('%s shows a hundred rows of its list on three screens, and all of each when asked', async (path) => {
    await visit(path, NARROW);
    if ((await page.locator('main .list tbody tr').count()) === 0) return;
    lists.add(path);
    // Where somebody is, nothing is renewed.
    await page.locator('main .list').focus();
    await page.evaluate(`(() => {
      const body = document.querySelector('main .list tbody');
      const rows = [...body.children];
      while (body.children.length < 100) body.append(rows[body.children.length % rows.length].cloneNode(true));
    })()`);
    const height = (await page.locator('main .list').boundingBox())?.height ?? Infinity;
    expect(height).toBeLessThanOrEqual(3 * NARROW.height);
    expect(await page.locator('main .list tbody tr:visible').count()).toBe(12);
    const last = page.locator('main .list tbody tr').last();
    const hidden = () =>
      page.evaluate(`[...document.querySelectorAll('main .list tbody tr:first-child td:not(.bare)')]
        .filter((cell) => !cell.offsetParent).length`);
    expect(await last.isVisible()).toBe(false);
    await page.locator('label[for="whole"]').click();
    expect(await last.isVisible()).toBe(true);
    expect(await hidden()).toBe(0);
    expect(await sidewaysScroll(page)).toBe(0);
  });

  it('all lists of the console were among them', () => {
    expect(lists.size).toBeGreaterThan(15);
  });

  it('the status line says the worst in two lines at most, and how much more there is, within the window', async () => {
    await visit('/orders', NARROW);
    const items = page.locator('.status-item');
    const more = page.locator('.status-more');
    const behind = (await items.count()) - 2 + Number.parseInt((await items.last().textContent()) ?? '', 10);
    expect(await items.evaluateAll((all) => all.map((one) => one.checkVisibility()))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(await more.innerText()).toMatch(new RegExp(`^\\+${behind}\\b`));
    const textOf = page.locator('.status-text').first();
    await textOf.evaluate((text) => text.append(' and so on'.repeat(30)));
    const { height = Infinity } = (await items.first().boundingBox()) ?? {};
    const { x = Infinity, width = 0 } = (await more.boundingBox()) ?? {};
    expect([height < 60, x + width <= NARROW.width, await sidewaysScroll(page)]).toEqual([true, true, 0]);
    await more.click();
    await page.waitForURL(/\/$/);
    await visit('/orders', WIDE);
    expect([await items.last().isVisible(), await more.isVisible()]).toEqual([true, false]);
  });

  it('opens a row’s page by a touch anywhere on it', async () => {
    await visit('/orders', NARROW);
    const card = page.locator('#list tbody tr', { hasText: 'order-2' }).first();
    const { width = 0, height = 0 } = (await card.boundingBox()) ?? {};
    await card.click({ position: { x: width - 60, y: height - 6 } });
    await page.waitForURL('**/orders/order-2');
  });
});

/** Pages that are longer, and why nothing of them may be folded. */
const longer: Readonly<Record<string, { screens: number; why: string }>> = {};

describe('what is to be done, on a phone', () => {
  const rows = () => page.locator('.folded tbody tr');
  const heights = () => rows().evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));

  it('is a card of three lines for each problem, with its title and its button; a touch shows the rest', async () => {
    await visit('/', NARROW);
    const first = rows().first();
    const all = await heights();
    expect(all.length).toBeGreaterThan(3);
    expect(Math.max(...all.slice(1))).toBeLessThan(NARROW.height / 5);
    expect(all[0]).toBeLessThan(NARROW.height / 4);
    const remedies = page.locator('.folded:has(td.wide) td[data-label="What to do first"]');
    expect(await remedies.evaluateAll((cells) => cells.filter((cell) => cell.checkVisibility()).length)).toBe(1);
    const remedy = rows().nth(1).locator('td[data-label="What to do first"]');
    expect([await remedies.first().isVisible(), await remedy.isVisible()]).toEqual([true, false]);
    expect(await first.locator('td.wide a').first().isVisible()).toBe(true);
    await rows().nth(1).locator('label', { hasText: 'Details' }).click();
    expect(await remedy.isVisible()).toBe(true);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.setViewportSize(WIDE);
    expect([await remedy.isVisible(), await first.locator('td.fold').isVisible()]).toEqual([true, false]);
  });

  it('is of the doctor’s checks what needs work and what is advised; a touch shows the rest', async () => {
    const line = (status: string, remedy: string | null) => (_: unknown, n: number) => {
      return { name: `${status} ${n}`, status, remedy, found: 'a sentence '.repeat(12) };
    };
    const items = [
      ...Array.from({ length: 2 }, line('finding', 'fix it')),
      line('unknown', 'ask again')(null, 0),
      line('ok', 'set it as well')(null, 0),
      ...Array.from({ length: 20 }, line('unknown', null)),
      ...Array.from({ length: 50 }, line('ok', null)),
    ];
    await keepResult(store.db, DOCTOR, { at: new Date(), actor: 'omar', result: { items } });
    await visit('/doctor', NARROW);
    const seen = () => page.locator('main tbody tr:visible').count();
    expect(await seen()).toBe(4);
    expect(await page.evaluate<number>('document.body.scrollHeight')).toBeLessThan(3 * NARROW.height);
    await page.getByText('Show 70 that ask nothing of you').click();
    expect(await seen()).toBe(items.length);
    expect(await sidewaysScroll(page)).toBe(0);
    await visit('/doctor', WIDE);
    expect(await seen()).toBe(items.length);
  });

  it.each(paths)('%s takes three screens at most, and shows all that is folded when asked', async (path) => {
    await visit(path, NARROW);
    const screens = (await page.evaluate<number>('document.body.scrollHeight')) / NARROW.height;
    expect(screens).toBeLessThanOrEqual(longer[path]?.screens ?? 3);
    if (path in longer) expect(screens, `${path}: its reason is gone`).toBeGreaterThan(3);
    const seen = () => page.locator('.calm:visible').count();
    for (const ask of await page.locator('label[for^="calm-"]').all()) {
      const before = await seen();
      await ask.click();
      expect(await seen()).toBeGreaterThan(before);
    }
    expect([await seen(), await sidewaysScroll(page)]).toEqual([await page.locator('.calm').count(), 0]);
  });

  it.each([
    ['/alerts', 'What fires now'],
    ['/decisions', 'Waiting'],
  ])('is on %s twelve cards, however many there are; a touch shows all', async (path, caption) => {
    const { id: _, ...alert } = await store.db('alerts').whereNull('resolved_at').first();
    for (let n = 0; n < 48; n += 1) {
      if (path !== '/alerts') await seedDecision(store.db, 100 + n);
      else {
        const [of] = await store.db('alerts').insert({ ...alert, fired_at: new Date(), subject: `part ${n}` }, 'id');
        const message = JSON.stringify({ type: 'alert.firing', alertId: of.id, summary: 'It fires' });
        const sent = { channel: 'webhook', status: 'sent', sent_at: new Date() };
        await store.db('alert_notices').insert({ ...sent, key: `firing ${of.id}`, message });
      }
    }
    const table = page.getByRole('region', { name: caption });
    // What the page knows of the whole is some seconds old.
    await vi.waitFor(async () => {
      await visit(path, NARROW);
      expect(await table.locator('tbody tr:visible').count()).toBe(12);
    }, 20_000);
    const badges = await table.locator('.badge:visible').evaluateAll((all) => all.map((one) => one.clientHeight));
    expect(Math.max(...badges, 0), 'a badge is one line').toBeLessThan(30);
    // The page is live: while it is drawn anew there is no table for a moment.
    const height = async () => (await table.boundingBox())?.height ?? Infinity;
    await expect.poll(height).toBeLessThanOrEqual(3 * NARROW.height);
    await table.getByText(/^Show \d+ more$/).click();
    await expect.poll(() => table.locator('tbody tr:visible').count()).toBeGreaterThan(48);
    expect(await sidewaysScroll(page)).toBe(0);
    await store.db('alerts').where('subject', 'like', 'part %').delete();
  });

  it('is of an order that much happened to the newest, and three screens with a break', async () => {
    const id = 'pi_2';
    for (const n of Array.from({ length: 12 }, (_, place) => place)) {
      const source = { type: 'webhook', ref: '2' } as const;
      const at = Date.now() - 50_000 + n * 1_000;
      const fields = {
        totalAmountReceived: `1${n}.5`,
        customerEmail: `ann${n}@example.com`,
        metadata: { step: String(n) },
      };
      await store.db.transaction((trx) =>
        saveObservations(trx, [{ type: 'statement', kind: 'payment_intent', id, from: at, to: at, source, fields }], {
          now: new Date(),
          adoptedAt: new Date('2026-01-01'),
        }),
      );
    }
    await openBreaks(store.db, [
      { kind: 'duplicate_payment', entity: { kind: 'order', id: 'order-2' }, evidence: {} },
      { kind: 'kyt_hold', entity: { kind: 'order', id: 'order-2' }, evidence: {} },
    ]);
    await visit('/orders/order-2', NARROW);
    const steps = page.locator('.step');
    expect(await steps.count()).toBeGreaterThan(12);
    expect(await page.locator('.step:visible').count()).toBe(2);
    expect(await steps.last().isVisible()).toBe(true);
    expect(await page.evaluate<number>('document.body.scrollHeight')).toBeLessThanOrEqual(3 * NARROW.height);
    await page.locator('label[for="calm-steps"]').click();
    expect(await page.locator('.step:visible').count()).toBe(await steps.count());
    await visit('/orders/order-2', WIDE);
    expect(await page.locator('.step:visible').count()).toBe(await steps.count());
  });

  it('counts breaks by severity and age in rows, as wide as the screen', async () => {
    await visit('/breaks', NARROW);
    await page.getByText('Show counts by severity and age').click();
    const { width = 0, height = 0 } = (await page.locator('.matrix table').boundingBox()) ?? {};
    expect(width).toBeGreaterThan(NARROW.width - 40);
    expect(height / (await page.locator('.matrix tr').count())).toBeLessThan(60);
    expect(await sidewaysScroll(page)).toBe(0);
  });
});
