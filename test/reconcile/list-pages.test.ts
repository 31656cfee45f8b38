import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { textField } from '../../src/domain/records.js';
import { listPages } from '../../src/reconcile/lists/read-pages.js';
import { scanList } from '../../src/reconcile/lists/scan-list.js';
import {
  ContractViolationError,
  NotFoundError,
  RefusedError,
  UnauthorizedError,
} from '../../src/service-api/service-errors.js';

type Query = Record<string, string | number>;
const refusal = { operation: 'listPaymentIntents', status: 400, serviceCode: null, serviceMessage: null };
const refused = new RefusedError('no such cursor', refusal);

/** What the service answers to each query; it throws what is an error. */
function serving(answer: (query: Query) => Json | Error) {
  const asked: Query[] = [];
  const tally = { calls: 0 };
  const client = {
    reply: async (operation: string, { query = {} }: { query?: Query }) => {
      expect(operation).toBe('listPaymentIntents');
      asked.push(query);
      const data = answer(query);
      if (data instanceof Error) throw data;
      return { data, from: asked.length * 10, to: asked.length * 10 + 5 };
    },
    serviceNow: () => 0,
  };
  return { read: listPages(client, 'listPaymentIntents', { tally }), asked, tally };
}
const ids = (answer: { data: readonly JsonObject[] }) => answer.data.map((row) => textField(row, 'id')).join('');
const rows = (text: string): Json[] => Array.from(text, (id) => ({ id }));
/** Of a list, the rows below the cursor's. */
const below = (list: string, { cursor = '', take }: Query) =>
  list.slice(list.indexOf(String(cursor)) + String(cursor).length).slice(0, Number(take));

test('a page is asked for by the id of a row, with its filter, and each call is counted', async () => {
  const { read, asked, tally } = serving((query) => rows(below('abcdef', query)));
  expect(ids(await read({ take: 3 }))).toBe('abc');
  expect(await read({ take: 3, cursor: 'b', status: 'pending' })).toMatchObject({ from: 20, to: 25 });
  expect(ids(await read({ take: 3, cursor: 'b' }))).toBe('cde');
  expect(asked).toEqual([{ take: 3 }, { take: 3, cursor: 'b', status: 'pending' }, { take: 3, cursor: 'b' }]);
  expect([tally.calls, read.token?.()]).toEqual([3, null]);
});

test('a cursor that the service refuses is an empty page, as of the last one that it gave', async () => {
  for (const error of [refused, new NotFoundError('gone', { ...refusal, status: 404 })]) {
    const { read, tally } = serving(({ cursor }) => (cursor === 'x' ? error : rows('abc')));
    expect(await read({ take: 3, cursor: 'x' })).toEqual({ data: [], from: 0, to: 0 });
    await read({ take: 3 });
    expect(await read({ take: 3, cursor: 'x' })).toEqual({ data: [], from: 20, to: 20 });
    expect(tally.calls).toBe(3);
  }
});

test('a refusal of the head, and any other error, is one', async () => {
  await expect(serving(() => refused).read({ take: 3 })).rejects.toBe(refused);
  const key = new UnauthorizedError('the key', { ...refusal, status: 401 });
  await expect(serving(() => key).read({ take: 3, cursor: 'a' })).rejects.toBe(key);
});

test('an answer is an array, or an object with one as its items; what is no object in it has no fields', async () => {
  for (const data of [null, 'x', {}, { items: {} }])
    await expect(serving(() => data).read({ take: 3 })).rejects.toThrow(ContractViolationError);
  expect((await serving(() => [{ id: 'a' }, 'x', null]).read({ take: 3 })).data).toEqual([{ id: 'a' }, {}, {}]);
  expect(ids(await serving(() => ({ items: rows('ab') })).read({ take: 3 }))).toBe('ab');
});

