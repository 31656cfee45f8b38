import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { newListPoll } from '../../src/reconcile/lists/list-poll.js';
import { paymentIntentList } from '../../src/reconcile/lists/payment-intents.js';
import { rescan } from '../../src/reconcile/lists/rescan.js';
import type { HeadScans } from '../../src/reconcile/lists/scan-gap.js';
import { scanStates } from '../../src/reconcile/lists/scan-states.js';
import type { PageQuery } from '../../src/reconcile/service-reader.js';
import { NotFoundError, RefusedError, UnauthorizedError } from '../../src/service-api/service-errors.js';
import { MemoryStore } from './memory-store.js';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const refusal = { operation: 'listPaymentIntents', status: 400, serviceCode: null, serviceMessage: null };

let list: JsonObject[];
let asked: PageQuery[];
let store: MemoryStore;
let answer: (query: PageQuery) => JsonObject[];

/** Newest first, so long before now. */
const payment = (id: string, age: number, fields: JsonObject = {}): JsonObject => ({
  id,
  createdAt: new Date(NOW - age).toISOString(),
  status: 'completed',
  ...fields,
});
const read = async (query: PageQuery) => {
  asked.push(query);
  return { data: answer(query), from: NOW + asked.length, to: NOW + asked.length };
};
const poll = () => newListPoll({ plan: paymentIntentList, read, store, now: () => NOW });

beforeEach(() => {
  list = [];
  asked = [];
  store = new MemoryStore(() => NOW);
  answer = ({ cursor, status, take }) => {
    const shown = list.filter((one) => status === undefined || one['status'] === status);
    const at = cursor === undefined ? 0 : shown.findIndex(({ id }) => id === cursor) + 1;
    return shown.slice(at, at + take);
  };
});

