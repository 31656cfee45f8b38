import request, { type Response } from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { apiDocument } from '../../src/console/api/serve-document.js';
import { chartSchema } from '../../src/domain/books/chart.js';
import { settleAlerts } from '../../src/records/alerts/settle-alerts.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { bearer, testConsole } from '../support/console.js';
import { HOSTILE, seedConsole } from '../support/console-samples.js';
import { useDatabase } from '../support/database.js';
import { documentedAnswers } from '../support/document-shapes.js';
import { postBooks } from '../support/posted-books.js';
import { isAll } from '../support/sizes.js';

const shapeOf = documentedAnswers(apiDocument());
const seen = new Set<string>();
const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  const { db } = store;
  await seedConsole(db);
  const past = new Date(Date.now() - 70 * 86_400_000);
  await judgedBalance(db, { assetCode: 'BTC', opening: '1', balance: '1', now: past });
  await postBooks(db);
  const found = { name: 'MissedDeliveries', subject: '', severity: 'critical', summary: 's', detail: 'd' } as const;
  await db.transaction((trx) => settleAlerts(trx, [found], { now: past, channels: [] }));
  await db.transaction((trx) => settleAlerts(trx, [found], { now: new Date(), channels: [] }));
  app = testConsole(db, {
    books: {
      timeZone: 'UTC',
      currency: 'USD',
      table: defaultContract.movements,
      chart: async () => chartSchema.parse({ accounts: {} }),
      settlementDays: 5,
    },
  }).app;
}, 120_000);

type Verb = 'get' | 'post' | 'put' | 'delete';

/** Asks, and holds the answer against the document. */
async function ask(verb: Verb, path: string, given: Given = {}): Promise<Response['body']> {
  const { params = {}, query = '', body, role = 'admin', status = 200, ifMatch } = given;
  const address = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const asked = request(app)[verb](`/api/v1${address}${query}`).set(bearer(role));
  if (ifMatch !== undefined) void asked.set('If-Match', ifMatch);
  const answer = await (body === undefined ? asked : asked.send(body));
  const where = `${verb} ${address} as ${role}: ${answer.text.slice(0, 400)}`;
  expect(answer.status, where).toBe(status);
  expect(answer.type).toBe(status < 400 ? 'application/json' : 'application/problem+json');
  const { error } = shapeOf(verb, path, status).safeParse(answer.body);
  expect(error?.issues, where).toBeUndefined();
  seen.add(`${verb} ${path} ${status}`);
  return answer.body;
}

interface Given {
  params?: Record<string, string>;
  query?: string;
  body?: object;
  role?: string;
  status?: number;
  ifMatch?: string;
}

const lists = Object.entries(apiDocument().paths).filter(
  ([path, { get }]) => get !== undefined && !path.includes('{') && path !== '/openapi.json',
);

it.each(lists.map(([path, { get }]) => [path, get] as const))(
  '%s is answered as it is documented, and so is one of it',
  async (path, get) => {
    // One order, and all that belongs to it.
    const query = path === '/search' ? '?q=order-2' : '';
    for (const role of get?.['x-roles'] ?? []) {
      const { items } = await ask('get', path, { role, query });
      if (items === undefined) continue;
      // An answer without items shows nothing of them.
      expect(items.length, `${path} as ${role}: without a row in test/support/console-samples.ts`).toBeGreaterThan(0);
      const one = Object.keys(apiDocument().paths).find(
        (other) => other.startsWith(`${path}/{`) && other.endsWith('}'),
      );
      const key = /\{(\w+)\}/.exec(one ?? '')?.[1];
      if (one === undefined || key === undefined || apiDocument().paths[one]?.get === undefined) continue;
      // Who may do more sees no other shapes than viewers, whose are masked, and admins.
      const shown = (isAll ? ['viewer', 'admin'] : ['viewer']).includes(role) ? items : items.slice(0, 1);
      for (const item of shown) await ask('get', one, { role, params: { [key]: item[key] ?? item.id } });
      await ask('get', one, { role, params: { [key]: 'nobody' }, status: 404 });
    }
  },
);

