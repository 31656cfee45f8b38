import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiDocument } from '../../src/console/api/serve-document.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { postponeRefreshRequests } from '../../src/records/runs/refresh-requests.js';
import { noteServiceClock } from '../../src/records/service-notes.js';
import { bearer, serve, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { documentedAnswers } from '../support/document-shapes.js';
import { until } from '../support/drill.js';
import { report } from '../support/observations.js';
import { paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const HOUR_MS = 3_600_000;
const SOON_MS = 500;
/** Where it matters only that there is no answer: on a slow machine nothing is asked for in so short a time. */
const HASTY_MS = 100;
const shapeOf = documentedAnswers(apiDocument());
const viewer = bearer('viewer');

const store = useDatabase();
let reading: AbortController;
let made = 0;
beforeEach(async () => {
  reading = new AbortController();
  await store.db('watermarks').where({ kind: 'service', name: 'clock' }).delete();
  await noteServiceClock(store.db, { earliest: Date.now(), isMeasured: true });
});
afterEach(async () => {
  reading.abort();
  await store.db('reading_marks').delete();
});

const patient = (): Express => testConsole(store.db).app;
const impatient = (): Express => testConsole(store.db, { proofWaitMs: SOON_MS }).app;
const hasty = (): Express => testConsole(store.db, { proofWaitMs: HASTY_MS }).app;
const ask = (app: Express, reference: string, query = 'provenWithin=60') =>
  request(app).get(`/api/v1/orders/${reference}?${query}`).set(viewer);

/** What the service's list shows now, or showed at that moment of its clock. */
const shows = (kind: RecordKind, fields: JsonObject, from = Date.now()) =>
  save(store, [shown(kind, fields, from)], { now: new Date() });

function shown(kind: RecordKind, fields: JsonObject, from: number): Observation {
  const source = { type: 'poll', ref: 'run-1' } as const;
  return { type: 'poll', kind, id: textField(fields, 'id') ?? '', from, to: from + 200, source, fields };
}

interface Paid {
  reference: string;
  intent: JsonObject & { id: string };
  payin: JsonObject & { id: string };
}

/** An order that is safe by readings of that moment. */
async function paidOrder(from: number): Promise<Paid> {
  made += 1;
  const [id, payinId] = [`p${made}`, `d${made}`];
  const paid = {
    reference: `order-${id}`,
    intent: { ...paidIntent(id, payinId), id },
    payin: { ...payin(payinId, id), id: payinId },
  };
  const readings = [shown('payment_intent', paid.intent, from), shown('payin', paid.payin, from)];
  await save(store, readings, { now: new Date() });
  await store.db('reading_marks').delete();
  return paid;
}
const oldOrder = () => paidOrder(Date.now() - HOUR_MS);

const marks = async (): Promise<string[]> => {
  const rows = await store.db('reading_marks').whereNot({ lane: 'recheck' }).orderBy('id');
  return rows.map(({ kind, id, lane }) => `${kind} ${id} ${lane}`);
};
const asked = ({ intent, payin: deposit }: Paid) => [`payin ${deposit.id} poll`, `payment_intent ${intent.id} poll`];

/** Another process, which reads what is asked for. */
async function reads(records: Partial<Record<RecordKind, JsonObject>>): Promise<void> {
  for (const [kind, fields] of Object.entries(records) as [RecordKind, JsonObject][]) {
    await until(`${kind} is asked for`, async () => {
      const { id } = fields;
      return (await store.db('reading_marks').where({ kind, id }).first()) !== undefined;
    });
    await shows(kind, fields);
  }
}

const changesOf = async (reference: string): Promise<number> =>
  (await store.db('changes').where({ entity_kind: 'order', entity_id: reference })).length;

const release = ({ body }: Response) => body.release as { safe: boolean; reason: string; provenAt: string | null };

function expectRefused(answer: Response, code: string): void {
  expect([answer.status, answer.type, answer.body.code]).toEqual([503, 'application/problem+json', code]);
  expect(Number(answer.get('retry-after'))).toBeGreaterThan(0);
  expect(shapeOf('get', '/orders/{reference}', 503).safeParse(answer.body).error).toBeUndefined();
  expect(answer.text).not.toContain('"safe"');
}

describe('orders/{reference}?provenWithin', () => {
  it('takes no proof that other rules derived: the order is derived first, as after an upgrade', async () => {
    const order = await oldOrder();
    await store.db('orders').where({ reference: order.reference }).update({ release_proven_at: new Date() });
    expectRefused(await ask(impatient(), order.reference), 'not_proven_in_time');
    expect(await marks()).toEqual(asked(order));
  });

  it('reads first where the proof is older, and nothing that did not change is shown as a change', async () => {
    const order = await oldOrder();
    const before = await changesOf(order.reference);
    const began = Date.now();
    const [answer] = await Promise.all([
      ask(patient(), order.reference),
      until('both are asked for', async () => (await marks()).length === 2).then(async () => {
        expect(await marks()).toEqual(asked(order));
        await reads({ payment_intent: order.intent, payin: order.payin });
      }),
    ]);
    expect(answer.status).toBe(200);
    expect(release(answer)).toMatchObject({ safe: true, reason: 'proven' });
    expect(Date.parse(release(answer).provenAt ?? '')).toBeGreaterThanOrEqual(began - 60_000);
    expect(await changesOf(order.reference)).toBe(before);
    expect(await marks()).toEqual([]);
    expect(shapeOf('get', '/orders/{reference}', 200).safeParse(answer.body).error).toBeUndefined();
  });

  it('waits for each of them', async () => {
    const order = await oldOrder();
    const [answer] = await Promise.all([ask(impatient(), order.reference), reads({ payment_intent: order.intent })]);
    expectRefused(answer, 'not_proven_in_time');
    expect(await marks()).toEqual([`payin ${order.payin.id} poll`]);
  });

  it('is not content with a reading that began too early', async () => {
    const order = await oldOrder();
    const [answer] = await Promise.all([
      ask(impatient(), order.reference),
      until('both are asked for', async () => (await marks()).length === 2).then(async () => {
        await shows('payment_intent', order.intent, Date.now() - HOUR_MS / 2);
        await shows('payin', order.payin, Date.now() - HOUR_MS / 2);
      }),
    ]);
    expectRefused(answer, 'not_proven_in_time');
    expect(await marks()).toEqual(asked(order));
  });

  it('reads nothing where a run read all of it since, and showed the same', async () => {
    const order = await oldOrder();
    await shows('payment_intent', order.intent);
    await shows('payin', order.payin);
    const plain = await request(patient()).get(`/api/v1/orders/${order.reference}`).set(viewer);
    expect(Date.parse(release(plain).provenAt ?? '')).toBeLessThan(Date.now() - HOUR_MS / 2);
    const answer = await ask(impatient(), order.reference);
    expect(answer.status).toBe(200);
    expect(Date.parse(release(answer).provenAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await marks()).toEqual([]);
  });

  it('answers at once what is young enough, and what is not safe', async () => {
    const young = await paidOrder(Date.now() - 30_000);
    expect(release(await ask(impatient(), young.reference))).toMatchObject({ safe: true });
    const unread = { ...paidIntent('open', 'd-open'), id: 'open' };
    await shows('payment_intent', unread, Date.now() - HOUR_MS);
    await store.db('reading_marks').delete();
    const held = await ask(impatient(), 'order-open');
    expect([held.status, release(held)]).toEqual([200, { safe: false, reason: 'payins_unread', provenAt: null }]);
    expect(await marks()).toEqual([]);
    expect((await ask(impatient(), 'nobody-knows-it')).status).toBe(404);
    expect(await store.db('orders').where({ reference: 'nobody-knows-it' })).toEqual([]);
  });

  it('shows what the reading found: a payin that was rejected meanwhile', async () => {
    const order = await oldOrder();
    const rejected = { ...order.payin, kytStatus: 'rejected' };
    const [answer] = await Promise.all([ask(patient(), order.reference), reads({ payin: rejected })]);
    expect([answer.status, release(answer)]).toEqual([200, { safe: false, reason: 'kyt_rejected', provenAt: null }]);
  });

  it('asks for nothing that is young enough, that reports alone speak of, or that the service does not have', async () => {
    const order = await oldOrder();
    const others = { status: 'pending', payins: [], merchantReference: order.reference };
    await save(store, [report('payment_intent', 'ghost', paidIntent('ghost', 'd-ghost', others), 0)]);
    await shows('payment_intent', paidIntent('gone', 'd-gone', others), Date.now() - 2 * HOUR_MS);
    const [from, source] = [Date.now() - HOUR_MS, { type: 'poll', ref: 'run-1' } as const];
    await save(store, [{ type: 'absence', kind: 'payment_intent', id: 'gone', from, to: from + 200, source }]);
    await shows('payment_intent', order.intent);
    await store.db('reading_marks').delete();
    await ask(impatient(), order.reference);
    expect(await marks()).toEqual([`payin ${order.payin.id} poll`]);
  });

  it('makes nothing younger where a slow answer says less of the clock', async () => {
    const { reference } = await oldOrder();
    await noteServiceClock(store.db, { earliest: Date.now() - HOUR_MS, isMeasured: true });
    expect((await ask(hasty(), reference)).body).toMatchObject({ code: 'not_proven_in_time' });
    await store.db('watermarks').update({ updated_at: new Date(Date.now() - 11 * 60_000) });
    await noteServiceClock(store.db, { earliest: Date.now() - HOUR_MS, isMeasured: true });
    expect((await ask(hasty(), reference)).body.release).toMatchObject({ safe: true });
  });

  it('measures by the clock of the service, and is 503 while nobody knows that', async () => {
    await noteServiceClock(store.db, { earliest: Date.now() + HOUR_MS, isMeasured: true });
    const order = await paidOrder(Date.now());
    expectRefused(await ask(hasty(), order.reference), 'not_proven_in_time');
    await noteServiceClock(store.db, { earliest: Date.now(), isMeasured: false });
    expectRefused(await ask(hasty(), order.reference), 'not_proven_in_time');
    await store.db('watermarks').where({ kind: 'service', name: 'clock' }).delete();
    expectRefused(await ask(hasty(), order.reference), 'not_proven_in_time');
    await noteServiceClock(store.db, { earliest: Date.now(), isMeasured: false });
    expect((await ask(hasty(), order.reference)).status).toBe(200);
  });

  it.each([
    ['provenWithin=0', '"0"'],
    ['provenWithin=-1', '"-1"'],
    ['provenWithin=1.5', '"1.5"'],
    ['provenWithin=abc', '"abc"'],
    ['provenWithin=', '""'],
    ['provenWithin=86401', '"86401"'],
    ['provenWithin=1e9', '"1e9"'],
  ])('refuses ?%s', async (query, given) => {
    const { status, body } = await ask(impatient(), 'order-x', query);
    const detail = `The query parameter provenWithin is ${given}; it takes a whole number of seconds from 1 to 86400.`;
    expect([status, body.detail, body.parameter]).toEqual([400, detail, 'provenWithin']);
  });

  it('refuses it given twice, or with asOf', async () => {
    for (const query of ['provenWithin=60&provenWithin=60', 'provenWithin=60&asOf=2026-10-31']) {
      const { status, body } = await ask(impatient(), 'order-x', query);
      expect([status, body.title]).toEqual([400, 'Bad request']);
    }
  });
});

describe('what who asks again and again can cause', () => {
  it('of one order, where nobody reads, is 503 and one request for each record, which is not made due again at once', async () => {
    const order = await oldOrder();
    const app = impatient();
    for (const answer of await Promise.all(Array.from({ length: 10 }, () => ask(app, order.reference))))
      expectRefused(answer, 'not_proven_in_time');
    expect(await marks()).toEqual(asked(order));
    await postponeRefreshRequests(store.db, 'payin', [order.payin.id], HOUR_MS);
    expectRefused(await ask(app, order.reference), 'not_proven_in_time');
    const due = await store.db('reading_marks').where({ kind: 'payin' }).whereRaw('next_at <= now()');
    expect(due).toEqual([]);
  });

  it('is bounded in orders that are waited for, and who is gone waits no more', async () => {
    const orders: Paid[] = [];
    for (let count = 0; count < 21; count += 1) orders.push(await oldOrder());
    const [last, ...others] = orders;
    const reference = last?.reference ?? '';
    const server = await serve(testConsole(store.db, { proofWaitMs: HOUR_MS }).app);
    const gone = new AbortController();
    const wait = (one: Paid) =>
      fetch(`${server.url}/api/v1/orders/${one.reference}?provenWithin=60`, { headers: viewer, signal: gone.signal });
    const first = others.map(wait);
    await until('all are asked for', async () => (await marks()).length === 2 * others.length);
    // Of one order many wait as one.
    const ended = Promise.allSettled([...first, ...others.map(wait)]);
    expectRefused(await ask(impatient(), reference), 'too_many_waiting');
    expect(await marks()).toHaveLength(2 * others.length);
    gone.abort();
    expect((await ended).filter(({ status }) => status === 'fulfilled')).toEqual([]);
    const code = async () => (await ask(impatient(), reference)).body.code as string;
    await until('others may wait again', async () => (await code()) === 'not_proven_in_time');
    await server.close();
  });
});
