import { describe, expect, test, vi } from 'vitest';
import type { PollOptions } from '../../src/reconcile/deps.js';
import { newListPoll, type ResumablePages } from '../../src/reconcile/lists/list-poll.js';
import { paymentIntentList } from '../../src/reconcile/lists/payment-intents.js';
import { reconcileList } from '../../src/reconcile/lists/reconcile-list.js';
import type { PageQuery } from '../../src/reconcile/service-reader.js';
import { MemoryStore } from './memory-store.js';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const iso = (at: number) => new Date(at).toISOString();

interface Row {
  id: string;
  createdAt: number;
  status: string;
  irregularStatus?: string;
}

/** A list that changes only where the test says so; each call takes 10 ms. */
function world(...rows: Row[]) {
  const asked: PageQuery[] = [];
  const service = { rows, asked, clock: NOW };
  const read: ResumablePages = async (query) => {
    asked.push(query);
    const from = service.clock;
    service.clock += 10;
    const shown = service.rows
      .filter(({ status }) => query.status === undefined || status === query.status)
      .toSorted((a, b) => b.createdAt - a.createdAt);
    const at = query.cursor === undefined ? 0 : shown.findIndex(({ id }) => id === query.cursor) + 1;
    const page = query.cursor !== undefined && at === 0 ? [] : shown.slice(at, at + query.take);
    return { data: page.map((row) => ({ ...row, createdAt: iso(row.createdAt) })), from, to: service.clock };
  };
  const store = new MemoryStore(() => service.clock);
  const run = async (options: Partial<PollOptions> = {}, signal?: AbortSignal) => {
    asked.length = 0;
    const parts = { plan: paymentIntentList, read, store, now: () => service.clock, ...(signal && { signal }) };
    const progress = vi.fn();
    const reading = newListPoll({ ...parts, progress });
    const outcome = await reconcileList(reading, { full: false, since: null, resume: false, pages: null, ...options });
    for (const [name, mark] of [...outcome.watermarks, ...(outcome.due ?? [])]) store.marks.set(name, mark);
    return { ...outcome, reading, progress };
  };
  return { service, store, run };
}
const row = (id: string, age: number, status = 'completed'): Row => ({ id, createdAt: NOW - age, status });
/** More than a page shows. */
const LONG = Array.from({ length: 150 }, (_, n) => row(`long${n}`, DAY + n * MINUTE));
const PROVEN = { complete: true, calls: 1, toEnd: true };

