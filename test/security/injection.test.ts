import fc from 'fast-check';
import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RecordKind, recordRules } from '../../src/domain/records.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { applyEvents } from '../../src/webhook/apply-events.js';
import { bearer, serve, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { isAll, isLong } from '../support/drill.js';
import { startReceiver } from '../support/receiver.js';
import { runHere } from '../support/run-here.js';
import { NOW } from '../support/signed.js';
import { drivesTerminals, HOSTILE_TEXTS, hostileText, isWellFormed } from './hostile.js';

/** Where records of each kind of event are read back, and a state that they may be in. */
const KINDS = [
  { event: 'payment_intent.completed', kind: 'payment_intent', path: 'payment-intents', status: 'completed' },
  { event: 'invoice.paid', kind: 'invoice', path: 'invoices', status: 'paid' },
  { event: 'payout.failed', kind: 'payout', path: 'payouts', status: 'failed' },
  { event: 'payin.confirmed', kind: 'payin', path: 'payins', status: 'confirmed' },
  { event: 'wallet_account.active', kind: 'account', path: 'accounts', status: 'active' },
] as const satisfies { event: string; kind: RecordKind; path: string; status: string }[];

/** Texts that customers, the store or the service choose, beside those that records are found by. */
const FREE = ['customerName', 'customerEmail', 'description', 'failureReason', 'note', 'label', 'memo', 'metadata'];
const FIXED = ['id', 'status'];
const textsOf = (kind: RecordKind) => [
  ...FREE,
  ...recordRules[kind].columns
    .filter(({ type, field }) => type === 'text' && !FIXED.includes(field))
    .map(({ field }) => field),
];

const log = createLog('silent');
const SLOW = { timeout: 120_000 };
const admin = bearer('admin');

const database = useDatabase();
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let app: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  receiver = await startReceiver(database.db, { log });
  app = await serve(testConsole(database.db).app);
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

interface Sent {
  path: string;
  fields: Record<string, string>;
}

const api = async (path: string) => {
  const answer = await request(app.url).get(`/api/v1/${path}`).set(admin);
  return { status: answer.status, body: answer.body as Record<string, unknown> };
};

/** Sends events as the service would, and applies them. */
async function receive(bodies: string[]): Promise<{ status: number; id: string }[]> {
  const answers = await Promise.all(bodies.map((body) => receiver.post(body)));
  const deps = {
    db: database.db,
    log,
    now: () => new Date(NOW * 1000),
    metrics: createMetrics(),
    adoptedAt: new Date(0),
  };
  await applyEvents(
    deps,
    answers.map(({ body }) => String(body['id'])),
  );
  return answers.map(({ status, body }) => ({ status, id: String(body['id']) }));
}

let made = 0;
function eventOf({ event, kind, path, status }: (typeof KINDS)[number], texts: string[]): { body: string; sent: Sent } {
  const id = `odd_${(made += 1)}`;
  const names = textsOf(kind);
  const fields = { id, status, ...Object.fromEntries(names.map((name, i) => [name, texts[i % texts.length] ?? ''])) };
  return { body: JSON.stringify({ event, timestamp: NOW, data: fields }), sent: { path, fields } };
}

/** All records of a kind, by their ids. */
async function recordsAt(path: string): Promise<Map<unknown, Record<string, unknown>>> {
  const { body } = await api(`${path}?take=500`);
  return new Map((body['items'] as Record<string, unknown>[]).map((record) => [record['id'], record]));
}

test('every text of an event is stored and read back as it was sent, and does nothing else', SLOW, async () => {
  const texts = fc.array(hostileText, { minLength: 12, maxLength: 12 });
  // Each is tried on a payment; the other kinds take turns, unless all is asked for.
  const isTried = (place: number, nth: number) => isAll || nth === 0 || place % (KINDS.length - 1) === nth - 1;
  const cases = KINDS.flatMap((kind, nth) => [
    ...HOSTILE_TEXTS.filter((_, place) => isTried(place, nth)).map((text) => eventOf(kind, [text])),
    ...fc.sample(texts, isLong ? 80 : isAll ? 12 : 3).map((some) => eventOf(kind, some)),
  ]);
  const answers = await receive(cases.map(({ body }) => body));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const states = await database.db('inbox').distinct('status').pluck('status');
  expect(states).toEqual(['applied']);
  for (const { path } of KINDS) {
    const records = await recordsAt(path);
    const sent = cases.flatMap((one) => (one.sent.path === path ? [one.sent.fields] : []));
    const shown = sent.map(({ id }) => records.get(id) ?? {});
    expect(shown.map(({ id, reported }) => ({ id, ...(reported as object) }))).toEqual(sent);
    // Nothing of it stands where the service's own answers stand.
    const names = new Set(sent.flatMap((fields) => Object.keys(fields)).filter((name) => name !== 'id'));
    expect(shown.flatMap((record) => Object.keys(record)).filter((name) => names.has(name))).toEqual([]);
  }
  // Of the events themselves, one of each text: a request for each.
  for (const [index] of HOSTILE_TEXTS.entries()) {
    expect((await api(`events/${answers[index]?.id}`)).body['body']).toBe(cases[index]?.body);
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
});

async function found({ id, merchantReference: reference }: { id: string; merchantReference: string }) {
  const { body } = await api(`payment-intents/${encodeURIComponent(id)}`);
  const list = await api(`payment-intents?merchantReference=${encodeURIComponent(reference)}`);
  const order = await api(`orders/${encodeURIComponent(reference)}`);
  return {
    id: body['id'],
    reported: body['reported'],
    listed: (list.body['items'] as { id: string }[]).map((one) => one.id),
    order: [order.body['reference'], order.body['paymentIntents']],
  };
}

test('ids, types and references of any text find their own rows and no others', SLOW, async () => {
  const texts = [...HOSTILE_TEXTS, ...fc.sample(hostileText, isAll ? 20 : 2)].filter((text) => text !== '');
  const bodies = texts.map((text, i) =>
    JSON.stringify({
      event: i % 2 === 0 ? 'payment_intent.completed' : `payment_intent.${text}`,
      timestamp: NOW,
      data: { id: `${text}-${i}`, status: 'completed', merchantReference: `${text}#${i}` },
    }),
  );
  const answers = await receive(bodies);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const [i, text] of texts.entries()) {
    if (!isWellFormed(text)) continue;
    const id = `${text}-${i}`;
    const reference = `${text}#${i}`;
    const fields = { id, status: 'completed', merchantReference: reference };
    expect(await found(fields)).toEqual({
      id,
      reported: { ...fields, id: undefined },
      listed: [],
      order: [reference, []],
    });
    const reading = { type: 'poll' as const, kind: 'payment_intent' as const, id, fields };
    const polled = {
      ...reading,
      from: NOW * 1000 + 2000,
      to: NOW * 1000 + 2100,
      source: { type: 'poll' as const, ref: '1' },
    };
    const context = { now: new Date(NOW * 1000), adoptedAt: new Date(0) };
    await database.db.transaction((trx) => saveObservations(trx, [polled], context));
    expect(await found(fields)).toEqual({ id, reported: null, listed: [id], order: [reference, [id]] });
  }
});

test('a query of any text is answered with what it names, or refused; never with another answer', SLOW, async () => {
  const texts = [...HOSTILE_TEXTS, ...fc.sample(hostileText, isAll ? 10 : 2)].filter((text) => isWellFormed(text));
  for (const text of texts) {
    const value = encodeURIComponent(`${text}~`);
    for (const path of [
      `events?eventType=${value}`,
      `breaks?entityId=${value}`,
      `orders?cursor=${value}`,
      `payouts?take=${value}`,
      `runs?${value}=1`,
      `actions/${value}`,
    ]) {
      const { status, body } = await api(path);
      expect([200, 400, 404]).toContain(status);
      if (status === 200) expect([path, body['items']]).toEqual([path, []]);
    }
  }
});

test('what was refused is shown in plain words, whatever its bytes were', SLOW, async () => {
  for (const text of HOSTILE_TEXTS) {
    const headers = { 'x-service-signature': encodeURIComponent(Buffer.from(text).toString()).slice(0, 200) };
    expect((await receiver.post(text, headers)).status).toBe(401);
  }
});

test('pages show it as text', SLOW, async () => {
  const signedIn = await request(app.url)
    .post('/sign-in')
    .set({ Host: 'console.example', Origin: 'https://console.example' })
    .type('form')
    .send({ token: tokenOf('admin') });
  const cookie = String(signedIn.get('set-cookie')).split(';')[0] ?? '';
  for (const path of ['/orders', '/events', `/orders/${encodeURIComponent(HOSTILE_TEXTS[3] ?? '')}`, '/events/4']) {
    const page = await request(app.url).get(path).set('Cookie', cookie);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.text).not.toMatch(/<script>alert|<img src=x|<b onclick/);
  }
});

test('on the command line it is one line of a table, or JSON, and drives no terminal', SLOW, async () => {
  const surroundings = { cwd: '/', env: { DATABASE_URL: database.url } };
  const terminal = HOSTILE_TEXTS[7] ?? '';
  for (const args of [
    ['events', 'list', '--take', '200'],
    ['events', 'show', '8'],
    ['orders', 'show', `${terminal}#7`],
    ['orders', 'show', `${terminal}-none`],
    ['rejections', 'list'],
    ['breaks', 'list', '--json'],
  ]) {
    const { code, stdout, stderr } = await runHere(args, surroundings);
    // 3: breaks are open.
    expect([args, [0, args[0] === 'breaks' ? 3 : 0, args[2]?.endsWith('-none') ? 2 : 0].includes(code)]).toEqual([
      args,
      true,
    ]);
    expect(stdout).not.toMatch(drivesTerminals);
    expect(stderr).not.toMatch(drivesTerminals);
  }
});
