import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { NARROW, sidewaysScroll } from '../../support/browser.js';
import { seedConsole } from '../../support/console-samples.js';
import { useDatabase } from '../../support/database.js';
import { useSignedIn } from '../../support/signed-in.js';

/*
 * What somebody on call does on a phone, with one thumb: each task is played, its touches are counted, and so are the pixels
 * that are scrolled for them.
 */
const store = useDatabase();
const operator = useSignedIn({ store, role: 'operator', viewport: NARROW, seed });
let page: Page;

async function seed(): Promise<void> {
  await seedConsole(store.db);
  // However long the tests take, it is not over.
  await store
    .db('alerts')
    .whereNull('resolved_at')
    .update({ seen_at: new Date(Date.now() + 3_600_000) });
}

beforeAll(() => {
  ({ page } = operator);
});

/** Where a thumb is that holds the phone: not the upper quarter. */
const REACH = NARROW.height / 4;

/** Of one task. `far`: touches above the reach of the thumb. */
async function played(task: (touch: (what: Locator) => Promise<void>) => Promise<void>) {
  const done = { touches: 0, scrolled: 0, far: 0, smallest: Number.POSITIVE_INFINITY };
  const scrollY = () => page.evaluate<number>('window.scrollY');
  await task(async (what) => {
    const before = await scrollY();
    // The page is live: it may be drawn anew just then.
    await vi.waitFor(() => what.scrollIntoViewIfNeeded(), { timeout: 10_000 });
    const { y, height } = await vi.waitUntil(async () => what.boundingBox());
    done.touches += 1;
    done.scrolled += Math.abs((await scrollY()) - before);
    done.far += y + height / 2 < REACH ? 1 : 0;
    done.smallest = Math.min(done.smallest, Math.round(height));
    await what.click();
  });
  expect(await sidewaysScroll(page)).toBe(0);
  return done;
}

it.each([
  ['/deliveries?from=2026-10-31', 'Recover a time range'],
  ['/breaks/1', 'Acknowledge'],
])('what is done with %s lies in the lower third of the screen, wherever it is scrolled to', async (path, label) => {
  await page.goto(path);
  for (const y of [0, 10_000]) {
    await page.evaluate(`window.scrollTo(0, ${y})`);
    const box = await page.locator('.head-line > .actions summary', { hasText: label }).boundingBox();
    expect(box?.y ?? 0).toBeGreaterThan((NARROW.height * 2) / 3);
    expect(box?.height).toBeGreaterThanOrEqual(44);
  }
  const found = await played(async (touch) => {
    await touch(page.locator('.head-line > .actions summary', { hasText: label }));
    const form = page.locator('.head-line .action[open] .action-form');
    const { y = 0, height = 0 } = (await form.boundingBox()) ?? {};
    expect([y > 0, y + height <= NARROW.height]).toEqual([true, true]);
    if ((await form.getByLabel('Sent from').count()) > 0) await form.getByLabel('Sent from').fill('2026-01-01');
    await form.getByLabel('Reason').fill('known');
    await touch(form.getByRole('button'));
  });
  expect(found).toMatchObject({ far: 0, scrolled: 0 });
});

it('an order is found by two touches and what is typed', async () => {
  await page.goto('/');
  const found = await played(async (touch) => {
    await touch(page.getByPlaceholder('Find…'));
    await page.keyboard.type('order-2');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/find**');
    await touch(page.locator('a[href="/orders/order-2"]').first());
    await page.waitForURL('**/orders/order-2');
  });
  expect(found).toMatchObject({ touches: 2, scrolled: 0 });
});

/** A reason is typed; Alerts leads there too, and both need no menu. */
it.each([
  ['/', 3],
  ['/alerts', 2],
])('an alert is acknowledged from %s by %i touches', async (path, touches) => {
  await store.db('alerts').update({ acknowledged_by: null, acknowledged_at: null });
  await page.goto(path);
  const found = await played(async (touch) => {
    const card = page.locator('.folded tbody tr', { hasText: 'A part of Tallyhook is not at work' });
    if (path === '/') {
      expect(await card.innerText()).toContain('nobody is at it');
      await touch(card.getByRole('link', { name: /^alert \d+/ }));
      await page.waitForURL('**/alerts/*');
    }
    const action = page.locator('details.action', { hasText: 'I am at it' });
    await touch(action.locator('summary'));
    await action.getByLabel('Reason').fill('looking');
    await touch(action.getByRole('button', { name: 'I am at it' }));
    await page.locator('.flash').waitFor();
  });
  expect(found).toMatchObject({ touches, far: 0 });
  expect(found.smallest).toBeGreaterThanOrEqual(44);
  expect(await store.db('alerts').whereNotNull('acknowledged_by').pluck('acknowledged_by')).toEqual(['omar']);
});
