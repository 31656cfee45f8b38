import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { navigationOf } from '../../../src/console/http/navigation.js';
import { pages } from '../../../src/console/pages/pages.js';
import { notOverdue } from '../../../src/domain/alerts/facts.js';
import { stateOf } from '../../../src/domain/state/state.js';
import { loadState } from '../../../src/records/alerts/load-state.js';
import { noFigures } from '../../domain/calm-facts.js';
import { facts, NOW } from '../../domain/random-facts.js';
import { accessibilityProblems, NARROW, signIn, useBrowser, type Visitor } from '../../support/browser.js';
import { serve, testConsole, tokenOf } from '../../support/console.js';
import { samplePaths, seedConsole } from '../../support/console-samples.js';
import { useDatabase } from '../../support/database.js';
import { until } from '../../support/drill.js';

const store = useDatabase();
const visitor = useBrowser();
let site: Awaited<ReturnType<typeof serve>>;
let admin: Visitor;

beforeAll(async () => {
  await seedConsole(store.db);
  site = await serve(testConsole(store.db, { fourEyes: true }).app);
  admin = await visitor({ baseURL: site.url });
  await signIn(admin.page, tokenOf('admin'));
});
afterAll(async () => {
  expect(admin.complaints).toEqual([]);
  await site.close();
});

const admins = { name: 'ada', role: 'admin' } as const;
const inMenu = pages.filter(({ group }) => group !== undefined).map(({ path }) => path);

describe('the counts in the menu', () => {
  it('are those of the state, say nothing where there is none, and nothing where it is not known', () => {
    fc.assert(
      fc.property(facts, (known) => {
        const state = { facts: known, alerts: [], state: stateOf(known, [], NOW), figures: noFigures };
        const links = navigationOf(pages, { actor: admins, path: '/', known: state }).flatMap(({ links }) => links);
        const shown = Object.fromEntries(
          links.flatMap(({ href, waiting }) => (waiting === undefined ? [] : [[href, waiting.n]])),
        );
        const sum = (some: readonly { count: number }[]) => some.reduce((all, { count }) => all + count, 0) || null;
        expect(shown).toEqual({
          '/alerts': null,
          '/breaks': sum(known.breaks),
          '/decisions': known.decisions.waiting || null,
          '/deliveries': (known.missed ?? 0) + notOverdue(known).reduce((all, { count }) => all + count, 0) || null,
          '/rejections': sum(known.rejected),
        });
        const unknown = navigationOf(pages, { actor: admins, path: '/', known: null }).flatMap(({ links }) => links);
        expect(unknown.flatMap(({ waiting }) => waiting?.n ?? [])).toEqual([]);
      }),
    );
  });

  it('are what the lists hold, and what the state says', async () => {
    const { db } = store;
    const { alerts } = await loadState(db, { now: new Date(), runEverySeconds: {} });
    const rows = async (table: string, where: string) =>
      Number((await db(table).whereRaw(where).count())[0]?.['count']);
    const firing = await rows('alerts', 'fired_at IS NOT NULL AND resolved_at IS NULL');
    const open = await rows('breaks', `status IN ('open', 'acknowledged')`);
    expect([firing, open].every((n) => n > 0)).toBe(true);
    expect(alerts.filter(({ fired_at }) => fired_at !== null)).toHaveLength(firing);
    const { page } = admin;
    await page.goto('/');
    const textOf = async (name: string) =>
      (await page.locator('.menu-wide .nav a', { hasText: name }).innerText()).replaceAll(/\s+/g, ' ').trim();
    expect(await textOf('Alerts')).toBe(`Alerts ${firing} firing`);
    expect(await textOf('Breaks')).toBe(`Breaks ${open} not closed`);
    const absent = await rows('deliveries', 'missed OR (open AND inbox_id IS NULL)');
    expect(await textOf('Missed')).toBe(absent > 0 ? `Missed deliveries ${absent} not here` : 'Missed deliveries');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('follow on a page that renews itself', async () => {
    const { page } = admin;
    await page.goto('/doctor');
    const count = page.locator('.menu-wide [data-renew="waiting-/breaks"]');
    const before = Number.parseInt(await count.innerText(), 10);
    const { id } = await store.db('breaks').where({ status: 'open' }).first();
    await store.db('breaks').where({ id }).update({ status: 'resolved', resolved_at: new Date() });
    await until('the count follows', async () => Number.parseInt(await count.innerText(), 10) === before - 1);
    await store.db('breaks').where({ id }).update({ status: 'open', resolved_at: null });
  });
});

describe('where one is', () => {
  const isSeen = (within: string) =>
    admin.page.evaluate<boolean>(`(() => {
      const { top, bottom } = document.querySelector('${within} [aria-current]').getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`);

  it.each(inMenu)('%s stands in sight in the menu, in a low window and on a phone', async (path) => {
    const { page } = admin;
    await page.setViewportSize({ width: 1280, height: 420 });
    await page.goto(samplePaths[path] ?? path);
    expect(await isSeen('.menu-wide')).toBe(true);
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.setViewportSize(NARROW);
    await page.locator('.menu > summary').click();
    await until('it is in sight', () => isSeen('.menu'));
  });
});

it.each(pages.flatMap(({ path }) => (path.includes('/:') ? [path] : [])))(
  '%s has the way back to its list',
  async (path) => {
    const list = pages.find((one) => path.startsWith(`${one.path}/:`));
    await admin.page.goto(samplePaths[path] ?? path);
    const [first] = await admin.page.locator('.crumbs a').evaluateAll((links) => links.map((one) => one.outerHTML));
    expect(first).toBe(`<a href="${list?.path}">${list?.title}</a>`);
  },
);