describe('by state', () => {
  const states = ['waiting_address_selection', 'pending', 'confirming', 'unmatched', 'irregular'];
  /** Marks of so long ago, and how many calls it took. */
  const whole = (age: number, calls = 0) =>
    new Map(['unmatched', 'irregular'].map((status) => [`whole:${status}`, { at: NOW - age, calls }]));

  test('each state in which a payment may change is read; those that wait for a decision whole once an hour', async () => {
    list = [payment('new', DAY, { status: 'unmatched' }), payment('old', 31 * DAY, { status: 'unmatched' })];
    const { scans, ...rest } = await scanStates(poll(), new Map(), false);
    expect(asked.map(({ status }) => status)).toEqual(states);
    expect([...scans.values()].every(({ complete }) => complete)).toBe(true);
    expect(rest).toEqual({
      unfiltered: new Map(),
      whole: true,
      watermarks: new Map([
        ['whole:unmatched', { at: NOW, calls: 1 }],
        ['whole:irregular', { at: NOW, calls: 1 }],
      ]),
    });
    expect([...store.held.keys()]).toEqual(['new', 'old']);
  });

  test.each([
    ['within the hour', whole(HOUR - 1), false, false],
    ['after it', whole(HOUR), false, true],
    ['where a person asks for all', whole(0), true, true],
    ['while it took 181 calls, 20 s each are not over', whole(HOUR, 181), false, false],
    ['while it took 180 calls, which are', whole(HOUR, 180), false, true],
  ])('%s the old ones that wait are read again, or not: ', async (_, known, full, isWhole) => {
    const recent = Array.from({ length: 25 }, (_each, n) => payment(`new ${n}`, n * HOUR, { status: 'unmatched' }));
    list = [
      ...recent,
      payment('month', 30 * DAY + 1, { status: 'unmatched' }),
      payment('old', 40 * DAY, { status: 'unmatched' }),
    ];
    answer = (
      (all) => (query) =>
        all({ ...query, take: 26 })
    )(answer);
    const rest = await scanStates(poll(), known, full);
    expect(rest.whole).toBe(isWhole);
    expect(store.held.has('month')).toBe(true);
    expect(store.held.has('old')).toBe(isWhole);
    expect([...rest.watermarks.keys()]).toEqual(isWhole ? ['whole:unmatched', 'whole:irregular'] : []);
  });

  test('what is listed in a state that was read whole is kept for the cross-checks', async () => {
    const kept: [string, unknown][] = [];
    store.keepListing = async (...listing: unknown[]) => void kept.push(listing as [string, unknown]);
    list = [payment('a', DAY, { status: 'unmatched' })];
    await scanStates(poll(), new Map(), false);
    expect(kept).toMatchObject([
      ['unmatched', { ids: new Set(['a']) }],
      ['irregular', { ids: new Set() }],
    ]);
  });

  test.each([
    [new RefusedError('no such value', refusal), 'refused'],
    [new NotFoundError('no such list', { ...refusal, status: 404 }), 'refused'],
  ])('a value that the service refuses is no failure: %s', async (error, how) => {
    answer = ({ status }) => {
      if (status === 'unmatched') throw error;
      return [];
    };
    const rest = await scanStates(poll(), new Map(), false);
    expect(rest.unfiltered).toEqual(new Map([['unmatched', how]]));
    expect([...rest.scans.keys()]).toEqual(states.filter((status) => status !== 'unmatched'));
    expect(rest.watermarks.get('whole:unmatched')).toEqual({ at: NOW });
  });

  test('any other error ends the reading', async () => {
    answer = () => {
      throw new UnauthorizedError('the key', { ...refusal, status: 401 });
    };
    await expect(scanStates(poll(), new Map(), false)).rejects.toThrow(UnauthorizedError);
  });

  /** So many of the state that is asked for, beside so many others. */
  const shows = (own: number, others: number, fields: JsonObject = {}) => {
    answer = ({ cursor, status = '' }) =>
      cursor === undefined
        ? [
            ...Array.from({ length: own }, (_, n) =>
              payment(`own ${n}`, n, { status: n % 2 === 0 ? status : status.toUpperCase() }),
            ),
            ...Array.from({ length: others }, (_, n) => payment(`other ${n}`, 100 + n, fields)),
          ]
        : [];
  };
  const isIgnored = async (only: string) => {
    const plan = { ...paymentIntentList, activeStates: [only], waitingStates: [] };
    const { unfiltered } = await scanStates({ ...poll(), plan }, new Map(), false);
    return unfiltered.get(only) === 'ignored';
  };

  test('a service that goes by no value shows others: three, and more than half; then it is not asked for the rest', async () => {
    const tried: boolean[] = [];
    for (const [own, others] of [
      [0, 2],
      [0, 3],
      [3, 3],
      [2, 3],
      [50, 20],
    ] as const) {
      shows(own, others);
      tried.push(await isIgnored('pending'));
    }
    expect(tried).toEqual([false, true, false, true, false]);
    shows(0, 3, { status: null });
    expect(await isIgnored('pending')).toBe(false);
    asked = [];
    shows(0, 5);
    const { unfiltered, watermarks } = await scanStates(poll(), new Map(), false);
    expect(asked).toHaveLength(1);
    expect([...unfiltered]).toEqual(states.map((status) => [status, 'ignored']));
    expect(watermarks.get('whole:irregular')).toEqual({ at: NOW });
  });

  test('irregular is no state: one that waits for an address and has no dispute is enough', async () => {
    const tried: boolean[] = [];
    const waits = { status: 'waiting_address_selection' };
    const none = { ...waits, irregularStatus: 'none' };
    const open = { ...waits, irregularStatus: 'pending_decision' };
    for (const fields of [waits, none, open, { status: 'completed' }]) {
      shows(0, 1, fields);
      tried.push(await isIgnored('irregular'));
    }
    expect(tried).toEqual([true, true, false, false]);
  });
});