it('every action is answered as it is documented', async () => {
  const order = { params: { reference: 'A/1' }, body: { amount: '12.50', currency: 'EUR' } };
  await ask('put', '/orders/{reference}', { ...order, status: 201 });
  await ask('put', '/orders/{reference}', order);
  await ask('put', '/orders/{reference}', { ...order, body: { amount: '13', currency: 'EUR' }, status: 409 });
  await ask('put', '/orders/{reference}', { ...order, body: { amount: 13 }, status: 400 });
  await ask('put', '/orders/{reference}', { ...order, role: 'viewer', status: 403 });
  await ask('put', '/orders/{reference}', {
    ...order,
    ifMatch: '"stale"',
    body: { amount: '13', currency: 'EUR' },
    status: 412,
  });
  await ask('delete', '/orders/{reference}', { params: order.params, ifMatch: '"stale"', status: 412 });
  await ask('delete', '/orders/{reference}', { params: order.params });
  await ask('delete', '/orders/{reference}', { params: { reference: 'nobody' }, status: 404 });
  const then = '/orders/{reference}/as-of';
  const known = await ask('get', then, { params: order.params, query: '?at=2999-01-01' });
  expect((await request(app).get('/api/v1/orders/A%2F1?asOf=2999-01-01').set(bearer('viewer'))).body).toEqual({
    ...known,
    asOf: expect.any(String),
  });
  await ask('get', then, { params: order.params, query: '?at=2020-01-01', status: 404 });
  for (const query of ['', '?at=tomorrow', `?at=${'2'.repeat(41)}`]) {
    const { detail, parameter } = await ask('get', then, { params: order.params, query, status: 400 });
    expect([parameter, detail]).toEqual(['at', expect.stringContaining('takes a day such as 2026-10-31')]);
  }
  await ask('post', '/events/{id}/replay', { params: { id: '1' }, status: 202 });
  await ask('post', '/events/{id}/replay', { params: { id: '999' }, status: 404 });
  await ask('post', '/deliveries/recover', { body: { since: '2026-10-01T00:00:00Z' }, status: 202 });
  await ask('post', '/deliveries/recover', { status: 202 });
  await ask('post', '/runs', { body: { kind: 'invoices', note: 'why not' }, status: 202 });
  await ask('post', '/runs', { body: { kind: 'nothing' }, status: 400 });
  const note = { note: 'known' };
  const [cause] = (await ask('get', '/breaks/causes')).items;
  const { ids } = await ask('get', '/breaks/causes/{id}', { params: { id: cause.id } });
  for (const verb of ['acknowledge', 'resolve', 'write-off', 'assign']) {
    const body = { ...note, ids: ['999'], ...(verb === 'assign' ? { owner: null } : {}) };
    const path = `/breaks/causes/{id}/${verb}`;
    const { leftOut } = await ask('post', path, { params: { id: cause.id }, body });
    expect(leftOut).toEqual([{ why: 'not_found', count: 1, first: '999' }]);
    await ask('post', path, { params: { id: '999' }, body, status: 404 });
    await ask('post', path, { params: { id: cause.id }, body: { ...body, ids: [] }, status: 400 });
    await ask('post', path, { params: { id: cause.id }, body, role: 'viewer', status: 403 });
  }
  const acknowledged = { params: { id: cause.id }, body: { ...note, ids } };
  expect((await ask('post', '/breaks/causes/{id}/acknowledge', acknowledged)).ids).toEqual(ids);
  await ask('post', '/breaks/{id}/acknowledge', { params: { id: '1' }, body: note });
  await ask('post', '/breaks/{id}/resolve', { params: { id: '1' }, body: note });
  await ask('post', '/breaks/{id}/resolve', { params: { id: '1' }, body: note, status: 409 });
  await ask('post', '/breaks/{id}/assign', { params: { id: '2' }, body: { ...note, owner: 'ann' } });
  await ask('post', '/breaks/{id}/write-off', { params: { id: '2' }, body: note });
  const settled = { params: { id: 'po_settled' } };
  expect((await ask('get', '/settlements')).items).toMatchObject([{ payoutId: 'po_settled', state: 'late' }]);
  await ask('post', '/settlements/{id}/mark', { ...settled, body: { amount: '9', ...note } });
  await ask('post', '/settlements/{id}/mark', { ...settled, body: { amount: 'nine', ...note }, status: 409 });
  await ask('post', '/settlements/{id}/mark', {
    params: { id: 'po_none' },
    body: { amount: '9', ...note },
    status: 404,
  });
  const [firing] = (await ask('get', '/alerts', { query: '?status=firing' })).items;
  const until = new Date(Date.now() + 60_000).toISOString();
  await ask('post', '/alerts/{id}/acknowledge', { params: { id: firing.id }, body: note });
  await ask('post', '/alerts/{id}/silence', { params: { id: firing.id }, body: { until, ...note } });
  await ask('post', '/alerts/{id}/silence', { params: { id: '999' }, body: { until, ...note }, status: 404 });
  const assignment = { params: { id: 'nobody' }, body: { paymentIntentId: null, ...note } };
  await ask('post', '/payouts/{id}/assign', { ...assignment, status: 404 });
  const [payout] = (await ask('get', '/payouts')).items;
  await ask('post', '/payouts/{id}/assign', { ...assignment, params: { id: payout.id } });
  const attribution = { params: { assetCode: 'USDT.TRON' }, body: { amount: '-1', note: 'a fee' } };
  const { attributions } = await ask('post', '/balances/{assetCode}/attribute', attribution);
  const [{ id, at }] = attributions;
  const moved = {
    from: 'equity:unobservable',
    contra: 'expenses:attributed',
    on: at.slice(0, 10),
    note: 'whose it is',
  };
  const rebooking = { params: { ...attribution.params, id }, body: moved };
  await ask('post', '/balances/{assetCode}/attributions/{id}/rebook', rebooking);
  await ask('post', '/balances/{assetCode}/attributions/{id}/rebook', { ...rebooking, status: 409 });
  const none = { params: { ...attribution.params, id: '999' }, body: moved, status: 404 };
  await ask('post', '/balances/{assetCode}/attributions/{id}/rebook', none);
  const tooMuch = { ...attribution.body, amount: '-1000' };
  await ask('post', '/balances/{assetCode}/attribute', { ...attribution, body: tooMuch, status: 409 });
});

