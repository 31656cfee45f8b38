import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../src/console/api/resources.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { bearer, consoleTokens, testConsole } from '../support/console.js';
import { seedConsole } from '../support/console-samples.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  await seedConsole(store.db);
  app = testConsole(store.db).app;
});

function get(path: string, { role = 'viewer', tag }: { role?: string; tag?: string } = {}) {
  const asked = request(app).get(`/api/v1/${path}`).set(bearer(role));
  return tag === undefined ? asked : asked.set('If-None-Match', tag);
}

describe('an answer that was given before', () => {
  it('is not sent again while nothing has changed, and is once something has', async () => {
    const first = await get('orders');
    const tag = first.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{32}"$/);
    const again = await get('orders', { tag });
    expect([again.status, again.text, again.get('etag')]).toEqual([304, '', tag]);
    await store.db.transaction((trx) => registerOrder(trx, { reference: 'new', amount: '1', currency: 'EUR' }));
    const changed = await get('orders', { tag });
    expect(changed.status).toBe(200);
    expect(changed.body.items).toHaveLength(first.body.items.length + 1);
    expect(changed.get('etag')).not.toBe(tag);
  });

  it('is known by its tag in a list, made weak by a proxy that packed it, and by a star', async () => {
    const tag = (await get('runs')).get('etag') ?? '';
    for (const given of [`"other", ${tag}`, `W/${tag}`, '*'])
      expect((await get('runs', { tag: given })).status).toBe(304);
    for (const given of ['"other"', tag.slice(1), '']) expect((await get('runs', { tag: given })).status).toBe(200);
  });

  it('is not sent again to who says no-cache too, as `fetch` does of itself', async () => {
    const tag = (await get('runs')).get('etag') ?? '';
    const asked = get('runs', { tag }).set({ 'Cache-Control': 'no-cache', Pragma: 'no-cache' });
    expect((await asked).status).toBe(304);
  });

  it('may be kept by who asked alone, and is asked for again each time', async () => {
    const [whole, unchanged] = [await get('runs'), await get('runs', { tag: '*' })];
    const refused = await request(app).get('/api/v1/runs');
    for (const answer of [whole, unchanged, refused]) {
      expect(answer.get('cache-control')).toBe('private, no-cache');
      expect(answer.get('vary')).toContain('Authorization');
    }
    const head = await request(app).head('/api/v1/runs').set(bearer('viewer'));
    expect([head.status, head.get('etag')]).toEqual([200, whole.get('etag')]);
  });

  it('is kept from who may not ask, and a problem never is “unchanged”', async () => {
    const without = await request(app).get('/api/v1/runs').set('If-None-Match', '*');
    expect(without.status).toBe(401);
    expect((await get('secrets', { tag: '*' })).status).toBe(403);
    expect((await get('runs/999', { tag: '*' })).status).toBe(404);
    expect((await get('runs?take=0', { tag: '*' })).status).toBe(400);
  });
});

describe('roles, which may see different things of the same address,', () => {
  it.each(resources.map(({ path }) => path))(
    'are never answered “unchanged” by the tag of another: %s',
    async (path) => {
      const tags = new Map<string, string>();
      for (const { role } of consoleTokens) tags.set(role, (await get(path, { role })).get('etag') ?? '');
      expect(new Set(tags.values()).size).toBe(consoleTokens.length);
      for (const [role, own] of tags) {
        const others = [...tags.values()].filter((tag) => tag !== own);
        expect((await get(path, { role, tag: own })).status, role).toBe(304);
        expect((await get(path, { role, tag: others.join(', ') })).status, role).toBe(200);
      }
    },
  );
});

it('what an action answers is kept by nobody', async () => {
  const answer = await request(app)
    .put('/api/v1/orders/kept')
    .set(bearer('operator'))
    .set('If-None-Match', '*')
    .send({ amount: '1', currency: 'EUR' });
  expect([answer.status, answer.get('cache-control')]).toEqual([201, 'no-store']);
});
