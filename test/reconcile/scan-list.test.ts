import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { type Scan, type ScanOptions, type ScanPage, scanList } from '../../src/reconcile/lists/scan-list.js';
import type { PageQuery, PageReader } from '../../src/reconcile/service-reader.js';

const NEWEST = Date.parse('2026-03-01T00:00:00Z');

/** Row 0 is the newest; each is a second older than the one before. */
function row(index: number): JsonObject {
  return { id: `pi_${index}`, createdAt: new Date(NEWEST - index * 1_000).toISOString() };
}

const rows = (count: number): JsonObject[] => Array.from({ length: count }, (_, index) => row(index));

/** Answers as specified: the rows after the cursor's. */
function serving(list: readonly JsonObject[], cap = 100): (query: PageQuery) => JsonObject[] {
  return ({ cursor, take }) => {
    const at = cursor === undefined ? -1 : list.findIndex(({ id }) => id === cursor);
    return cursor !== undefined && at < 0 ? [] : list.slice(at + 1, at + 1 + Math.min(take, cap));
  };
}

async function scan(
  answer: (query: PageQuery) => JsonObject[],
  options: Partial<ScanOptions> = {},
): Promise<Scan & { ids: Set<string>; pages: ScanPage[] }> {
  const ids = new Set<string>();
  const pages: ScanPage[] = [];
  let clock = NEWEST + 60_000;
  const read: PageReader = async (query) => {
    clock += 100;
    return { data: answer(query), from: clock, to: clock + 50 };
  };
  const proof = await scanList(read, { bound: null, ...options }, async (page) => {
    pages.push(page);
    for (const { id } of page.rows) ids.add(id);
  });
  return { ...proof, ids, pages };
}

test.each([0, 1, 2, 19, 20, 99, 100, 101, 350])('a list of %i that holds still is read to its end', async (count) => {
  const proof = await scan(serving(rows(count)));
  expect(proof).toMatchObject({ complete: true, reason: null, atEnd: true, seen: count });
  expect(proof.ids.size).toBe(count);
  expect(proof.to).toBeGreaterThan(proof.from);
});

test('pages shorter than what was asked for are not taken for the end', async () => {
  const proof = await scan(serving(rows(350), 20));
  expect(proof).toMatchObject({ complete: true, seen: 350 });
});

test('the walk stops below the bound, and says that it did not see the end', async () => {
  const proof = await scan(serving(rows(350)), { bound: { createdAt: NEWEST - 120_000 } });
  expect(proof).toMatchObject({ complete: true, atEnd: false, calls: 2 });
  expect(proof.ids.has('pi_120')).toBe(true);
});

test('it goes on below rows that are known already', async () => {
  const trail = [208, 209, 210].map((index) => ({ id: `pi_${index}`, createdAt: NEWEST - index * 1_000 }));
  const proof = await scan(serving(rows(350)), { trail });
  expect(proof).toMatchObject({ complete: true, fromHead: false });
  expect(proof.ids.has('pi_211')).toBe(true);
  expect(proof.ids.has('pi_100')).toBe(false);
});

test('an answer that skipped the cursor row’s neighbour is asked for again, further up', async () => {
  const list = rows(300);
  const asked: (string | undefined)[] = [];
  const proof = await scan(({ cursor, take }) => {
    asked.push(cursor);
    // The row of this cursor left the filter: an ORM looks it up, and skips the next one in its stead.
    const skip = cursor === 'pi_97' ? 2 : 0;
    const at = list.findIndex(({ id }) => id === cursor);
    return list.slice(at + 1 + skip, at + 1 + skip + take);
  });
  expect(asked.slice(0, 3)).toEqual([undefined, 'pi_97', 'pi_96']);
  expect(proof).toMatchObject({ complete: true });
  expect(proof.pages[1]).toMatchObject({ contiguous: false });
  expect(proof.ids.size).toBe(300);
});

test('an empty answer after a cursor is no end: its row may be gone', async () => {
  const list = rows(300);
  const proof = await scan((query) => (query.cursor === 'pi_97' ? [] : serving(list)(query)));
  expect(proof).toMatchObject({ complete: true, seen: 300 });
});

