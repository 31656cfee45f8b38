import { expect, test } from 'vitest';
import { newListPoll } from '../../src/reconcile/lists/list-poll.js';
import { paymentIntentList } from '../../src/reconcile/lists/payment-intents.js';
import { createPageSaver, type PageSaver } from '../../src/reconcile/lists/scan-gap.js';
import type { ScanPage } from '../../src/reconcile/lists/scan-list.js';
import { MemoryStore } from './memory-store.js';

const PAGE = 100;
const NEWEST = 1_700_000_000_000;

/** A page of a list that has a record every second; it begins with the last two rows of the page before it. */
function pageAt(index: number): ScanPage {
  const begin = index === 0 ? 0 : index * PAGE - 2;
  const rows = Array.from({ length: (index + 1) * PAGE - begin }, (_, row) => {
    const at = begin + row;
    return { id: `pi_${String(at).padStart(5, '0')}`, createdAt: NEWEST - at * 1_000, fields: {} };
  });
  const [from, to] = [NEWEST + 60_000 + index, NEWEST + 60_000 + index];
  const above = index === 0 ? null : (rows[0] ?? null);
  const chain = above === null ? rows : rows.slice(1);
  return { rows, fresh: PAGE, from, to, contiguous: true, above, chain, atEnd: false, done: false };
}

function shrink(index: number) {
  const last = pageAt(index).rows.at(-1);
  return { type: 'shrink', id: '1', newer: { id: last?.id ?? '', createdAt: last?.createdAt ?? 0 } } as const;
}

const read = async () => ({ data: [], from: 0, to: 0 });

/** A store that saves when the test says so. */
async function createWorld() {
  const store = new MemoryStore(() => NEWEST);
  const { id } = await store.openGap('head', null);
  expect(id).toBe('1');
  const saves: { pages: number; end: (error?: Error) => void }[] = [];
  store.beforeSave = (pages) =>
    new Promise((resolve, reject) => {
      saves.push({ pages, end: (error) => (error ? reject(error) : resolve()) });
    });
  const poll = newListPoll({ plan: paymentIntentList, read, store, now: () => NEWEST });
  return { store, poll, saves, saver: createPageSaver(poll) };
}

const take = (saver: PageSaver, index: number) => saver.take({ page: pageAt(index), moves: [shrink(index)] });
const settled = async (promise: Promise<unknown>) => {
  let done = false;
  promise.then(
    () => (done = true),
    () => (done = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return done;
};

test('a page is saved at once; those that come meanwhile are saved together, with how far the stretch is read by then', async () => {
  const { store, poll, saves, saver } = await createWorld();
  for (let index = 0; index < 3; index += 1) await take(saver, index);
  expect(saves.map(({ pages }) => pages)).toEqual([1]);
  expect(store.held.size).toBe(0);
  saves[0]?.end();
  const ends = saver.settle();
  expect(await settled(ends)).toBe(false);
  expect(store.held.size).toBe(PAGE);
  expect(store.parts.get('1')?.newer?.id).toBe('pi_00099');
  expect(saves.map(({ pages }) => pages)).toEqual([1, 2]);
  saves[1]?.end();
  await ends;
  expect(store.held.size).toBe(3 * PAGE);
  expect(store.parts.get('1')?.newer?.id).toBe('pi_00299');
  expect(poll.tally.seen).toBe(3 * PAGE);
});

test('of a store that is slower than the service few pages wait: then the reading waits as well', async () => {
  const { saves, saver } = await createWorld();
  for (let index = 0; index < 4; index += 1) await take(saver, index);
  const fifth = take(saver, 4);
  expect(await settled(fifth)).toBe(false);
  saves[0]?.end();
  await fifth;
  expect(saves.map(({ pages }) => pages)).toEqual([1, 4]);
});

test('what can not be saved ends the reading, and nothing that came after it is saved', async () => {
  const { store, saves, saver } = await createWorld();
  await take(saver, 0);
  await take(saver, 1);
  saves[0]?.end(new Error('the disk is full'));
  await expect(saver.settle()).rejects.toThrow('the disk is full');
  await expect(take(saver, 2)).rejects.toThrow('the disk is full');
  await expect(saver.settle()).rejects.toThrow('the disk is full');
  expect(saves.length).toBe(1);
  expect(store.held.size).toBe(0);
  expect(store.parts.get('1')?.newer).toBeNull();
});

test('what pages that were saved together lack is searched for, also where one of them ends and the next begins', async () => {
  const { store, poll, saves, saver } = await createWorld();
  for (const at of [50, 150, 199.5, 250]) store.claim(`gone_${at}`, NEWEST - at * 1_000 - 1);
  for (let index = 0; index < 3; index += 1) await take(saver, index);
  saves[0]?.end();
  await expect.poll(() => saves.length).toBe(2);
  saves[1]?.end();
  await saver.settle();
  expect([...poll.candidates.keys()].sort()).toEqual(['gone_150', 'gone_199.5', 'gone_250', 'gone_50']);
});
