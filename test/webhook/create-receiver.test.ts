import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { afterEach, expect, test, vi } from 'vitest';
import { createReceiver, type MountedReceiver } from '../../src/index.js';
import { createLog } from '../../src/log.js';
import { restoreSecret, retireSecret } from '../../src/records/deliveries/secrets.js';
import { acceptsNoSecret } from '../../src/records/process-heartbeats.js';
import { createEmptyDatabase, useDatabase } from '../support/database.js';
import { post } from '../support/receiver.js';
import { eventBody, secrets, signedHeaders } from '../support/signed.js';

const database = useDatabase();
const cleanups: (() => Promise<unknown>)[] = [];
const lines: string[] = [];
const log = createLog('warn', { write: (line) => void lines.push(line) });

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const fresh = (id: string) => eventBody(id, { timestamp: Math.floor(Date.now() / 1000) });

/** An app of somebody else around our receiver; `mount` decides where. */
async function startApp(mount: (app: Express, receiver: MountedReceiver) => void): Promise<string> {
  const receiver = await createReceiver({ databaseUrl: database.url, secrets, log });
  cleanups.push(() => receiver.close());
  const app = express();
  mount(app, receiver);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  cleanups.push(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/payments`;
}

test.each<[string, (app: Express, receiver: MountedReceiver) => void]>([
  ['handler', (app, { handler }) => void app.post('/hooks/payments', handler)],
  ['router', (app, { router }) => void app.use('/hooks/payments', router)],
])('its %s, mounted before any body parser, stores events', async (name, mount) => {
  const url = await startApp((app, receiver) => {
    mount(app, receiver);
    app.use(express.json());
  });
  const body = fresh(`pi_mounted_${name}`);
  expect(await post(url, body)).toMatchObject({ status: 200, body: { received: true, duplicate: false } });
  expect(await post(url, body)).toMatchObject({ status: 200, body: { duplicate: true } });
  expect(await database.db('inbox').where({ body: Buffer.from(body), status: 'received' })).toHaveLength(1);
});

test('the router leaves what is not its own to the app', async () => {
  const url = await startApp((app, { router }) => {
    app.use('/hooks/payments', router);
    app.use((_req, res) => void res.status(404).json({ error: 'of the app' }));
  });
  for (const other of [`${url}/below`, `${url}/livez`, new URL('/hooks', url).href]) {
    expect(await post(other, fresh('pi_other'))).toMatchObject({ status: 404, body: { error: 'of the app' } });
  }
});

test('it says where alerts check that every secret is retired', async () => {
  const { db } = database;
  const about = { fingerprint: 'f', by: 'ops', note: null, now: new Date() };
  for (const { label } of secrets) await retireSecret(db, { label, ...about });
  const url = await startApp((app, { handler }) => void app.use('/hooks', handler));
  await vi.waitFor(async () => expect(await acceptsNoSecret(db)).toBe(true));
  // That is the alert; a signature under a secret that was retired says nothing of a wrong one.
  const event = fresh('pi_retired');
  const time = { 'x-service-timestamp': String(Math.floor(Date.now() / 1_000)) };
  expect(await post(url, event, { ...signedHeaders(event), ...time })).toMatchObject({ status: 401 });
  await vi.waitFor(async () =>
    expect(await db('rejections').select('reason', 'like_service')).toEqual([
      { reason: 'invalid_signature', like_service: false },
    ]),
  );
  for (const { label } of secrets) await restoreSecret(db, { label, by: 'ops', note: null });
});

test('behind express.raw() it works as well: the bytes are still there', async () => {
  const url = await startApp((app, { handler }) => void app.use('/hooks', express.raw({ type: '*/*' }), handler));
  expect(await post(url, fresh('pi_raw'))).toMatchObject({ status: 200 });
  expect(await post(url, fresh('pi_forged'), { 'x-service-signature': 'sha256=00' })).toMatchObject({ status: 401 });
});

test.each([
  ['json', express.json({ type: '*/*' })],
  ['text', express.text({ type: '*/*' })],
])('behind a parser of %s it says loudly what is wrong, and answers 503', async (_, parser) => {
  const url = await startApp(
    (app, { handler, router }) => void app.use(parser).use('/hooks/payments', router).use(handler),
  );
  for (const mounted of [url, new URL('/anywhere', url).href]) {
    lines.length = 0;
    const answer = await post(mounted, fresh('pi_parsed'));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(lines.join('')).toContain('mount the handler before any body parser');
  }
});

test.each([
  ['secrets has none', { secrets: [] }],
  ['secrets has none', { secrets: undefined }],
  [
    'secrets[1] has no label, or a secret that is empty',
    { secrets: [...secrets.slice(0, 1), { label: 'b', secret: '' }] },
  ],
  ['secrets[0] has no label, or a secret that is empty', { secrets: [{ label: 'a', secret: 'whsec_a\n' }] }],
  ['secrets[0] has no label', { secrets: [{ secret: 'whsec_a' }] }],
  ['two secrets have the label a', { secrets: ['1', '2'].map((n) => ({ label: 'a', secret: `whsec_${n}` })) }],
  ['databaseUrl is not given', { databaseUrl: '' }],
  ['databaseUrl is not given', { databaseUrl: undefined }],
])('refuses at once what could take no webhook: %s', async (message, given) => {
  const options = { databaseUrl: database.url, secrets, log, ...given } as Parameters<typeof createReceiver>[0];
  await expect(createReceiver(options)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(message),
  });
});

test('refuses to start on a database without its schema, unless it may migrate', async () => {
  const empty = await createEmptyDatabase();
  cleanups.push(() => empty.drop());
  await expect(createReceiver({ databaseUrl: empty.url, secrets, log })).rejects.toThrow('tallyhook migrate');
  const receiver = await createReceiver({ databaseUrl: empty.url, secrets, log, migrate: true });
  await receiver.close();
});

test('what it stores is queued for the workers', async () => {
  const url = await startApp((app, { handler }) => void app.post('/hooks/payments', handler));
  const answer = await post(url, fresh('pi_queued'));
  await vi.waitFor(async () => {
    const { rows } = await database.db.raw('SELECT data::text AS data FROM bullmq.job');
    expect(JSON.stringify(rows)).toContain(String(answer.body['id']));
  });
});