describe('what a reading has proven', () => {
  test('the first one reads the list and each open state whole, and notes when', async () => {
    const { run, store, service } = world(row('new', MINUTE, 'pending'), row('old', 40 * DAY));
    const { complete, proof, watermarks, due, reading, progress } = await run();
    expect(complete).toBe(true);
    expect(progress).toHaveBeenNthCalledWith(1, { seen: 2, calls: 0, oldest: NOW - 40 * DAY, total: null });
    expect(proof).toEqual({
      head: [{ ...PROVEN, seen: 2, from: iso(NOW), to: iso(NOW + 10) }],
      states: Object.fromEntries(
        ['waiting_address_selection', 'pending', 'confirming', 'unmatched', 'irregular']
          .filter((status) => [...paymentIntentList.activeStates, ...paymentIntentList.waitingStates].includes(status))
          .map((status) => [status, expect.objectContaining({ ...PROVEN, seen: status === 'pending' ? 1 : 0 })]),
      ),
      closure: { looked: 0, undecided: 0, left: 0 },
      marked: { looked: 0, undecided: 0 },
      sweep: { name: 'sweep:all', continues: false },
      absent: { proven: 0, undecided: 0, more: false },
    });
    expect(watermarks).toEqual(new Map([['head', { at: NOW }]]));
    expect(due?.get('clock')).toEqual({ to: service.clock });
    expect(due?.get('sweep:all')).toEqual({ at: NOW, calls: 1 });
    for (const status of paymentIntentList.waitingStates)
      expect(due?.get(`whole:${status}`)).toMatchObject({ calls: 1 });
    expect([...store.held.keys()].toSorted()).toEqual(['new', 'old']);
    expect(reading.recent).toEqual(new Set());
  });

  test('the next one reads what is new and open, and polls what was open and is shown as such no more', async () => {
    const { run, service, store } = world(row('new', MINUTE, 'pending'), ...LONG, row('old', 40 * DAY, 'pending'));
    await run();
    service.clock += MINUTE;
    for (const changed of service.rows.filter(({ status }) => status === 'pending')) changed.status = 'completed';
    service.rows.push(row('newest', -MINUTE));
    const { complete, proof } = await run();
    expect(complete).toBe(true);
    expect(proof).toMatchObject({
      head: [{ complete: true, calls: 1, toEnd: false }],
      closure: { looked: 1, undecided: 0, left: 0 },
      sweep: { name: 'none', continues: false },
      absent: { proven: 0 },
    });
    expect(store.held.has('newest')).toBe(true);
    expect(store.held.get('old')?.row?.fields['status']).toBe('completed');
  });

  test('a record that the list lacks where it would stand is absent; one that was just made may still come', async () => {
    const { run, service, store } = world(row('stays', MINUTE), row('gone', 2 * MINUTE, 'pending'), row('last', DAY));
    await run();
    service.clock += MINUTE;
    service.rows.splice(1, 1);
    const { complete, proof } = await run();
    expect({ complete, absent: proof['absent'] }).toEqual({
      complete: true,
      absent: { proven: 1, undecided: 0, more: false },
    });
    expect(store.held.get('gone')?.absent).toBe(true);
    service.rows.unshift({ id: 'young', createdAt: service.clock - 1, status: 'pending' });
    const seen = await run();
    expect(seen.reading.recent).toEqual(new Set(['young']));
    service.rows.shift();
    expect((await run()).complete).toBe(false);
    expect(store.held.get('young')?.absent).toBe(false);
    const edge = await world(row('settled', 30_001), row('just made', 30_000)).run();
    expect(edge.reading.recent).toEqual(new Set(['just made']));
  });

  test('more that seem to be missing than one run polls: it is not complete, and says so', async () => {
    const { run, store, service } = world(row('a', MINUTE), row('b', DAY));
    await run();
    service.clock += MINUTE;
    const between = store.between.bind(store);
    vi.spyOn(store, 'between')
      .mockImplementationOnce(async (span, except) => ({ ...(await between(span, except)), more: true }))
      .mockImplementation(between);
    service.clock -= 3 * MINUTE;
    const { complete, proof } = await run();
    expect(complete).toBe(false);
    expect(proof['reason']).toMatch(/as older; more records seem to be missing than one run polls$/);
    expect(proof['absent']).toEqual({ proven: 0, undecided: 0, more: true });
  });

  test('a page of a filtered list says nothing of what it lacks', async () => {
    const { run, store } = world(row('a', MINUTE, 'pending'), row('b', DAY));
    const between = vi.spyOn(store, 'between');
    const { proof } = await run();
    const whole = (proof['head'] as object[]).length;
    expect(between).toHaveBeenCalledTimes(whole);
  });

  test('a clock of the service that goes back by more than ten seconds keeps it from being complete', async () => {
    for (const [back, complete] of [
      [9_000, true],
      [MINUTE, false],
    ] as const) {
      const { run, service } = world(row('a', DAY));
      await run();
      const reached = service.clock;
      service.clock -= back;
      const outcome = await run();
      expect(outcome.complete).toBe(complete);
      expect(outcome.due?.get('clock')).toEqual({ to: reached });
      if (!complete) expect(outcome.proof['reason']).toMatch(/^the clock of the service went back by 60 s/);
    }
  });

  test('so many pages at most: what is left is noted, and read by the runs after it until all is whole', async () => {
    const rows = Array.from({ length: 450 }, (_, n) => row(`r${n}`, (n + 1) * MINUTE));
    const { run, service, store } = world(...rows);
    const proofs: unknown[] = [];
    for (let n = 0; n < 12; n += 1) {
      const { complete, proof, due } = await run({ pages: 2 });
      proofs.push(complete);
      if (complete) expect(due?.get('sweep:all')).toMatchObject({ calls: 5 });
      else expect(proof['reason']).toContain('goes on with the next run');
      if (complete) break;
      service.clock += MINUTE;
    }
    expect(proofs.at(-1)).toBe(true);
    expect(proofs.length).toBeGreaterThan(2);
    expect(store.held.size).toBe(450);
    expect([...store.parts.values()].map(({ list, newer }) => [list, newer])).toEqual([['head', null]]);
  });

  test('old ones that waited for a decision are polled one by one while they are few, and all of them once an hour', async () => {
    for (const [many, later, looked] of [
      [30, MINUTE, 30],
      [31, MINUTE, 0],
      [31, 61 * MINUTE, 31],
    ] as const) {
      const waiting = Array.from({ length: many }, (_, n) => row(`w${n}`, 60 * DAY + n * MINUTE, 'unmatched'));
      const { run, service } = world(...LONG, ...waiting);
      await run();
      service.clock += later;
      for (const one of waiting) one.status = 'completed';
      expect((await run()).proof['closure']).toEqual({ looked, undecided: 0, left: 0 });
    }
  });

  test.each([30, 31])(
    '%i disputes that no filter lists are polled one by one while they are few, else once an hour',
    async (many) => {
      const disputed = (n: number) => ({ ...row(`d${n}`, 20 * DAY + n * MINUTE), irregularStatus: 'pending_decision' });
      // More than a page lies between them and what is read each hour.
      const between = Array.from({ length: 150 }, (_, n) => row(`between${n}`, 15 * DAY + n * MINUTE));
      const { run, service } = world(...LONG, ...between, ...Array.from({ length: many }, (_, n) => disputed(n)));
      const looked = async (later: number) => {
        service.clock += later;
        return (await run()).proof['closure'];
      };
      await run();
      expect(await looked(MINUTE), 'not polled since the filter was read').toMatchObject({ looked: many });
      const resting = many > 30 ? 0 : many;
      expect(await looked(MINUTE)).toMatchObject({ looked: resting });
      expect(await looked(61 * MINUTE), 'the filter is read whole').toMatchObject({ looked: resting });
      expect(await looked(MINUTE)).toMatchObject({ looked: many });
      expect(await looked(MINUTE)).toMatchObject({ looked: resting });
    },
  );

  test('an empty list is not believed where we hold records of it', async () => {
    const { run, service } = world(row('a', DAY));
    await run();
    service.rows.length = 0;
    service.clock += MINUTE;
    const { complete, proof } = await run();
    expect(complete).toBe(false);
    expect(proof['reason']).toContain('the newest part: the list is empty, though it has shown us records');
  });

  test('the whole list is read again when a person asks for it, under a name of its own', async () => {
    const { run, service } = world(...LONG);
    await run();
    service.clock += MINUTE;
    const { proof, due } = await run({ full: true });
    expect(proof['sweep']).toMatchObject({ ...PROVEN, calls: 3, name: 'sweep:all', continues: false, seen: 150 });
    expect(due?.get('sweep:all')).toMatchObject({ calls: 2 });
    service.clock += MINUTE;
    const since = await run({ since: NOW - DAY - MINUTE });
    expect(since.proof['sweep']).toMatchObject({ name: 'sweep:since', complete: true, calls: 1, toEnd: false });
    expect(since.due?.has('sweep:all')).toBe(false);
    const some = await run({ since: NOW - 3 * DAY, pages: 1 });
    expect(some.proof['sweep']).toMatchObject({ name: 'sweep:since', continues: true, calls: 1 });
    service.clock += MINUTE;
    const part = await run({ full: true, pages: 1 });
    expect([part.proof['sweep'], part.due?.has('sweep:all')]).toMatchObject([{ continues: true, toEnd: false }, false]);
    const begunAt = service.clock;
    const rest = await run({ full: true, pages: 5, resume: true });
    expect(rest.proof['sweep']).toMatchObject({ continues: false, toEnd: true });
    expect(rest.due?.get('sweep:all')?.['at']).toBeLessThan(begunAt);
  });

  test('what is due by itself is read to the end, however few pages a first reading may have at once', async () => {
    const { run, service } = world(...LONG);
    await run();
    service.clock += 8 * DAY;
    const { proof } = await run({ pages: 1 });
    expect(proof['sweep']).toMatchObject({ name: 'sweep:all', calls: 3, toEnd: true, continues: false });
  });

  test('one that is stopped ends with the reason', async () => {
    const { run } = world(row('a', DAY));
    await expect(run({}, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
