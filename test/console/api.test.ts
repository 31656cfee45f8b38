import request from 'supertest';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { save } from '../support/saved.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
let commands: ReturnType<typeof testConsole>['commands'];

beforeAll(async () => {
  ({ app, commands } = testConsole(store.db));
  await save(
    store,
    Array.from({ length: 7 }, (_, index) => payment(`pi_${index}`, index)),
  );
});

beforeEach(() => vi.clearAllMocks());

const payment = (id: string, minute: number) =>
  poll(
    'payment_intent',
    {
      id,
      status: 'completed',
      merchantReference: `order/ä ${minute}`,
      amountRequested: '12.500',
      irregularStatus: 'none',
      createdAt: new Date(Date.UTC(2026, 9, 1, 12, minute)).toISOString(),
      payins: [],
    },
    60 * minute,
  );

const as = (token: string) => ({ Authorization: `Bearer ${token}` });
const viewer = bearer('viewer');
const operator = bearer('operator');

describe('who may ask', () => {
  it('refuses a request without a token, with a wrong one, with another scheme', async () => {
    for (const headers of [{}, as('nope'), { Authorization: 'Basic viewer-token-1' }, as('')]) {
      const answer = await request(app).get('/api/v1/orders').set(headers);
      expect(answer.status).toBe(401);
      expect(answer.type).toBe('application/problem+json');
      expect(answer.get('www-authenticate')).toContain('Bearer');
    }
  });

  it('lets a viewer read and do nothing', async () => {
    expect((await request(app).get('/api/v1/orders').set(viewer)).status).toBe(200);
    const actions = [
      request(app).put('/api/v1/orders/x').send({ amount: '1', currency: 'EUR' }),
      request(app).post('/api/v1/events/1/replay'),
      request(app).post('/api/v1/runs').send({ kind: 'payment-intents' }),
      request(app).post('/api/v1/deliveries/recover').send({}),
      request(app).post('/api/v1/breaks/1/acknowledge').send({ note: 'n' }),
      request(app).post('/api/v1/breaks/1/resolve').send({ note: 'n' }),
      request(app).post('/api/v1/breaks/1/write-off').send({ note: 'n' }),
      request(app).get('/api/v1/secrets'),
    ];
    for (const action of actions) expect((await action.set(viewer)).status).toBe(403);
    expect(commands.replay).not.toHaveBeenCalled();
    expect(commands.run).not.toHaveBeenCalled();
  });

  it('shows health and metrics without a token', async () => {
    expect((await request(app).get('/livez')).status).toBe(200);
    expect((await request(app).get('/readyz')).body).toEqual({ ok: true, problems: [] });
    expect((await request(app).get('/metrics')).text).toContain('tallyhook_build_info');
  });
});

describe('deliveries', () => {
  it('are listed by class, endpoint, type and status, shown one by one, and recovered on demand', async () => {
    const rows = ['a', 'b', 'c'].map((id, at) => ({
      id,
      endpoint_id: at < 2 ? 'we_1' : 'we_2',
      event_type: 'payout.failed',
      status: 'failed',
      created_at: new Date(Date.UTC(2026, 9, 1, 0, at)),
      ours: true,
      class: at === 0 ? 'phantom' : 'received',
      poll_from: Date.UTC(2026, 9, 1, 1, at),
      poll_ref: '1',
    }));
    await store.db('deliveries').insert(rows);
    const ids = async (query: Record<string, string>) => {
      const { body } = await request(app).get('/api/v1/deliveries').query(query).set(viewer).expect(200);
      return body.items.map((item: { id: string }) => item.id);
    };
    expect(await ids({})).toEqual(['c', 'b', 'a']);
    expect(await ids({ class: 'phantom' })).toEqual(['a']);
    expect(await ids({ endpointId: 'we_1', eventType: 'payout.failed', status: 'failed' })).toEqual(['b', 'a']);
    const first = await request(app).get('/api/v1/deliveries?take=2').set(viewer);
    expect(await ids({ cursor: first.body.nextCursor })).toEqual(['a']);
    const one = await request(app).get('/api/v1/deliveries/a').set(viewer).expect(200);
    expect(one.body).toMatchObject({ id: 'a', class: 'phantom', createdAt: '2026-10-01T00:00:00.000Z', missed: false });
    const readAt = '2026-10-01T01:00:00.000Z';
    expect(one.body).toMatchObject({ verified: true, verifiedAt: readAt, observedAt: readAt });
    await request(app).get('/api/v1/deliveries/z').set(viewer).expect(404);
    const since = '2026-10-01T00:00:00Z';
    await request(app).post('/api/v1/deliveries/recover').set(operator).send({ since }).expect(202);
    expect(commands.recover).toHaveBeenCalledWith({ since });
    await request(app).post('/api/v1/deliveries/recover').set(operator).send({ since: 'soon' }).expect(400);
    await request(app).post('/api/v1/deliveries/recover').set(operator).expect(202);
  });
});

