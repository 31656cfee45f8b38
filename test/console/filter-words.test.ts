import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../src/console/pages/pages.js';
import { sheets } from '../../src/console/records/sheet.js';
import { testConsole } from '../support/console.js';
import { session } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(() => {
  app = testConsole(store.db).app;
});

const lists = pages.filter(({ list }) => list !== undefined);

/** What the form of a page offers, by field; a value that says nothing is none. */
function offeredOf(text: string): [name: string, values: string[]][] {
  const form = /<form class="filters"[^]*?<\/form>/.exec(text)?.[0] ?? '';
  return [...form.matchAll(/<select[^>]* name="(\w+)"[^]*?<\/select>/g)].map(([field, name = '']) => {
    const values = [...field.matchAll(/<option value="([^"]+)"/g)].map(([, value = '']) => value);
    return [name, values];
  });
}

/** The filters of a page that take certain words alone. */
function closedOf(path: string): string[] {
  const { filters = [] } = pages.find((page) => page.path === path) ?? {};
  return filters.filter(({ options }) => options !== undefined).map(({ name }) => name);
}

describe('a filter whose words are ours', () => {
  // States of the service's records are open words.
  const records = new Set<string>(sheets.map(({ path }) => path));
  const ours = lists.filter(({ path }) => !records.has(path)).map(({ path }) => path);

  it.each(ours)('of %s takes what its form offers, and no other word', async (path) => {
    const { get } = await session(app, 'admin');
    const offered = offeredOf((await get(path).expect(200)).text);
    expect(closedOf(path).toSorted()).toEqual(offered.map(([name]) => name).toSorted());
    for (const [name, values] of offered) {
      const wrong = await get(`${path}?${name}=banana`).expect(400);
      expect(wrong.text).toContain('Is &quot;banana&quot;; it takes ');
      expect(wrong.text).toContain('Nothing was looked for.');
      const file = await get(`/csv${path}?${name}=banana`).expect(400);
      expect(file.text).toContain(`${name} is &quot;banana&quot;; it takes `);
      for (const value of values) await get(`/csv${path}?${name}=${encodeURIComponent(value)}`).expect(200);
    }
  });

  it('is there on most pages', () => {
    expect(ours.filter((path) => closedOf(path).length > 0).length).toBeGreaterThan(8);
  });
});

it('days that end before they begin are refused, beside the last one', async () => {
  const { get } = await session(app, 'admin');
  for (const path of ['/orders', '/ledger', '/deliveries']) {
    const { text } = await get(`${path}?from=2026-12-01&to=2026-11-01`).expect(400);
    expect(text).toMatch(/-error">Is 2026-11-01, before the first/);
    await get(`/csv${path}?from=2026-12-01&to=2026-11-01`).expect(400);
    await get(`/csv${path}?from=2026-11-01&to=2026-11-01`).expect(200);
  }
});
