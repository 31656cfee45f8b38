import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { applyRetention } from '../../src/records/retention/apply-retention.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';

type Served = Awaited<ReturnType<typeof serve>>;

const database = useDatabase();
let here: Served;
let there: Served;
beforeAll(async () => {
  [here, there] = await Promise.all([serve(testConsole(database.db).app), serve(testConsole(database.db).app)]);
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
});

const HERE = { Host: 'console.example', Origin: 'https://console.example', 'Sec-Fetch-Site': 'same-origin' };
const TOKEN = tokenOf('viewer');

async function signIn(cookie = ''): Promise<string> {
  const form = request(here.url).post('/sign-in').set(HERE).set('Cookie', cookie).type('form');
  return String((await form.send({ token: TOKEN })).get('set-cookie')?.at(-1)).split(';')[0] ?? '';
}

const visit = async (site: Served, cookie: string, path = '/orders') =>
  request(site.url).get(path).set('Cookie', cookie).redirects(0);

async function signOut(cookie: string): Promise<number> {
  const page = await visit(here, cookie);
  const csrf = /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const form = request(here.url).post('/sign-out').set(HERE).set('Cookie', cookie).type('form');
  return (await form.send({ _csrf: csrf })).status;
}

test('a copy of the cookie is worth nothing once its owner signed out, here and at another console', async () => {
  const [mine, other] = [await signIn(), await signIn()];
  expect((await visit(there, mine)).status).toBe(200);
  expect(await signOut(mine)).toBe(303);
  expect((await visit(here, mine)).status).toBe(303);
  await until('the other console has heard of it', async () => (await visit(there, mine)).status === 303, {
    timeoutMs: 3_000,
  });
  for (const site of [here, there]) {
    expect((await visit(site, mine, '/live/')).status).toBe(401);
    expect((await visit(site, `${mine}.x`)).status).toBe(303);
    const form = request(site.url).post('/events/1/replay').set(HERE).set('Cookie', mine).type('form');
    expect((await form.send({ reason: 'because' })).status).toBe(401);
    expect((await visit(site, other)).status).toBe(200);
  }
  expect(await signOut('tallyhook_session=made.1.up.x')).toBe(303);
  expect(await database.db('ended_sessions').count()).toEqual([{ count: '1' }]);
});

test('who signs in again leaves no session behind', async () => {
  const first = await signIn();
  const second = await signIn(first);
  expect((await visit(here, first)).status).toBe(303);
  expect((await visit(here, second)).status).toBe(200);
});

test('where https is spoken nobody acts in a session that another host planted', async () => {
  const https = { ...HERE, 'X-Forwarded-Proto': 'https' };
  const planted = await signIn();
  const form = request(here.url).post('/sign-in').set(https).type('form');
  const own = String((await form.send({ token: TOKEN })).get('set-cookie')?.at(-1));
  expect(own).toMatch(/^__Host-tallyhook_session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
  const asked = (cookie: string) => request(here.url).get('/orders').set(https).set('Cookie', cookie).redirects(0);
  expect((await asked(planted)).status).toBe(303);
  expect((await asked(`${planted}; ${own.split(';')[0]}`)).status).toBe(200);
});

test('whoever signs in and out without end leaves a bounded list, and no session comes to life again', async () => {
  const before = await signIn();
  let cookie = before;
  for (let n = 0; n < 130; n++) cookie = await signIn(cookie);
  const [{ count } = {}] = await database.db('ended_sessions').count();
  expect(Number(count)).toBeLessThanOrEqual(101);
  expect((await visit(here, before)).status).toBe(303);
});

test('what is kept of a session goes when it would have ended by itself', async () => {
  const days = { body: 90, keys: 400, personal: 400 };
  const log = createLog('silent');
  await applyRetention({ db: database.db, log, now: () => new Date(), days });
  expect(await database.db('ended_sessions').count()).not.toEqual([{ count: '0' }]);
  await applyRetention({ db: database.db, log, now: () => new Date(Date.now() + 13 * 3_600_000), days });
  expect(await database.db('ended_sessions').count()).toEqual([{ count: '0' }]);
});
