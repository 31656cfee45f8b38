import { expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { walkDeliveries } from '../../src/reconcile/deliveries/read-deliveries.js';

const AT = Date.UTC(2026, 9, 1);
const MINUTE = 60_000;

/** A delivery so many minutes old. */
const row = (age: number): JsonObject => ({ id: `d${age}`, createdAt: new Date(AT - age * MINUTE).toISOString() });
const page = (nextCursor: string | null, ...ages: number[]): Json => ({ items: ages.map(row), nextCursor });

async function walk(pages: Record<string, Json>, bound: number | null = null) {
  const asked: string[] = [];
  const seen: string[] = [];
  const result = await walkDeliveries(
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
  expect(await walk(pages)).toEqual({
    complete: true,
    reason: null,
    atEnd: true,
    asked: ['head', 'a', 'b'],
    seen: ['d1', 'd2', 'd3', 'd4', 'd5'],
  });
});

test('no further than the bound', async () => {
  const pages = { head: page('a', 1, 2), a: page('b', 3, 4), b: page('c', 5) };
  expect(await walk(pages, AT - 3.5 * MINUTE)).toMatchObject({ complete: true, atEnd: false, asked: ['head', 'a'] });
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
  const walked = await walk(pages);
  expect(walked.complete).toBe(false);
  expect(walked.reason).toContain(reason);
});