it('months and callbacks too', async () => {
  const { items } = await ask('get', '/periods');
  const open = items.filter(
    ({ status, entries }: { status: string; entries: number }) => status === 'open' && entries > 0,
  );
  const params = { month: open.at(-1).month };
  expect((await ask('get', '/periods/{month}/check', { params })).missing).not.toEqual([]);
  await ask('get', '/periods/{month}/check', { params: { month: '2026-13' }, status: 400 });
  const held = await ask('get', '/periods/{month}/accounts', { params });
  expect(held.accounts.length).toBeGreaterThan(1);
  const [one] = held.accounts;
  const query = `?account=${one.account}&assetCode=${one.assetCode}`;
  expect(await ask('get', '/periods/{month}/accounts', { params, query })).toEqual({
    ...held,
    accounts: [one],
    values: null,
  });
  await ask('get', '/periods/{month}/accounts', { params, query: '?asset=BTC', status: 400 });
  await ask('post', '/periods/{month}/close', { params, body: {}, status: 409 });
  await ask('post', '/periods/{month}/close', { params, body: { reason: 'known' } });
  await ask('get', '/periods');
  await ask('post', '/periods/{month}/reopen', { params, body: { reason: 'a late invoice' } });
  const dead = await ask('get', '/callbacks');
  const { id } = dead.items.find((item: { status: string }) => item.status === 'dead');
  const all = (body: object, status: number, role = 'operator') =>
    ask('post', '/callbacks/replay-dead', { body, status, role });
  await all({ dryRun: true }, 403, 'viewer');
  expect(await all({ dryRun: true, note: 'what would be' }, 200)).toEqual({ dryRun: true, count: 1, ids: [id] });
  const kept = () => store.db('actions').where({ action: 'replay dead callbacks' });
  expect([await kept(), await store.db('callbacks').where({ status: 'dead' }).pluck('id')]).toEqual([[], [id]]);
  expect(await all({ note: 'the shop is back' }, 202)).toEqual({ dryRun: false, count: 1, ids: [id] });
  expect(await all({ note: 'once more' }, 202)).toEqual({ dryRun: false, count: 0, ids: [] });
  expect(await kept()).toMatchObject([
    { reason: 'the shop is back', outcome: 'asked', details: { count: 1, role: 'operator' } },
  ]);
  expect(await store.db('callbacks').where({ id }).first()).toMatchObject({ status: 'pending', attempts: 0 });
  await ask('post', '/callbacks/{id}/replay', { params: { id }, status: 202, role: 'operator' });
  await ask('post', '/callbacks/{id}/replay', { params: { id: '999' }, status: 404 });
  expect((await ask('get', '/callbacks')).items.find((item: { id: string }) => item.id === id)).toMatchObject({
    status: 'pending',
    reference: HOSTILE,
  });
}, 120_000);

