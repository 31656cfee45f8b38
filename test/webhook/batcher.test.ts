import { beforeEach, expect, test } from 'vitest';
import { Batcher, OverloadedError } from '../../src/webhook/batcher.js';

type Outcome = PromiseSettledResult<string>;

let batches: { items: string[]; finish: (outcomes?: Outcome[]) => void; fail: (error: Error) => void }[];
beforeEach(() => {
  batches = [];
});

const fulfilled = (items: string[]): Outcome[] => items.map((value) => ({ status: 'fulfilled', value }));

function create(changes: Partial<ConstructorParameters<typeof Batcher<string, string>>[0]> = {}) {
  const own = batches;
  return new Batcher<string, string>({
    flush: (items) =>
      new Promise((resolve, reject) => {
        own.push({ items, finish: (outcomes = fulfilled(items)) => resolve(outcomes), fail: reject });
      }),
    weightOf: (item) => item.length,
    concurrency: 1,
    maxItems: 3,
    maxWeight: 100,
    maxWaitingItems: 5,
    maxWaitingWeight: 1_000,
    maxWaitMs: 60_000,
    shedAfterMs: 60_000,
    ...changes,
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the first goes at once; what comes meanwhile goes together, in batches of bounded size', async () => {
  const commits = create();
  const answers = [commits.submit('a')];
  await turn();
  expect(commits.isBusy()).toBe(false);
  answers.push(...['b', 'c', 'd', 'e'].map((item) => commits.submit(item)));
  await turn();
  expect(commits.isBusy()).toBe(true);
  expect(batches.map(({ items }) => items)).toEqual([['a']]);
  batches[0]?.finish();
  await turn();
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']]);
  batches[1]?.finish();
  await turn();
  await turn();
  batches[2]?.finish();
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('weight bounds a batch too, but a large item still goes, alone', async () => {
  const commits = create({ maxWeight: 10, concurrency: 3 });
  for (const item of ['x'.repeat(50), 'aaaaaa', 'bbbb', 'c']) void commits.submit(item);
  for (let i = 0; i < 4; i += 1) await turn();
  expect(batches.map(({ items }) => items.map(({ length }) => length))).toEqual([[50], [6, 4], [1]]);
});

test('a little waits for the flush that runs, much or what waited long goes beside it', async () => {
  const many = create({ concurrency: 2, beside: { weight: 4, ms: 60_000 } });
  void many.submit('a');
  await turn();
  void many.submit('bb');
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([['a']]);
  void many.submit('cc');
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([['a'], ['bb', 'cc']]);

  const impatient = create({ concurrency: 2, beside: { weight: 4, ms: 0 } });
  for (const item of ['d', 'e']) {
    void impatient.submit(item);
    await turn();
  }
  expect(batches.slice(2).map(({ items }) => items)).toEqual([['d'], ['e']]);
});

test('each hears its own outcome; a flush that fails, or forgets somebody, fails those it held', async () => {
  const commits = create();
  const mixed = [commits.submit('a'), commits.submit('b'), commits.submit('c')];
  const settled = Promise.allSettled(mixed);
  await turn();
  batches[0]?.finish([
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: new Error('bad b') },
  ]);
  expect(await settled).toMatchObject([
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: { message: 'bad b' } },
    { status: 'rejected' },
  ]);
  const failed = commits.submit('d');
  await turn();
  batches[1]?.fail(new Error('down'));
  await expect(failed).rejects.toThrow('down');
});

test('beyond what may wait, items or weight, the next is sent away at once', async () => {
  const commits = create();
  const waiting = ['a', 'b', 'c', 'd', 'e'].map((item) => commits.submit(item));
  await expect(commits.submit('f')).rejects.toThrow(OverloadedError);
  await expect(create({ maxWaitingWeight: 3 }).submit('long')).rejects.toThrow(OverloadedError);
  await turn();
  batches[0]?.finish();
  expect(await waiting[0]).toBe('a');
});

test('once the first in line has waited for too long, whoever comes is sent away; when the line moves, he may stay', async () => {
  const commits = create({ shedAfterMs: 20 });
  const waiting = [commits.submit('a')];
  await turn();
  waiting.push(commits.submit('b'));
  const start = performance.now();
  while (performance.now() - start < 25);
  await expect(commits.submit('c')).rejects.toThrow(OverloadedError);
  batches[0]?.finish();
  await turn();
  await turn();
  const next = commits.submit('d');
  batches[1]?.finish();
  await turn();
  await turn();
  batches[2]?.finish();
  expect(await Promise.all([...waiting, next])).toEqual(['a', 'b', 'd']);
});

test('whoever waited too long is sent away instead of being written late', async () => {
  const commits = create({ maxWaitMs: 0 });
  const late = commits.submit('a');
  const start = performance.now();
  while (performance.now() - start < 1);
  await expect(late).rejects.toThrow(OverloadedError);
  await commits.idle();
  expect(batches).toEqual([]);
});

test('idle waits for what runs and what waits', async () => {
  const commits = create();
  await commits.idle();
  const answers = ['a', 'b', 'c', 'd'].map((item) => commits.submit(item));
  let idle = false;
  const waiting = commits.idle().then(() => {
    idle = true;
  });
  await turn();
  batches[0]?.finish();
  await turn();
  await turn();
  expect(idle).toBe(false);
  batches[1]?.finish();
  await waiting;
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd']);
});
