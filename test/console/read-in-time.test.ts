import knex from 'knex';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readInTime } from '../../src/console/problem.js';
import { createState, statusNow } from '../../src/console/status.js';
import { createLog } from '../../src/log.js';

/** A connection is ended after a minute of silence: a page and the state in its frame are given up before. */
const MOST_MS = 29_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

it('a page whose database does not answer is given up, and says so', async () => {
  const page = expect(readInTime(never)).rejects.toMatchObject({
    status: 503,
    title: 'Not read in time',
    message: expect.stringContaining('did not answer within 25 s'),
  });
  await vi.advanceTimersByTimeAsync(MOST_MS);
  await page;
});

it('what is read in time is answered, and an error of it is thrown', async () => {
  expect(await readInTime(() => Promise.resolve('read'))).toBe('read');
  await expect(readInTime(() => Promise.reject(new TypeError('a fault')))).rejects.toThrow('a fault');
});

it('the state that can’t be read in time is shown as unknown, never as well', async () => {
  const db = knex({ client: 'pg' });
  db.client.acquireConnection = never;
  const state = createState({
    db,
    log: createLog('silent'),
    now: () => new Date(),
    runKinds: [],
    runEverySeconds: {},
    secretsStatus: never,
  });
  const shown = statusNow(state);
  await vi.advanceTimersByTimeAsync(MOST_MS);
  expect(await shown).toMatchObject({ tone: 'bad', items: [{ text: expect.stringContaining('State unknown') }] });
});