it('what two people decide is answered by what was asked for, and by what came of it', async () => {
  const alone = app;
  app = testConsole(store.db, { fourEyes: true }).app;
  try {
    const { items } = await ask('get', '/periods');
    const month = items.findLast(
      (one: { status: string; entries: number }) => one.status === 'open' && one.entries > 0,
    );
    const params = { month: month.month };
    const found = { kind: 'payout_stuck', entity: { kind: 'payout', id: 'po_four_eyes' }, evidence: {} } as const;
    await store.db.transaction((trx) => openBreaks(trx, [found]));
    const { id: breakId } = await store.db('breaks').where({ entity_id: found.entity.id }).first();
    const note = { note: 'known' };
    const finance = { role: 'finance', status: 202 };
    const attribution = { params: { assetCode: 'USDT.TRON' }, body: { amount: '-1', ...note } };
    await ask('post', '/balances/{assetCode}/attribute', { ...attribution, ...finance });
    const [said] = (await ask('get', '/balances/{assetCode}', { params: attribution.params })).attributions;
    const moved = { from: said.standsOn, contra: 'income:attributed', on: said.at.slice(0, 10), ...note };
    const rebooking = { params: { ...attribution.params, id: said.id }, body: moved };
    await ask('post', '/balances/{assetCode}/attributions/{id}/rebook', { ...rebooking, ...finance });
    const writeOff = await ask('post', '/breaks/{id}/write-off', { params: { id: breakId }, body: note, ...finance });
    const ofCause = { params: { id: breakId }, body: { ids: [breakId], ...note } };
    await ask('post', '/breaks/causes/{id}/write-off', { ...ofCause, ...finance });
    const mark = { params: { id: 'po_settled' }, body: { amount: '8', ...note } };
    await ask('post', '/settlements/{id}/mark', { ...mark, ...finance });
    const close = await ask('post', '/periods/{month}/close', { params, body: { reason: 'known' }, ...finance });
    const decide = (verdict: 'approve' | 'refuse' | 'withdraw', id: string, given: Given = {}) =>
      ask('post', `/decisions/{id}/${verdict}`, { params: { id }, body: note, ...given });
    await decide('approve', close.id, { role: 'finance', status: 409 });
    expect(await decide('approve', close.id)).toMatchObject({ state: 'approved', decidedBy: 'ada' });
    await decide('approve', close.id, { status: 409 });
    await decide('refuse', writeOff.id);
    await decide('refuse', '999', { status: 404 });
    const reopen = await ask('post', '/periods/{month}/reopen', { params, body: { reason: 'late' }, ...finance });
    await decide('withdraw', reopen.id, { role: 'finance', body: {} });
  } finally {
    app = alone;
  }
}, 120_000);

it('no documented answer was left out', async () => {
  const answered = await request(app).get('/api/v1/openapi.json');
  expect(answered.status).toBe(200);
  const successes = Object.entries(apiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([verb, { responses }]) =>
      Object.keys(responses)
        .filter((status) => status.startsWith('2') && path !== '/openapi.json')
        .map((status) => `${verb} ${path} ${status}`),
    ),
  );
  const unasked = successes.filter((one) => !seen.has(one));
  expect(unasked, 'answers of the document that no test of this file asks for').toEqual([]);
});