test('rows of one moment come in another order on each page, and none is missed', async () => {
  const list = rows(300).map((_, index) => ({
    id: `pi_${index}`,
    createdAt: new Date(NEWEST - (index - (index % 7)) * 1_000).toISOString(),
  }));
  let turn = 0;
  const proof = await scan(({ cursor, take }) => {
    turn += 1;
    const sorted = list.toSorted((a, b) => {
      const later = b.createdAt.localeCompare(a.createdAt);
      return later !== 0 ? later : turn % 2 === 0 ? 1 : -1;
    });
    const at = cursor === undefined ? -1 : sorted.findIndex(({ id }) => id === cursor);
    return sorted.slice(at + 1, at + 1 + take);
  });
  expect(proof).toMatchObject({ complete: true, trustedOrder: false });
  expect(proof.ids.size).toBe(300);
});

test('more rows of one moment than fill a page: their order is taken on trust, and the proof says so', async () => {
  const list = rows(400).map((item) => ({ ...item, createdAt: row(0)['createdAt']! }));
  const proof = await scan(serving(list));
  expect(proof).toMatchObject({ complete: true, trustedOrder: true });
  expect(proof.ids.size).toBe(400);
});

test('a head that is empty where it can’t be proves nothing', async () => {
  expect(await scan(() => [], { expectsRows: async () => true })).toMatchObject({
    complete: false,
    reason: 'empty_list',
  });
  expect(await scan(() => [], { expectsRows: async () => false })).toMatchObject({ complete: true, atEnd: true });
});

test.each<[string, string, (query: PageQuery) => JsonObject[]]>([
  ['an item without id', 'item_without_id', () => [...rows(30), { status: 'pending' }]],
  ['an item whose id is a number', 'item_without_id', () => [...rows(30), { id: null }]],
  ['the same item twice on a page', 'duplicate_in_page', () => [...rows(30), row(29)]],
  ['another order than newest first', 'out_of_order', () => [row(0), row(5_000), row(4_000)]],
  ['the same page for ever', 'no_progress', () => rows(100)],
  ['pages that go in a circle', 'no_progress', ({ cursor }) => circle(cursor)],
])('%s ends the walk unproven', async (_, reason, answer) => {
  const proof = await scan(answer);
  expect(proof).toMatchObject({ complete: false, reason });
  expect(proof.calls).toBeLessThan(120);
});

test('a service that never finds its own cursors is given up, even while new rows keep coming', async () => {
  let newest = 0;
  const proof = await scan(({ cursor }) => {
    if (cursor !== undefined) return [];
    newest += 3;
    return Array.from({ length: 100 }, (_, index) => row(index - newest));
  });
  expect(proof).toMatchObject({ complete: false, reason: 'lost_place' });
  expect(proof.calls).toBeLessThan(100);
});

test('a list without end is left at the limit', async () => {
  const endless = ({ cursor }: PageQuery): JsonObject[] => {
    const start = cursor === undefined ? 0 : Number(cursor.slice(3)) + 1;
    return Array.from({ length: 100 }, (_, index) => row(start + index));
  };
  expect(await scan(endless, { maxPages: 50 })).toMatchObject({ complete: false, reason: 'page_limit', calls: 50 });
});

test('it stops between two pages when it is stopped', async () => {
  const stop = new AbortController();
  const answer = serving(rows(350));
  let calls = 0;
  const stopping = scan(
    (query) => {
      calls += 1;
      if (calls === 2) stop.abort(new Error('stopped'));
      return answer(query);
    },
    { signal: stop.signal },
  );
  await expect(stopping).rejects.toThrow('stopped');
  expect(calls).toBe(2);
});

/** Three pages, after which the first comes again. */
function circle(cursor: string | undefined): JsonObject[] {
  const start = cursor === undefined ? 0 : Number(cursor.slice(3)) + 1;
  return Array.from({ length: 100 }, (_, index) => row((start + index) % 300));
}

test('a page that can not be saved ends the walk', async () => {
  const read: PageReader = async (query) => ({ data: serving(rows(250))(query), from: NEWEST, to: NEWEST });
  const keep = async () => {
    throw new Error('the disk is full');
  };
  await expect(scanList(read, { bound: null }, keep)).rejects.toThrow('the disk is full');
});
