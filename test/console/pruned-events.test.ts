import { pino } from 'pino';
import request from 'supertest';
import { expect, test, vi } from 'vitest';
import { createConsoleApp } from '../../src/console/server.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';

const replay = vi.fn(async () => {});
const store = useDatabase();

test('an event whose body is gone is shown, and refused where it is to be applied again', async () => {
  const app = createConsoleApp({
    db: store.db,
    log: pino({ level: 'silent' }),
    tokens: [{ name: 'omar', role: 'operator', token: 'operator-token' }],
    commands: { replay, recover: async () => {}, run: async () => {} },
    runKinds: [],
    ready: async () => ({ ok: true, problems: [] }),
    metrics: async () => ({ contentType: 'text/plain', body: '' }),
    secretsStatus: async () => ({ items: [] }),
  });
  const [gone = '', there = ''] = await storeEvents(store.db, [completed('a'), completed('b')]);
  await store.db('inbox').where({ id: gone }).update({ body: null, status: 'applied' });
  const headers = { Authorization: 'Bearer operator-token' };
  const shown = await request(app).get(`/api/v1/events/${gone}`).set(headers);
  expect(shown.body).toMatchObject({ id: gone, body: null, status: 'applied' });
  const refused = await request(app).post(`/api/v1/events/${gone}/replay`).set(headers);
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toMatch(/RETENTION_BODY_DAYS/);
  expect((await request(app).post(`/api/v1/events/${there}/replay`).set(headers)).status).toBe(202);
  expect(replay.mock.calls).toEqual([[[there]]]);
});
