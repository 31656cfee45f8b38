import { expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { textField } from '../../src/domain/records.js';
import { scanDeliveries } from '../../src/reconcile/deliveries/read-deliveries.js';

const AT = Date.UTC(2026, 9, 1);
const MINUTE = 60_000;

/** A delivery so many minutes old. */
const row = (age: number): JsonObject => ({ id: `d${age}`, createdAt: new Date(AT - age * MINUTE).toISOString() });
const page = (nextCursor: string | null, ...ages: number[]): Json => ({ items: ages.map(row), nextCursor });

async function scan(pages: Record<string, Json>, bound: number | null = null) {
  const asked: string[] = [];
  const seen: string[] = [];
  const result = await scanDeliveries(
    async ({ cursor = 'head' }) => {
      asked.push(cursor);
      return { data: pages[cursor] ?? page(null), from: AT, to: AT };
    },
    { bound, eventIdPointer: 'auto' },
    async ({ deliveries }) => void seen.push(...deliveries.map(({ id }) => id)),
  );
  return { complete: result.complete, reason: result.reason, atEnd: result.atEnd, asked, seen };
}

test('page by page to the end; what a page repeats comes once', async () => {
  const pages = { head: page('a', 1, 2, 3), a: page('b', 3, 4), b: page(null, 5) };
  expect(await scan(pages)).toEqual({
    complete: true,
    reason: null,
    atEnd: true,
    asked: ['head', 'a', 'b'],
    seen: ['d1', 'd2', 'd3', 'd4', 'd5'],
  });
});

test('no further than the bound', async () => {
  const pages = { head: page('a', 1, 2), a: page('b', 3, 4), b: page('c', 5) };
  expect(await scan(pages, AT - 3.5 * MINUTE)).toMatchObject({ complete: true, atEnd: false, asked: ['head', 'a'] });
});

/** Of every tenth the last attempt was made half an hour after the first. */
const retried = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, age) => {
    const tried = AT - (age - (age % 10 === 0 ? 30 : 0)) * MINUTE;
    return { ...row(age), lastAttemptAt: new Date(tried).toISOString() };
  });
const pagesOf = (rows: JsonObject[]): Record<string, Json> =>
  Object.fromEntries(
    Array.from({ length: Math.ceil(rows.length / 100) }, (_, n) => {
      const [own, next] = [n === 0 ? 'head' : `p${n}`, (n + 1) * 100 < rows.length ? `p${n + 1}` : null];
      return [own, { items: rows.slice(n * 100, (n + 1) * 100), nextCursor: next }];
    }),
  );
const newestFirst = (rows: JsonObject[], time: string) =>
  rows.toSorted((a, b) => ((textField(a, time) ?? '') < (textField(b, time) ?? '') ? 1 : -1));

it.each(['createdAt', 'lastAttemptAt'])(
  'attempts that are sorted by %s are read whole, and to the bound',
  async (time) => {
    const pages = pagesOf(newestFirst(retried(250), time));
    const whole = await scan(pages);
    expect(whole).toMatchObject({ complete: true, atEnd: true, asked: ['head', 'p1', 'p2'] });
    expect(new Set(whole.seen).size).toBe(250);
    const part = await scan(pages, AT - 120 * MINUTE);
    expect(part).toMatchObject({ complete: true, atEnd: false, asked: ['head', 'p1'] });
    const expected = Array.from({ length: 121 }, (_, age) => `d${age}`);
    expect(part.seen).toEqual(expect.arrayContaining(expected));
  },
);

test('an old delivery that was tried again lately does not end the walk', async () => {
  const again = { ...row(5_000), lastAttemptAt: new Date(AT - 98.5 * MINUTE).toISOString() };
  const rows = retried(150).map((item) => ({ ...item, lastAttemptAt: item['createdAt'] ?? null }));
  const { complete, seen } = await scan(pagesOf([...rows.slice(0, 99), again, ...rows.slice(99)]), AT - 120 * MINUTE);
  expect({ complete, seen: seen.length }).toEqual({ complete: true, seen: 151 });
});

it.each([
  ['the same cursor again', { head: page('a', 1), a: page('a', 2) }, 'cursor'],
  [
    'pages that only repeat',
    { head: page('a', 1), a: page('b', 1), b: page('c', 1), c: page('a', 1) },
    'again and again',
  ],
  ['an older page before a newer one', { head: page('a', 100), a: page(null, 1) }, 'sorted'],
  ['a delivery without an id', { head: { items: [{ status: 'x' }], nextCursor: null } }, 'without an id'],
  ['no page at all', { head: [] }, 'no page'],
  ['items that are none', { head: { items: [1], nextCursor: null } } as never, 'no page'],
])('%s proves nothing', async (_name, pages, reason) => {
  const scanned = await scan(pages);
  expect(scanned.complete).toBe(false);
  expect(scanned.reason).toContain(reason);
});