describe('lists', () => {
  it('page by key, newest first, every row once, also while rows come in', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = cursor === null ? { take: '3' } : { take: '3', cursor };
      const { body } = await request(app).get('/api/v1/payment-intents').query(query).set(viewer).expect(200);
      seen.push(...body.items.map((item: { id: string }) => item.id));
      if (cursor === null) await save(store, [payment('pi_late', 59)]);
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(['pi_6', 'pi_5', 'pi_4', 'pi_3', 'pi_2', 'pi_1', 'pi_0']);
  });

  it('show the specification’s fields, plain amounts, and how we know them', async () => {
    const { body } = await request(app).get('/api/v1/payment-intents/pi_3').set(viewer).expect(200);
    expect(body).toMatchObject({
      id: 'pi_3',
      status: 'completed',
      amountRequested: '12.5',
      merchantReference: 'order/ä 3',
      verified: true,
      observedBy: { type: 'poll', ref: 'run-1' },
    });
    expect(body.verifiedAt).toBe('2026-03-01T00:03:00.000Z');
  });

  it('narrow by the fields’ own names and refuse what they do not know', async () => {
    const list = (query: object) => request(app).get('/api/v1/payment-intents').query(query).set(viewer);
    expect((await list({ merchantReference: 'order/ä 3' })).body.items).toHaveLength(1);
    expect((await list({ status: 'expired' })).body.items).toEqual([]);
    for (const query of [{ colour: 'red' }, { take: '501' }, { take: '0' }, { take: 'x' }, { cursor: 'abc' }]) {
      const answer = await list(query);
      expect(answer.status).toBe(400);
      expect(answer.body.detail).toContain(Object.values(query)[0] === 'red' ? 'colour' : Object.values(query)[0]);
    }
  });

  it('refuse what the database can not read: a date that is none, a number beyond all ids', async () => {
    const cursor = (...key: string[]) => `cursor=${Buffer.from(JSON.stringify(key)).toString('base64url')}`;
    for (const path of [
      `orders?${cursor('-999999999999999999', 'x')}`,
      `events?${cursor('9223372036854775808')}`,
      `payins?${cursor('0000-01-01T00:00:00.000000Z', 'x')}`,
    ]) {
      const answer = await request(app).get(`/api/v1/${path}`).set(viewer);
      expect(answer.status, path).toBe(400);
      expect(answer.type).toBe('application/problem+json');
    }
  });

  it('take a NUL for a character like any other', async () => {
    for (const path of ['orders?reference=%00', 'payment-intents?status=%00', 'events?secretLabel=%00']) {
      const answer = await request(app).get(`/api/v1/${path}`).set(viewer);
      expect(answer.body.items, path).toEqual([]);
    }
  });

  it('say in words what is not there', async () => {
    const details = ['orders/none', 'payment-intents/none'].map(async (path) => {
      const { body } = await request(app).get(`/api/v1/${path}`).set(viewer).expect(404);
      return (body as { detail: string }).detail;
    });
    expect(await Promise.all(details)).toEqual([
      'There is no order "none" here.',
      'There is no payment intent "none" here.',
    ]);
  });

  it('answer 404 with a problem for what is not there', async () => {
    for (const path of [
      'orders/none',
      'payment-intents/none',
      'payins/none',
      'events/1',
      'events/x',
      'breaks/1',
      'runs/1',
      'none',
    ]) {
      const answer = await request(app).get(`/api/v1/${path}`).set(viewer);
      expect(answer.status, path).toBe(404);
      expect(answer.type).toBe('application/problem+json');
    }
  });
});

