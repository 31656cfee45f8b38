import { expect, test } from 'vitest';
import { type CursoredPage, OpaquePages } from '../../src/reconcile/lists/opaque-pages.js';

const SIZE = 3;

/** A list whose cursors are places in it. `moving`: called before each answer, with its number. */
function places(ids: string[], moving: (call: number) => void = () => {}) {
  let calls = 0;
  const fetch = async (cursor: string | null): Promise<CursoredPage | null> => {
    calls += 1;
    moving(calls);
    const at = Number(cursor ?? 0);
    const data = ids.slice(at, at + SIZE).map((id) => ({ id }));
    return { data, next: at + SIZE <= ids.length ? String(at + SIZE) : null, from: calls, to: calls };
  };
  return { fetch, calls: () => calls };
}

const letters = (text: string) => text.split('');
const shown = (answer: { data: { id?: unknown }[] } | null) => answer?.data.map(({ id }) => id).join('') ?? null;

async function opened(list: ReturnType<typeof places>): Promise<OpaquePages> {
  const head = await list.fetch(null);
  if (head === null) throw new Error('no head');
  return new OpaquePages(list.fetch, head);
}

test('what follows on a row is the rest of its page and the next one', async () => {
  const pages = await opened(places(letters('abcdefgh')));
  expect(shown(await pages.below('b'))).toBe('cdef');
  expect(shown(await pages.below('e'))).toBe('fgh');
  expect(shown(await pages.below('h'))).toBe('');
  expect(shown(await pages.below('a'))).toBe('bcdef');
});

test('a row that moves up between two pages, because one above it is gone, is not lost', async () => {
  const ids = letters('abcdefgh');
  const pages = await opened(places(ids, (call) => call === 2 && ids.splice(0, 1)));
  // The second page begins with e: d has moved up to where the first page was.
  expect(shown(await pages.below('b'))).toBe('cdefg');
});

test('a row that is gone when its page is read again is not answered for', async () => {
  const ids = letters('abcdefgh');
  const pages = await opened(places(ids, (call) => call === 3 && ids.splice(1, 1)));
  expect(await pages.below('b')).toBeNull();
});

test('a cursor that is refused proves nothing, and changes nothing', async () => {
  for (const refused of [2, 3]) {
    const list = places(letters('abcdefgh'));
    const fetch = async (cursor: string | null) => {
      const answer = await list.fetch(cursor);
      return list.calls() === refused ? null : answer;
    };
    const pages = await opened({ ...list, fetch });
    expect(await pages.below('b')).toBeNull();
    expect(shown(await pages.below('b'))).toBe('cdef');
  }
  const list = places(letters('abcdefgh'));
  const pages = await opened({ ...list, fetch: async (cursor) => (cursor === 'no' ? null : list.fetch(cursor)) });
  await pages.resume('no');
  expect(shown(await pages.below('e'))).toBe('fgh');
});

test('an empty page is no end because it comes once', async () => {
  const ids = letters('abcdef');
  const { fetch } = places(ids);
  let empty = true;
  const gap = async (cursor: string | null): Promise<CursoredPage | null> => {
    const answer = await fetch(cursor);
    if (cursor === null || answer === null || !empty) return answer;
    empty = false;
    return { ...answer, data: [], next: null };
  };
  const pages = await opened({ fetch: gap, calls: () => 0 });
  expect(shown(await pages.below('b'))).toBe('cdef');
});

test('an empty page that names another one is passed, but not for ever', async () => {
  const hops: CursoredPage[] = [];
  const page = (text: string, next: string | null) => ({
    data: letters(text).map((id) => ({ id })),
    next,
    from: 1,
    to: 1,
  });
  const list = (empty: number) => async (cursor: string | null) => {
    if (cursor === null) return page('abc', '0');
    const answer = Number(cursor) < empty ? page('', String(Number(cursor) + 1)) : page('de', null);
    hops.push(answer);
    return answer;
  };
  expect(shown(await new OpaquePages(list(2), page('abc', '0')).below('b'))).toBe('cde');
  expect(await new OpaquePages(list(Number.POSITIVE_INFINITY), page('abc', '0')).below('b')).toBeNull();
  expect(hops.length).toBeLessThan(20);
});

test('a list whose last page is full ends with an empty one that comes again', async () => {
  const pages = await opened(places(letters('abcdef')));
  expect(shown(await pages.below('b'))).toBe('cdef');
  expect(shown(await pages.below('e'))).toBe('f');
});

test('a later reading goes on by the cursor that an earlier one came to, with few calls, and only below rows that it shows', async () => {
  const ids = Array.from({ length: 600 }, (_, n) => `r${n}`);
  const first = await opened(places(ids));
  let answer = await first.below('r1');
  for (let row = 4; row < 400; row += 3) answer = await first.below(`r${row}`);
  const token = answer?.token ?? '';
  const last = answer?.data.at(-1)?.['id'];
  expect(last).toBe('r401');

  const list = places(ids);
  const later = await opened(list);
  await later.resume(token);
  expect(shown(await later.below('r400'))).toBe('r401r402r403r404');
  expect(list.calls()).toBeLessThan(8);
  // Without it the row lies deeper than a reading goes for one.
  expect(await (await opened(places(ids))).below('r400')).toBeNull();
  // A cursor that leads elsewhere proves nothing.
  const other = await opened(places(ids));
  await other.resume('0');
  expect(await other.below('r400')).toBeNull();
});
