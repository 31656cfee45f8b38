import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { isNewer, readRows } from '../../src/reconcile/lists/list-row.js';
import { whyIncomplete } from '../../src/reconcile/lists/reconcile-list.js';
import { assertSameList, StrangeListError } from '../../src/reconcile/lists/same-list.js';
import { overlapCursor, type Scan } from '../../src/reconcile/lists/scan-list.js';
import { covers, isDue, spansByPlace } from '../../src/reconcile/lists/span.js';
import type { PageQuery } from '../../src/reconcile/service-reader.js';
import { MemoryStore } from './memory-store.js';

const T = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const iso = (at: number) => new Date(at).toISOString();

describe('what of a page can be used', () => {
  const read = (...items: JsonObject[]) => {
    const { rows, flaw } = readRows(items);
    return [rows.map(({ id }) => id).join(' '), flaw];
  };
  const at = (id: string, time: number) => ({ id, createdAt: iso(time) });

  test('each item with an id once; what proves nothing is said, and the first flaw stands', () => {
    expect(read()).toEqual(['', null]);
    expect(read(at('a', T), at('b', T))).toEqual(['a b', null]);
    expect(read(at('a', T), { id: '' }, { id: null }, at('b', T))).toEqual(['a b', 'item_without_id']);
    expect(read(at('a', T), at('b', T), at('a', T))).toEqual(['a b', 'duplicate_in_page']);
    expect(read(at('a', T), at('a', T), {})).toEqual(['a', 'item_without_id']);
    expect(read(at('a', T), at('a', T + 60 * MINUTE))).toEqual(['a', 'duplicate_in_page']);
  });

  test('rows may stand the wrong way round within ten minutes of the oldest before them; more is another order', () => {
    expect(read(at('a', T), at('b', T + 10 * MINUTE))).toEqual(['a b', null]);
    expect(read(at('a', T), at('b', T + 10 * MINUTE + 1))).toEqual(['a b', 'out_of_order']);
    expect(read(at('a', T + 20 * MINUTE), at('b', T), { id: 'x' }, at('c', T + 11 * MINUTE))[1]).toBe('out_of_order');
    expect(read({ id: 'x' }, at('a', T), at('b', T - 1))[1]).toBeNull();
  });

  test('is kept with its fields and its moment; no moment where none can be read', () => {
    expect(readRows([at('a', T), { id: 'b', createdAt: 'soon' }]).rows).toEqual([
      { id: 'a', createdAt: T, fields: at('a', T) },
      { id: 'b', createdAt: null, fields: { id: 'b', createdAt: 'soon' } },
    ]);
  });

  test('one row is newer than another for certain only where both have a moment', () => {
    const place = (createdAt: number | null) => ({ id: 'x', createdAt });
    expect(isNewer(place(T + 1), place(T))).toBe(true);
    expect([isNewer(place(T), place(T)), isNewer(place(T), place(null)), isNewer(place(null), place(-1))]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

test('the next page is asked for from a row that is strictly newer than the last, each step back twice as far', () => {
  const trail = [9, 8, 7, 6, 5, 5, 5].map((createdAt, n) => ({ id: `${n}`, createdAt }));
  const next = (stepBack: number, trust = false) => {
    const { cursor, anchors, onTrust } = overlapCursor(trail, stepBack, trust);
    return [cursor, [...anchors].join(''), onTrust];
  };
  expect([next(0), next(1), next(2)]).toEqual([
    ['2', '0123', false],
    ['1', '0123', false],
    [null, '0123', false],
  ]);
  expect([next(0, true), next(1, true), next(3, true)]).toEqual([
    ['5', '0123456', true],
    ['4', '0123456', true],
    [null, '0123456', false],
  ]);
  const same = trail.slice(4);
  expect(overlapCursor(same, 0, false)).toEqual({ cursor: '5', anchors: new Set(['4', '5', '6']), onTrust: true });
  expect(overlapCursor([], 0, false)).toEqual({ cursor: null, anchors: new Set(), onTrust: false });
});

test('something is due again after its time, at once where its last time is yet to come, and if it never was', () => {
  const due = (age: number) => isDue({ at: T - age }, 1_000, T);
  expect([due(999), due(1_000), due(0)]).toEqual([false, true, false]);
  expect([due(-10 * MINUTE), due(-10 * MINUTE - 1)]).toEqual([false, true]);
  expect([isDue(undefined, 1_000, T), isDue({}, 1_000, T)]).toEqual([true, true]);
});

describe('a page would show', () => {
  const span = { after: T, before: T + 20 * MINUTE, settled: T + 10 * MINUTE };
  const shows = (createdAt: number | null, listed?: boolean) =>
    covers(span, { id: 'x', createdAt, ...(listed !== undefined && { listed }) });

  test('what stands between its ends and is settled', () => {
    expect([T, T + 1, T + 10 * MINUTE - 1, T + 10 * MINUTE].map((at) => shows(at, true))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(shows(null, true)).toBe(false);
    const early = { ...span, settled: Infinity };
    expect([0, 1].map((ms) => covers(early, { id: 'x', createdAt: span.before - ms, listed: true }))).toEqual([
      false,
      true,
    ]);
  });

  test('what only events reported, two seconds further in', () => {
    for (const listed of [false, undefined])
      expect([T + 2_000, T + 2_001, T + 598_000 - 1, T + 598_000].map((at) => shows(at, listed))).toEqual([
        false,
        true,
        true,
        false,
      ]);
  });

  test('the same of both, as the two intervals that a query asks for', () => {
    expect(spansByPlace(span)).toEqual({
      listed: { after: T, before: T + 600_000 },
      unlisted: { after: T + 2_000, before: T + 598_000 },
    });
    expect(spansByPlace({ ...span, settled: Infinity }).listed.before).toBe(span.before);
  });
});

describe('that the list is the one that our records came from', () => {
  /** Of so many records that we hold, newest first, the service lists those of these ranks. */
  const check = async (held: number, listed: number[], others: string[] = []) => {
    const store = new MemoryStore(() => T);
    const rows = Array.from({ length: held }, (_, n) => ({ id: `pi_${n}`, createdAt: T - n, fields: {} }));
    await store.save([{ rows, from: 1, to: 2 }], []);
    const asked: PageQuery[] = [];
    const ids = [...others, ...listed.map((n) => `pi_${n}`)];
    const read = async (query: PageQuery) => {
      asked.push(query);
      const from = query.cursor === undefined ? 0 : ids.indexOf(query.cursor) + 1 || ids.length;
      return { data: ids.slice(from, from + 100).map((id) => ({ id })), from: 1, to: 2 };
    };
    const error = await assertSameList(read, store).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return { asked, isStrange: error instanceof StrangeListError, error };
  };

  test('is seen with one call, of a hundred rows below our second newest', async () => {
    const { asked, isStrange } = await check(10, [0, 1, 2, 3]);
    expect({ asked, isStrange }).toEqual({ asked: [{ take: 100, cursor: 'pi_1' }], isStrange: false });
  });

  test('is searched for further down and at the head before anything is said', async () => {
    const { asked, isStrange, error } = await check(300, [], ['other']);
    expect(asked.map(({ cursor }) => cursor)).toEqual(['pi_1', 'pi_20', 'pi_100', undefined]);
    expect(isStrange).toBe(true);
    const message = /another account\? Set those of this one again, or .*\(DATABASE_URL\)$/;
    expect(error).toMatchObject({ code: 'strange_list', message: expect.stringMatching(message) });
    expect((await check(20, [])).asked.map(({ cursor }) => cursor)).toEqual(['pi_1', undefined]);
    expect((await check(300, [20, 21])).asked).toHaveLength(2);
    expect((await check(300, [199], ['new'])).isStrange).toBe(false);
    expect((await check(300, [200], ['new'])).isStrange).toBe(true);
  });

  test('can not be said of fewer than five, which may all be gone; but a list that shows nothing is not it', async () => {
    expect(await check(4, [], ['other'])).toMatchObject({ asked: [{ take: 100 }], isStrange: false });
    expect((await check(5, [], ['other'])).isStrange).toBe(true);
    expect((await check(4, [])).isStrange).toBe(true);
    expect(await check(0, [])).toMatchObject({ asked: [], isStrange: false });
  });
});

describe('why a reading is not proven', () => {
  const scan = (reason: Scan['reason'], complete = false): Scan => ({
    complete,
    reason,
    from: 0,
    to: 0,
    calls: 1,
    seen: 0,
    atEnd: false,
    fromHead: true,
    trustedOrder: false,
  });
  const fine: Parameters<typeof whyIncomplete>[0] = {
    head: { complete: true, continues: false, scans: [scan(null, true)], whole: null },
    states: { scans: new Map([['pending', scan(null, true)]]), unfiltered: new Map() },
    closure: { undecided: 0, left: 0 },
    marked: { undecided: 0 },
    gone: { undecided: 0, more: false },
    rescan: { name: 'sweep:7d', scan: null, continues: false, whole: null, watermarks: new Map() },
    clock: { backMs: 0 },
  };

  test('nothing keeps it from being proven', () => {
    expect(whyIncomplete(fine)).toEqual([]);
    expect(whyIncomplete({ ...fine, rescan: { ...fine.rescan, scan: scan(null, true) } })).toEqual([]);
    const goesOn = { ...fine.rescan, scan: scan('page_limit'), continues: true };
    expect(whyIncomplete({ ...fine, rescan: goesOn })).toEqual([]);
  });

  test('one record is enough of a reason', () => {
    const one = { closure: { undecided: 1, left: 1 }, marked: { undecided: 1 }, gone: { undecided: 1, more: false } };
    expect(whyIncomplete({ ...fine, ...one })).toHaveLength(4);
  });

  test('each reason, what the service does not offer last', () => {
    const unfiltered = new Map([
      ['pending', 'refused'],
      ['irregular', 'ignored'],
    ] as const);
    const reasons = whyIncomplete({
      head: { ...fine.head, continues: true, scans: [scan('lost_place'), scan('page_limit')] },
      states: {
        scans: new Map([
          ['pending', scan('no_progress')],
          ['sent', scan(null)],
        ]),
        unfiltered,
      },
      closure: { undecided: 2, left: 3 },
      marked: { undecided: 4 },
      gone: { undecided: 5, more: true },
      rescan: { ...fine.rescan, scan: scan('empty_list') },
      clock: { backMs: 11_001 },
    });
    expect(reasons).toEqual([
      'the clock of the service went back by 12 s: until it has caught up, what is read counts as older',
      'the scan of what was never read goes on with the next run',
      'the newest part: no page follows on those before it',
      'status pending: page after page shows nothing new',
      'status sent: not proven',
      '2 records that are open here could not be read',
      '3 records that are open here have their turn in the next runs',
      '4 records that events spoke of could not be read',
      'of 5 records it is not known whether they are listed',
      'more records seem to be missing than one run polls',
      'sweep:7d: the list is empty, though it has shown us records',
      'degraded: the service does not filter its list (status=pending is refused, status=irregular is ignored); what is open here is ' +
        'polled one by one, what was opened again there is found when the whole list is read',
    ]);
  });
});
