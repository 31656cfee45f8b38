import type { Express } from 'express';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { actions } from '../../../src/console/actions/actions.js';
import { routePath } from '../../../src/console/api/api-router.js';
import { operations } from '../../../src/console/api/operations.js';
import { fillPath, ownPath } from '../../../src/console/http/page-request.js';
import { pages } from '../../../src/console/pages/pages.js';
import { bearer, consoleTokens, testConsole, tokenOf } from '../../support/console.js';
import { samplePaths, seedConsole } from '../../support/console-samples.js';
import { HERE, session } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';

const HOST = HERE.Host;

const store = useDatabase();
let consoleUnderTest: ReturnType<typeof testConsole>;
let app: Express;

beforeAll(async () => {
  await seedConsole(store.db);
  consoleUnderTest = testConsole(store.db);
  app = consoleUnderTest.app;
});

const sessions = new Map<string, ReturnType<typeof session>>();
const sessionOf = (role: string) => sessions.get(role) ?? sessions.set(role, session(app, role)).get(role)!;

describe('pages', () => {
  it.each(pages.map(({ path }) => path))('%s needs a session and is never kept by a cache', async (path) => {
    const address = samplePaths[path] ?? path;
    const without = await request(app).get(address);
    expect(without.status).toBe(303);
    expect(without.get('location')).toBe(address === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(address)}`);
    const { cookie } = await sessionOf('admin');
    const forged = await request(app)
      .get(address)
      .set('Cookie', `${cookie.slice(0, -2)}xx`);
    expect(forged.status).toBe(303);
    const page = await request(app).get(address).set('Cookie', cookie);
    expect(page.status).toBe(200);
    expect(page.get('cache-control')).toBe('no-store');
    expect(page.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.get('content-security-policy')).not.toContain('unsafe');
  });

  it('of some roles refuse the others, in words', async () => {
    const { cookie } = await sessionOf('viewer');
    for (const page of pages.filter(({ roles }) => roles && !roles.includes('viewer'))) {
      expect(
        (
          await request(app)
            .get(samplePaths[page.path] ?? page.path)
            .set('Cookie', cookie)
        ).status,
      ).toBe(403);
    }
  });

  it('mask for viewers what is personal', async () => {
    const [viewer, operator] = [await sessionOf('viewer'), await sessionOf('operator')];
    for (const path of ['/events/1', samplePaths['/orders/:reference'] ?? '']) {
      expect((await request(app).get(path).set('Cookie', viewer.cookie)).text).not.toContain('ann@example.com');
    }
    expect((await request(app).get('/events/1').set('Cookie', operator.cookie)).text).toContain('ann@example.com');
  });

  it('say as a page what is not there or not understood, and to programs as a problem', async () => {
    const { cookie } = await sessionOf('viewer');
    for (const [path, status] of [
      ['/nowhere', 404],
      ['/orders/nobody', 404],
      ['/orders?colour=red', 400],
      ['/orders?cursor=x', 400],
      ['/events?eventType=%00', 200],
    ] as const) {
      const answer = await request(app).get(path).set('Cookie', cookie);
      expect([path, answer.status, answer.type]).toEqual([path, status, 'text/html']);
    }
    const problem = await request(app).get('/api/v1/nowhere').set(bearer('viewer'));
    expect([problem.status, problem.type]).toEqual([404, 'application/problem+json']);
  });
});

describe('sessions', () => {
  it('hold at another process with the same tokens, and end with the token', async () => {
    const { cookie } = await sessionOf('viewer');
    const other = testConsole(store.db).app;
    expect((await request(other).get('/orders').set('Cookie', cookie)).status).toBe(200);
    const without = testConsole(store.db, { tokens: consoleTokens.filter(({ role }) => role !== 'viewer') }).app;
    expect((await request(without).get('/orders').set('Cookie', cookie)).status).toBe(303);
    const changed = consoleTokens.map((entry) => ({ ...entry, token: `${entry.token}-new` }));
    expect(
      (
        await request(testConsole(store.db, { tokens: changed }).app)
          .get('/orders')
          .set('Cookie', cookie)
      ).status,
    ).toBe(303);
    const later = testConsole(store.db, { now: () => new Date(Date.now() + 12 * 3_600_000 + 1_000) }).app;
    expect((await request(later).get('/orders').set('Cookie', cookie)).status).toBe(303);
  });

  it('are out of the reach of scripts and other sites, and Secure where https is spoken', async () => {
    const plain = await request(app)
      .post('/sign-in')
      .set(HERE)
      .type('form')
      .send({ token: tokenOf('viewer') });
    expect(String(plain.get('set-cookie'))).toMatch(/HttpOnly; SameSite=Strict$/);
    const https = await request(app)
      .post('/sign-in')
      .set({ ...HERE, 'X-Forwarded-Proto': 'https' })
      .type('form')
      .send({ token: tokenOf('viewer') });
    expect(String(https.get('set-cookie'))).toMatch(/Secure$/);
  });

  it('begin from here alone, lead nowhere else, and are not to be guessed', async () => {
    const { app: own } = testConsole(store.db);
    const send = (headers: object, body: object) =>
      request(own)
        .post('/sign-in')
        .set(headers as Record<string, string>)
        .type('form')
        .send(body);
    expect((await send({ Host: HOST, Origin: 'https://evil.example' }, { token: tokenOf('viewer') })).status).toBe(403);
    expect((await send(HERE, { token: tokenOf('viewer'), next: '//evil.example' })).get('location')).toBe('/');
    const answers: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) answers.push((await send(HERE, { token: 'guess' })).status);
    expect(answers.at(0)).toBe(401);
    expect(answers.at(-1)).toBe(429);
  });

  it('lead back to own addresses alone', () => {
    const own = ['/orders?status=paid', '/events/1#x'];
    const foreign = [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/a\nb',
      '',
      undefined,
      ['/a'],
    ];
    expect(own.map(ownPath)).toEqual(own);
    expect(foreign.map(ownPath)).toEqual(foreign.map(() => '/'));
  });
});

describe('actions', () => {
  const addressOf = (path: string) =>
    fillPath(path, Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', '1'])));

  it.each(actions.map((action) => [action.path, action] as const))(
    '%s is refused to whoever may not',
    async (path, action) => {
      const admin = await sessionOf('admin');
      const foreign = await sessionOf('operator');
      const viewer = await sessionOf('viewer');
      const body = { reason: 'because', _confirmed: 'yes' };
      const post = (headers: Record<string, string>, form: Record<string, string>) =>
        request(app).post(addressOf(path)).set(headers).type('form').send(form);
      const mine = { ...HERE, Cookie: admin.cookie };
      const before = await store.db('actions').whereNot({ outcome: 'refused' }).count();
      expect((await post(HERE, { ...body, _csrf: admin.csrf })).status).toBe(401);
      expect((await post(mine, body)).status).toBe(403);
      expect((await post(mine, { ...body, _csrf: foreign.csrf })).status).toBe(403);
      for (const from of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ]) {
        expect((await post({ ...mine, ...from }, { ...body, _csrf: admin.csrf })).status).toBe(403);
      }
      expect((await post({ Host: HOST, Cookie: admin.cookie }, { ...body, _csrf: admin.csrf })).status).toBe(403);
      if (!action.roles.includes('viewer')) {
        expect((await post({ ...HERE, Cookie: viewer.cookie }, { ...body, _csrf: viewer.csrf })).status).toBe(403);
        const [kept] = await store.db('actions').orderBy('id', 'desc').limit(1);
        expect(kept).toMatchObject({ actor: 'vera', action: action.name, outcome: 'refused' });
      }
      if (action.needsReason !== false) {
        const fields = (action.fields ?? []).map(({ name }) => name);
        const given = Object.fromEntries(fields.map((name) => [name, `<given> as ${name}`]));
        const again = await post(mine, { ...body, ...given, kept: 'on', reason: ' ', _csrf: admin.csrf });
        expect([again.status, again.text]).toEqual([400, expect.stringContaining('Say why, in a few words')]);
        for (const name of fields) expect(again.text).toContain(`value="&lt;given&gt; as ${name}"`);
        expect(again.text).toContain('name="kept" value="on"');
      }
      expect(await store.db('actions').whereNot({ outcome: 'refused' }).count()).toEqual(before);
      for (const command of Object.values(consoleUnderTest.commands)) expect(command).not.toHaveBeenCalled();
    },
  );

  it('are all that a browser can change anything by', () => {
    const known = ['/sign-in', '/sign-out', '/theme', '/zone', ...actions.map(({ path }) => path)];
    const changing = routesOf(app.router as unknown as Layered).filter(({ methods }) =>
      methods.some((method) => !['get', 'head'].includes(method)),
    );
    const strays = changing.map(({ path }) => path).filter((path) => !known.includes(path) && !apiPaths.includes(path));
    expect(changing.length).toBeGreaterThan(known.length);
    expect(strays).toEqual([]);
  });
});

/** The read API has tokens, no cookies: it is not reached by a browser's session. */
const apiPaths = operations.map(({ path }) => routePath(path));

interface Layered {
  stack: { route?: { path: string; methods: Record<string, boolean> }; handle?: unknown }[];
}

function routesOf({ stack }: Layered): { path: string; methods: string[] }[] {
  return stack.flatMap(({ route, handle }) => {
    if (route) return [{ path: route.path, methods: Object.keys(route.methods) }];
    return typeof handle === 'function' && 'stack' in handle ? routesOf(handle as unknown as Layered) : [];
  });
}
