import { setTimeout as delay } from 'node:timers/promises';
import request from 'supertest';
import { beforeAll, expect, test } from 'vitest';
import type { EntityKind } from '../../src/domain/records.js';
import { appendChanges, feedHead } from '../../src/records/changes.js';
import { bearer, serve, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { sized } from '../support/sizes.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
const viewer = bearer('viewer');
let given = 0;

beforeAll(() => {
  ({ app } = testConsole(store.db));
});

const change = (kind: EntityKind, id: string, to = '"paid"') => ({
  entity: { kind, id },
  field: 'status',
  from: null,
  to,
  source: { type: 'webhook' as const, ref: String((given += 1)) },
  serviceTime: null,
});
const append = (...changes: ReturnType<typeof change>[]) => store.db.transaction((trx) => appendChanges(trx, changes));
const ask = (query: Record<string, unknown>) => request(app).get('/api/v1/changes').query(query).set(viewer);

interface Page {
  items: { seq: string; entity: { kind: string; id: string } }[];
  nextCursor: string | null;
  head: string;
  epoch: string;
}

async function page(query: Record<string, unknown>): Promise<Page> {
  const answer = await ask(query);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as Page;
}

/** All that is there, as one who follows reads it. */
async function followed(query: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = String(query['after']); after !== null; ) {
    const { items, nextCursor }: Page = await page({ ...query, after });
    ids.push(...items.map(({ entity }) => entity.id));
    after = nextCursor;
  }
  return ids;
}

test('one kind alone, and one order alone, whatever stands between', async () => {
  const after = await feedHead(store.db);
  const others = Array.from({ length: 25 }, (_, n) => change('payin', `pa_${n}`));
  await append(
    change('order', 'o1'),
    ...others,
    change('order', 'o2'),
    change('payment_intent', 'o1'),
    change('order', 'o1'),
  );
  for (const take of [1, 2, 500]) {
    expect(await followed({ after, take, entityKind: 'order' })).toEqual(['o1', 'o2', 'o1']);
    expect(await followed({ after, take, reference: 'o1' })).toEqual(['o1', 'o1']);
    expect(await followed({ after, take, reference: 'nobody' })).toEqual([]);
    expect(await followed({ after, take })).toHaveLength(29);
  }
  expect((await ask({ entityKind: 'banana' })).body.detail).toContain('it takes payment_intent');
});

test('of a kind that is rare a page is empty and says where to go on', async () => {
  const after = await feedHead(store.db);
  await store.db.raw(
    `INSERT INTO changes (entity_kind, entity_id, field, to_value, source_type, source_ref)
     SELECT 'payin', 'bulk_' || n, 'status', '"paid"', 'webhook', '1' FROM generate_series(1, 20500) AS n`,
  );
  await append(change('order', 'rare'));
  const first = await page({ after, entityKind: 'order', take: 500 });
  expect(first).toMatchObject({ items: [], nextCursor: String(BigInt(after) + 10_000n) });
  expect(await followed({ after, entityKind: 'order', take: 500 })).toEqual(['rare']);
  // One answer that may wait passes over as much as it takes.
  expect((await page({ after, entityKind: 'order', wait: 5 })).items.map(({ entity }) => entity.id)).toEqual(['rare']);
});

test('an answer is kept back until something is new, and no longer than asked for', async () => {
  const after = await feedHead(store.db);
  const began = performance.now();
  const waiting = page({ after, wait: 20, reference: 'awaited' });
  await delay(300);
  await append(change('order', 'another'));
  await delay(300);
  await append(change('order', 'awaited'));
  const { items } = await waiting;
  expect(items.map(({ entity }) => entity.id)).toEqual(['awaited']);
  expect(performance.now() - began).toBeLessThan(10_000);

  const head = await feedHead(store.db);
  const start = performance.now();
  expect(await page({ after: head, wait: 1 })).toMatchObject({ items: [], nextCursor: null, head });
  expect(performance.now() - start).toBeGreaterThan(900);
  for (const wait of ['31', '-1', '1.5', 'soon']) expect((await ask({ wait })).status).toBe(400);
});

test('as many answers as may be kept back are; one more is sent away, and one that was sent away leaves room', async () => {
  const after = await feedHead(store.db);
  const server = app.listen(0);
  try {
    const answers = Array.from({ length: 101 }, async () =>
      request(server).get('/api/v1/changes').query({ after, wait: 30 }).set(viewer),
    );
    // Nothing is new yet: whoever is answered was sent away.
    const refused = await Promise.race(answers);
    expect([refused.status, refused.body.code, refused.get('retry-after')]).toEqual([503, 'too_many_waiting', '5']);
    await append(change('order', 'for all'));
    const kept = (await Promise.all(answers)).filter(({ status }) => status === 200);
    expect(kept).toHaveLength(100);
    for (const { body } of kept) expect(body.items).toHaveLength(1);
    expect((await request(server).get('/api/v1/changes').query({ after, wait: 1 }).set(viewer)).status).toBe(200);
  } finally {
    server.close();
  }
});