describe('breaks', () => {
  it('are acknowledged, resolved, written off with a note, each step kept with who did it', async () => {
    await store.db.transaction((trx) =>
      openBreaks(trx, [
        { kind: 'record_not_at_service', entity: { kind: 'payment_intent', id: 'ghost' }, evidence: {} },
      ]),
    );
    const { body } = await request(app).get('/api/v1/breaks').query({ status: 'open' }).set(viewer);
    const id = body.items[0].id as string;
    for (const wrong of [{}, { note: ' ' }])
      expect((await request(app).post(`/api/v1/breaks/${id}/resolve`).set(operator).send(wrong)).status).toBe(400);
    await request(app).post(`/api/v1/breaks/${id}/acknowledge`).set(operator).send({ note: 'look\0ing' }).expect(200);
    const writeOff = () => request(app).post(`/api/v1/breaks/${id}/write-off`).send({ note: 'gone' });
    expect((await writeOff().set(operator)).status).toBe(403);
    expect((await writeOff().set(bearer('finance'))).body.status).toBe('written_off');
    expect((await writeOff().set(bearer('finance'))).status).toBe(409);
    const shown = await request(app).get(`/api/v1/breaks/${id}`).set(viewer);
    expect(shown.body.steps.map(({ action, actor, note }: Record<string, string>) => [action, actor, note])).toEqual(
      expect.arrayContaining([
        ['acknowledged', 'omar', 'look\0ing'],
        ['written_off', 'fina', 'gone'],
      ]),
    );
  });
});

describe('changes', () => {
  it('are a feed that goes on after the last seq', async () => {
    const first = await request(app).get('/api/v1/changes').query({ take: 2 }).set(viewer).expect(200);
    expect(first.body.items).toHaveLength(2);
    const next = await request(app).get('/api/v1/changes').query({ after: first.body.nextCursor }).set(viewer);
    expect(BigInt(next.body.items[0].seq)).toBeGreaterThan(BigInt(first.body.nextCursor));
    expect((await request(app).get('/api/v1/changes').query({ after: 'x' }).set(viewer)).status).toBe(400);
  });
});

describe('actions', () => {
  it('ask for a run of a known kind only', async () => {
    const run = (body: object) => request(app).post('/api/v1/runs').set(operator).send(body);
    expect((await run({ kind: 'payment-intents', full: true })).status).toBe(202);
    expect(commands.run).toHaveBeenCalledWith({ kind: 'payment-intents', full: true });
    expect((await run({ kind: 'nothing' })).status).toBe(400);
    expect((await run({ kind: 'payment-intents', twice: 1 })).status).toBe(400);
  });

  it('say that nothing was changed when the commands can’t be reached', async () => {
    const unreachable = Object.assign(new Error('the command run could not be queued'), { retryable: true });
    commands.run.mockRejectedValueOnce(unreachable);
    const answer = await request(app).post('/api/v1/runs').set(operator).send({ kind: 'payment-intents' });
    expect(answer.status).toBe(503);
    expect(answer.get('retry-after')).toBeDefined();
  });
});

it('says what is proven of each kind', async () => {
  const { status, body } = await request(app).get('/api/v1/coverage').set(viewer);
  expect(status).toBe(200);
  const nothing = { provenSince: null, completeUntil: null, ageSeconds: null, unread: [] };
  const items = ['payment-intents', 'invoices'].map((kind) => ({ kind, ...nothing, reason: 'no run has ended yet' }));
  expect(body).toEqual({ items, nextCursor: null });
});