describe('again, whatever the state', () => {
  const head = (more: Partial<HeadScans> = {}) => ({
    complete: true,
    continues: false,
    scans: [],
    whole: null,
    ...more,
  });
  const options = { full: false, since: null, resume: false, pages: null };
  const marks = (all: number, quarter: number, week: number, calls = 0) =>
    new Map(
      Object.entries({ 'sweep:all': all, 'sweep:90d': quarter, 'sweep:7d': week }).map(([name, age]) => [
        name,
        { at: NOW - age, calls },
      ]),
    );
  const rescanWith = (known: Map<string, { at: number; calls: number }>, more: object = {}, headMore = {}) =>
    rescan(poll(), known, { ...options, ...more, head: head(headMore) });

  test.each([
    ['sweep:all', marks(7 * DAY, 0, 0), 'sweep:all sweep:90d sweep:7d'],
    ['sweep:90d', marks(7 * DAY - 1, DAY, 0), 'sweep:90d sweep:7d'],
    ['sweep:7d', marks(7 * DAY - 1, DAY - 1, HOUR), 'sweep:7d'],
    ['none', marks(7 * DAY - 1, DAY - 1, HOUR - 1), ''],
    ['sweep:all', new Map(), 'sweep:all sweep:90d sweep:7d'],
  ])('%s is due: all once a week, of ninety days once a day, of seven once an hour', async (name, known, stands) => {
    list = [0, 6, 8, 89, 91].map((days) => payment(`${days} days`, days * DAY)).concat(payment('last', 200 * DAY));
    answer = (
      (all) => (query) =>
        all({ ...query, take: 20 })
    )(answer);
    const found = await rescanWith(known);
    expect(found.name).toBe(name);
    expect([...found.watermarks.keys()].join(' ')).toBe(stands);
    for (const mark of found.watermarks.values())
      expect(mark).toEqual({ at: NOW, calls: name === 'sweep:all' ? 1 : 0 });
    expect(found.whole === null).toBe(name !== 'sweep:all');
    expect(store.parts.size).toBe(0);
    expect(found.continues).toBe(false);
    expect(asked.length).toBe(name === 'none' ? 0 : 1);
  });

  test('a bounded sweep stops below its age', async () => {
    list = Array.from({ length: 300 }, (_, n) => payment(`${n}`, n * HOUR));
    const found = await rescanWith(marks(0, 0, HOUR));
    expect(found).toMatchObject({ name: 'sweep:7d', scan: { complete: true, atEnd: false } });
    expect(store.held.has('168')).toBe(true);
    expect(store.held.has('299')).toBe(false);
  });

  test('a record that only an event spoke of calls for all, after ten minutes or a hundredth of the rate', async () => {
    const due = async (age: number, calls: number) => (await rescanWith(marks(age, 0, 0, calls))).name === 'sweep:all';
    expect(await due(10 * MINUTE, 0)).toBe(false);
    store.claim('unplaced', null);
    expect([await due(10 * MINUTE - 1, 0), await due(10 * MINUTE, 30), await due(10 * MINUTE, 31)]).toEqual([
      false,
      true,
      false,
    ]);
    expect((await rescanWith(marks(6 * DAY, DAY, 0, 0))).name).toBe('sweep:all');
  });

  test('by hand: all, or what was created since, whatever stands; a since proves nothing of the whole', async () => {
    list = [payment('a', HOUR), payment('b', DAY)];
    expect(await rescanWith(marks(0, 0, 0), { full: true })).toMatchObject({
      name: 'sweep:all',
      scan: { complete: true },
    });
    const since = await rescanWith(marks(0, 0, 0), { since: NOW - HOUR });
    expect(since).toMatchObject({ name: 'sweep:since', scan: { complete: true }, whole: null, watermarks: new Map() });
  });

  test('a sweep that is cut off goes on with the next run, within its time; then, or by hand, it begins anew', async () => {
    list = Array.from({ length: 250 }, (_, n) => payment(`${n}`, n * HOUR));
    const begun = await rescanWith(new Map(), { full: true, pages: 1 });
    expect(begun).toMatchObject({
      continues: true,
      whole: null,
      watermarks: new Map(),
      scan: { reason: 'page_limit' },
    });
    const [left] = store.parts.values();
    store.parts.set(left!.id, { ...left!, openedAt: NOW - DAY });
    const resumed = await rescanWith(new Map());
    expect(resumed).toMatchObject({ continues: false, scan: { complete: true, fromHead: false } });
    expect(resumed.whole?.from).toBe(NOW - DAY - 10 * MINUTE);
    expect(resumed.watermarks.get('sweep:all')).toEqual({ at: NOW - DAY, calls: 3 });
    expect(store.parts.size).toBe(0);
    for (const [movedAt, more, goesOn] of [
      [NOW - 7 * DAY + 1, {}, true],
      [NOW - 7 * DAY, {}, false],
      [NOW, { full: true }, false],
      [NOW, { full: true, resume: true }, true],
    ] as const) {
      store.parts.set('x', { ...left!, id: 'x', newer: { id: '99', createdAt: NOW - 99 * HOUR }, movedAt });
      expect((await rescanWith(new Map(), more)).scan?.fromHead).toBe(!goesOn);
      expect(store.parts.size).toBe(0);
    }
  });

  test('where the first reading of all ends in this run, it stands for every sweep; where it goes on, none is due', async () => {
    const whole = { from: 1, to: 2, at: NOW - MINUTE, inOne: false };
    store.held.clear();
    list = [payment('a', HOUR)];
    const found = await rescanWith(new Map(), {}, { whole });
    expect(found).toMatchObject({ name: 'sweep:all', scan: null, continues: false, whole });
    expect(found.watermarks).toEqual(marks(MINUTE, MINUTE, MINUTE));
    expect((await rescanWith(new Map(), { full: true }, { whole })).scan).not.toBeNull();
    expect((await rescanWith(new Map(), { full: true, resume: true }, { whole })).scan).toBeNull();
    expect((await rescanWith(new Map(), { full: true }, { whole: { ...whole, inOne: true } })).scan).toBeNull();
    expect((await rescanWith(new Map(), {}, { continues: true })).name).toBe('none');
    expect((await rescanWith(new Map(), { full: true }, { continues: true })).name).toBe('sweep:all');
    expect((await rescanWith(new Map(), { since: 0 }, { continues: true })).name).toBe('sweep:since');
  });
});
