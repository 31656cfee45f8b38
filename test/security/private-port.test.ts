import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { sendRaw, startReceiver } from '../support/receiver.js';

const database = useDatabase();
let site: ReturnType<typeof testConsole>;
let served: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  site = testConsole(database.db);
  served = await serve(site.app);
});
afterAll(async () => {
  await served.close();
});

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  handle?: unknown;
}

/** Every route of the application, however deep; those under /api/v1 without it, as the router knows them. */
function routesOf({ stack }: { stack: Layer[] }): { method: string; path: string }[] {
  return stack.flatMap(({ route, handle }) => {
    if (route)
      return Object.keys(route.methods).map((method) => ({
        method: asked(method),
        path: route.path.replace(/:\w+/g, '1'),
      }));
    return typeof handle === 'function' && 'stack' in handle ? routesOf(handle as never) : [];
  });
}

/** What stands for all methods is asked by one that no other route has. */
const asked = (method: string): string => (method === '_all' ? 'patch' : method);

/** What is for everybody: probes, counts, the way in, and what can be asked (docs/api.md), which holds nothing of anybody. */
const OPEN = [
  '/livez',
  '/readyz',
  '/metrics',
  '/sign-in',
  '/sign-out',
  '/theme',
  // As the theme: it sets a cookie of the visitor's own, and shows nothing.
  '/zone',
  '/assets',
  '/favicon.ico',
  '/openapi.json',
];
const routes = () => routesOf(site.app.router as never).filter(({ path }) => !OPEN.includes(path));

test('no route of the private port answers anybody without a token, or with a wrong one', async () => {
  expect(routes().length).toBeGreaterThan(50);
  const wrong = [{}, { Authorization: 'Bearer wrong-token-1' }, { Authorization: `Bearer ${tokenOf('viewer')}x` }];
  for (const { method, path } of routes()) {
    for (const prefix of ['/api/v1', '']) {
      for (const headers of prefix === '' ? [{}] : wrong) {
        const request = { method: method.toUpperCase(), headers: headers as Record<string, string> };
        const answer = await fetch(`${served.url}${prefix}${path}`, { ...request, redirect: 'manual' });
        const { status } = answer;
        // A path of the one half is none of the other.
        const refused = prefix === '' ? [303, 401, 404] : [401];
        expect([method, prefix + path, refused.includes(status)]).toEqual([method, prefix + path, true]);
        expect(await answer.text()).not.toContain('"items"');
      }
    }
  }
  for (const command of Object.values(site.commands)) expect(command).not.toHaveBeenCalled();
  expect(await database.db('actions').where({ outcome: 'done' })).toEqual([]);
});

test('a token is taken from its header alone', async () => {
  const token = tokenOf('admin');
  for (const path of [`/api/v1/orders?token=${token}`, `/api/v1/orders?access_token=${token}`]) {
    expect((await request(served.url).get(path)).status).toBe(401);
  }
  for (const headers of [
    { 'X-Api-Key': token },
    { Cookie: `token=${token}; tallyhook_session=${token}` },
    { Authorization: token },
  ]) {
    expect(
      (
        await request(served.url)
          .get('/api/v1/orders')
          .set(headers as Record<string, string>)
      ).status,
    ).toBe(401);
  }
});

test('other sites may neither read nor frame an answer', async () => {
  for (const path of ['/api/v1/orders', '/metrics', '/sign-in']) {
    const answer = await request(served.url)
      .get(path)
      .set({ Origin: 'https://evil.example', Authorization: `Bearer ${tokenOf('admin')}` });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(answer.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(answer.get('x-content-type-options')).toBe('nosniff');
    expect(answer.get('x-powered-by')).toBeUndefined();
  }
});

test('nothing of the private port is on the public one', async () => {
  const receiver = await startReceiver(database.db);
  try {
    const paths = routes().flatMap(({ method, path }) => [`${method} /api/v1${path}`, `${method} ${path}`]);
    const answered = [...paths, 'get /metrics', 'get /sign-in', 'post /sign-in', 'get /assets/console.js'];
    const lines = answered.map((line) => line.replace(/^\w+/, (method) => method.toUpperCase()));
    const auth = `Authorization: Bearer ${tokenOf('admin')}\r\n`;
    const requests = lines.map((line) => `${line} HTTP/1.1\r\nHost: a\r\n${auth}\r\n`);
    const last = `GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(receiver.port, [...requests, last].join(''));
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses).toHaveLength(lines.length + 1);
    expect(new Set(statuses)).toEqual(new Set(['404']));
  } finally {
    await receiver.close();
  }
});
