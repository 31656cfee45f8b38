import request from 'supertest';
import { expect, test } from 'vitest';
import { boundedStore } from '../../src/console/http/sign-in.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

const HERE = { Host: 'console.example', Origin: 'https://console.example', 'Sec-Fetch-Site': 'same-origin' };
const TOKEN = tokenOf('viewer');

/** A console of its own, and how often a sign-in was answered with what. */
async function opened(trustedProxies: string[]) {
  const served = await serve(testConsole(database.db, { trustedProxies }).app);
  const attempt = async (token: string, from?: string, more: Record<string, string> = {}): Promise<number> => {
    const headers = { ...HERE, ...(from === undefined ? {} : { 'X-Forwarded-For': from }), ...more };
    return (await request(served.url).post('/sign-in').set(headers).type('form').send({ token })).status;
  };
  const attempts = async (count: number, ...given: Parameters<typeof attempt>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) statuses.push(await attempt(...given));
    return statuses;
  };
  return { attempt, attempts, close: served.close };
}

test('neither forms of another site nor wrong tokens from elsewhere keep anybody out', async () => {
  const site = await opened(['loopback']);
  const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  expect(new Set(await site.attempts(30, 'guess', '203.0.113.9', evil))).toEqual(new Set([403]));
  expect(await site.attempts(12, 'guess', '203.0.113.1')).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await site.attempt(TOKEN, '203.0.113.1')).toBe(429);
  expect(await site.attempt(TOKEN, '203.0.113.9')).toBe(303);
  // Right ones count for nothing.
  expect(new Set(await site.attempts(15, TOKEN, '203.0.113.9'))).toEqual(new Set([303]));
  await site.close();
});

test('who asks is the address of the socket, or what a trusted proxy says', async () => {
  const bare = await opened([]);
  const statuses: number[] = [];
  for (let n = 0; n < 11; n++) statuses.push(await bare.attempt('guess', `198.51.100.${n}`));
  expect(statuses.at(-1)).toBe(429);
  await bare.close();
  const behind = await opened(['127.0.0.1/32']);
  // What the sender wrote stands before what the proxy added.
  for (let n = 0; n < 10; n++) await behind.attempt('guess', `198.51.100.${n}, 203.0.113.1`);
  expect(await behind.attempt('guess', '198.51.100.99, 203.0.113.1')).toBe(429);
  expect(await behind.attempt(TOKEN, '203.0.113.2')).toBe(303);
  await behind.close();
});

test('the addresses that failed are bounded, and each is forgotten after its minute', async () => {
  const store = boundedStore(60_000, 3);
  for (const key of ['a', 'a', 'b', 'c', 'd']) await store.increment(key);
  expect(await store.increment('d')).toMatchObject({ totalHits: 2 });
  expect(await store.increment('a')).toMatchObject({ totalHits: 1 });
  const short = boundedStore(-1, 3);
  await short.increment('a');
  expect(await short.increment('a')).toMatchObject({ totalHits: 1 });
});