test('another history is said to be one: beyond its end, or of another epoch', async () => {
  const { head, epoch } = await page({ take: 1 });
  expect(epoch).toMatch(/^[0-9a-f]{16}$/);
  expect((await ask({ after: head, epoch })).status).toBe(200);
  const restored = await ask({ after: head, epoch: '0123456789abcdef' });
  expect([restored.status, restored.body.code, restored.body.epoch]).toEqual([410, 'gone', epoch]);
  const beyond = await ask({ after: String(BigInt(head) + 1_000_000n) });
  expect(beyond.body).toMatchObject({ status: 410, code: 'gone', head, epoch });
});

/** The API at a port, which is opened anew: whoever asks meanwhile is cut off. */
async function openApi() {
  const open = () => serve(testConsole(store.db).app);
  let server = await open();
  return {
    url: () => `${server.url}/api/v1/changes`,
    restart: async () => {
      await server.close();
      server = await open();
    },
    close: () => server.close(),
  };
}

/** Whatever it was at work on is undone, a connection of its pool as much as one that waits. */
const endOneConnection = () =>
  store.db.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
  );

test('whoever follows, by polls or by answers that wait, meets each change once and in order, whoever writes and whatever is restarted', async () => {
  const after = await feedHead(store.db);
  const api = await openApi();
  const each = sized(40, 800);
  const restarts = { api: 0, connections: 0, readers: 0, cut: 0 };
  const isUndone = (n: number) => n % 7 === 3;
  const write = (writer: number, n: number) =>
    store.db.transaction(async (trx) => {
      await appendChanges(trx, [change('order', `${writer}-${n}`), change('payin', `${writer}-${n}`)]);
      // A long one, while others commit what was numbered behind it.
      if (n % 10 === 1) await trx.raw('SELECT pg_sleep(0.05)');
      if (isUndone(n)) throw new Error('undone');
      await appendChanges(trx, [change('order', `${writer}-${n}`)]);
    });
  const writers = Array.from({ length: 10 }, async (_, writer) => {
    for (let n = 0; n < each; n += 1) await write(writer, n).catch(() => {});
  });
  const written = new AbortController();
  const restarting = (async () => {
    while (!written.signal.aborted) {
      await delay(150);
      await endOneConnection().then(
        () => (restarts.connections += 1),
        () => {},
      );
      await delay(150);
      await api.restart();
      restarts.api += 1;
    }
  })();
  /** As long as the API is away it is asked again; a reader that is itself restarted asks again from what it has kept. */
  async function asked(query: Record<string, string>, isRestarted: boolean): Promise<Page> {
    for (let attempt = 0; ; attempt += 1) {
      const signal = AbortSignal.timeout(isRestarted && attempt === 0 ? 5 : 10_000);
      const answer = await fetch(`${api.url()}?${String(new URLSearchParams(query))}`, { headers: viewer, signal })
        .then(async (one) => (one.ok ? ((await one.json()) as Page) : one.status))
        .catch(() => null);
      if (answer !== null && typeof answer === 'object') return answer;
      expect(answer ?? 503, 'no answer but that it is away').toBeGreaterThanOrEqual(500);
      expect((restarts.cut += 1), 'how often an answer failed to come').toBeLessThan(100_000);
      await delay(20);
    }
  }
  const readers = [{}, {}, { wait: '1' }, { wait: '1', entityKind: 'order' }, { entityKind: 'order' }].map(
    async (query) => {
      const seen: bigint[] = [];
      for (let at = after, done = false, round = 0; !done; ) {
        done = written.signal.aborted;
        for (let more = true; more; round += 1) {
          const isRestarted = round % 20 === 7;
          if (isRestarted) restarts.readers += 1;
          const { items, nextCursor } = await asked({ ...query, after: at, take: '50' }, isRestarted);
          seen.push(...items.map(({ seq }) => BigInt(seq)));
          more = nextCursor !== null;
          at = nextCursor ?? at;
        }
      }
      return seen;
    },
  );
  await Promise.all(writers);
  written.abort();
  await restarting;
  const seenByAll = await Promise.all(readers);
  await api.close();
  const kept = async (about: Record<string, string>) =>
    (await store.db('changes').where('seq', '>', after).where(about).orderBy('seq').pluck('seq')).map(BigInt);
  const [all, orders] = [await kept({}), await kept({ entity_kind: 'order' })];
  expect(all.length).toBeGreaterThan(each * 10);
  for (const [index, seen] of seenByAll.entries()) expect(seen).toEqual(index < 3 ? all : orders);
  for (const [what, count] of Object.entries(restarts)) expect(count, `${what} restarted`).toBeGreaterThan(0);
});