/** Pages of two by cursors of the service's own: "@2" leads to the third row. */
const opaque = (list: string) =>
  serving(({ cursor, take }) => {
    const at = cursor === undefined ? 0 : Number(String(cursor).slice(1));
    if (cursor !== undefined && !String(cursor).startsWith('@')) return refused;
    const end = at + Math.min(2, Number(take));
    return { items: rows(list.slice(at, end)), nextCursor: end < list.length ? `@${end}` : '' };
  });

test('where the list names cursors that are no ids of its rows, pages are asked for by those', async () => {
  const { read, asked } = opaque('abcdef');
  expect(ids(await read({ take: 100 }))).toBe('ab');
  expect(read.token?.()).toBeNull();
  expect(ids(await read({ take: 100, cursor: 'a' }))).toBe('bcd');
  expect(read.token?.()).toBeNull();
  expect(ids(await read({ take: 100, cursor: 'd' }))).toBe('ef');
  expect(read.token?.()).toBe('@2');
  expect(asked.filter(({ cursor, take }) => cursor === undefined && take === 100).length).toBe(2);
  await read({ take: 100 });
  expect(read.token?.()).toBeNull();
  expect(asked.every(({ cursor }) => cursor === undefined || String(cursor).startsWith('@'))).toBe(true);
  expect(ids(await read({ take: 100, cursor: 'nobody' }))).toBe('');
  await read({ take: 100 });
  expect(read.token?.()).toBeNull();
});

test('a filtered list has cursors of its own, which say nothing of how far the whole list was read', async () => {
  const { read, asked } = opaque('abcdef');
  await read({ take: 100 });
  await read({ take: 100, cursor: 'd' });
  expect(ids(await read({ take: 100, cursor: 'c', status: 'pending' }))).toBe('def');
  expect(asked.some(({ cursor, status }) => cursor === undefined && status === 'pending')).toBe(true);
  expect(read.token?.()).toBe('@2');
});

test('a reading goes on by the cursor that an earlier one came to, with few calls', async () => {
  const { read, asked } = opaque('abcdefghijklmnop');
  await read.resume?.('@12');
  expect(asked).toEqual([{ take: 100 }, { take: 100, cursor: '@12' }]);
  expect(ids(await read({ take: 100, cursor: 'm' }))).toBe('nop');
  const plain = serving((query) => rows(below('abcdef', query)));
  await plain.read.resume?.('@12');
  expect(ids(await plain.read({ take: 3, cursor: 'b' }))).toBe('cde');
});

test('a cursor that is the id of the last row is none of the service’s own', async () => {
  const { read, asked } = serving((query) => {
    const items = rows(below('abcdef', { ...query, take: 2 }));
    return { items, nextCursor: (items.at(-1) as JsonObject | undefined)?.['id'] ?? null };
  });
  await read({ take: 100 });
  expect(ids(await read({ take: 100, cursor: 'a' }))).toBe('bc');
  expect(asked.at(-1)).toEqual({ take: 100, cursor: 'a' });
});

test('law: a list by cursors of its own that is said to be read is, however many rows share a moment or a page holds', async () => {
  const world = fc.record({
    moments: fc.array(fc.nat(8), { maxLength: 130 }),
    size: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(10, 20, 50)),
    namesAlways: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(world, async ({ moments, size, namesAlways }) => {
      const list = moments
        .toSorted((a, b) => b - a)
        .map((moment, n) => ({ id: `p${n}`, createdAt: new Date(1_000 + moment).toISOString() }));
      const { read } = serving(({ cursor }) => {
        const at = cursor === undefined ? 0 : Number(String(cursor).slice(1));
        if (cursor !== undefined && !String(cursor).startsWith('@')) return refused;
        const end = Math.min(at + size, list.length);
        return { items: list.slice(at, end), nextCursor: end < list.length || namesAlways ? `@${end}` : null };
      });
      const seen = new Set<string>();
      const scan = await scanList(read, { bound: null }, async (page) => {
        for (const { id } of page.rows) seen.add(id);
      });
      if (scan.complete) expect(seen.size).toBe(list.length);
      if (size >= 10) expect(scan).toMatchObject({ complete: true });
    }),
    { numRuns: 150 },
  );
});
