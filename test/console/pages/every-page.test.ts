import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages/pages.js';
import {
  accessibilityProblems,
  cutOff,
  NARROW,
  partsOf,
  sidewaysScroll,
  signIn,
  useBrowser,
  type Visitor,
  WIDE,
} from '../../support/browser.js';
import { serve, testConsole, tokenOf } from '../../support/console.js';
import { HOSTILE, samplePaths, seedConsole } from '../../support/console-samples.js';
import { useDatabase } from '../../support/database.js';
import { isAll } from '../../support/drill.js';

const store = useDatabase();
const visitor = useBrowser();
let site: Awaited<ReturnType<typeof serve>> & Pick<ReturnType<typeof testConsole>, 'commands'>;
let admin: Visitor;

beforeAll(async () => {
  await seedConsole(store.db);
  const { app, commands } = testConsole(store.db);
  site = { ...(await serve(app)), commands };
  admin = await visitor({ baseURL: site.url });
  await signIn(admin.page, tokenOf('admin'));
});
afterAll(() => site.close());

const SCREENS = [
  { viewport: WIDE, colorScheme: 'light' },
  { viewport: NARROW, colorScheme: 'dark' },
] as const;

/** Always the one that adds the most to those before it. */
function fewThatHoldAll(made: ReadonlyMap<string, readonly string[]>): string[] {
  const missing = new Set([...made.values()].flat());
  const few: string[] = [];
  while (missing.size > 0) {
    const adds = (path: string) => new Set(made.get(path)?.filter((part) => missing.has(part))).size;
    const [most = ''] = [...made.keys()].toSorted((one, other) => adds(other) - adds(one));
    for (const part of made.get(most) ?? []) missing.delete(part);
    few.push(most);
  }
  return few;
}

describe('every page', () => {
  it('is visited', () => {
    const unvisited = pages.map(({ path }) => path).filter((path) => samplePaths[path] === undefined);
    expect(unvisited, 'pages without an address in samplePaths of test/support/console-samples.ts').toEqual([]);
  });

  /** What each page is made of. */
  const made = new Map<string, string[]>();

  it.each(pages.map(({ path }) => path))('%s reads well, wide and narrow', async (path) => {
    const { page, complaints } = admin;
    const answer = await page.goto(samplePaths[path] ?? path);
    expect(answer?.status()).toBe(200);
    made.set(path, await partsOf(page));
    for (const { viewport, colorScheme } of SCREENS) {
      await page.setViewportSize(viewport);
      if (isAll) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityProblems(page)).toEqual([]);
      }
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await cutOff(page)).toEqual([]);
    }
    expect(complaints.splice(0)).toEqual([]);
  });

  it('does for everybody, light and dark: few that hold whatever pages are made of', async () => {
    const { page, complaints } = admin;
    const few = fewThatHoldAll(made);
    expect(few.length).toBeGreaterThan(SCREENS.length);
    for (const [place, path] of few.entries()) {
      const { viewport, colorScheme } = SCREENS[place % SCREENS.length] ?? SCREENS[0];
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(samplePaths[path] ?? path);
      // What stands at the side of all pages is examined on the first two.
      const problems = await accessibilityProblems(page, place < SCREENS.length ? {} : { but: '.side' });
      expect([path, problems]).toEqual([path, []]);
    }
    expect(complaints.splice(0)).toEqual([]);
  });
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
    // On a phone a card folds what is least of it.
    await page.setViewportSize(WIDE);
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
    const { page, context, complaints } = await visitor({
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
  it('asks for the reason, is kept with it, and shows what happened', async () => {
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
    const shown = await page.locator('main').innerText();
    expect(shown).toContain('2 deliveries would be recovered');
    expect(shown).toMatch(/wd_pending[^]*wd_rejected/);
    expect(site.commands.recover).not.toHaveBeenCalled();
    expect(await accessibilityProblems(page)).toEqual([]);
    // What is confirmed is not hidden by what confirms it.
    const form = await page.locator('#form-confirm').boundingBox();
    const shownAt = await page.locator('main .section').first().boundingBox();
    expect((form?.y ?? 0) + (form?.height ?? 0)).toBeLessThanOrEqual(shownAt?.y ?? 0);
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
    await page.locator('main').getByRole('link', { name: 'Events were given up' }).waitFor();
    await store.db('inbox').where({ id: 3 }).update({ status: 'applied' });
    const given = page.locator('main').getByRole('link', { name: 'Events were given up' });
    await given.waitFor({ state: 'detached', timeout: 20_000 });
    await store.db('inbox').where({ id: 3 }).update({ status: 'dead' });
    await given.waitFor({ timeout: 20_000 });
    expect(complaints.splice(0)).toEqual([]);
  });
});
