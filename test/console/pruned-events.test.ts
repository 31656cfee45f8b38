import request from 'supertest';
import { expect, test } from 'vitest';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';

const store = useDatabase();

test('an event whose body is gone is shown, and refused where it is to be applied again', async () => {
  const { app, commands } = testConsole(store.db);
  const [gone = '', there = ''] = await storeEvents(store.db, [completed('a'), completed('b')]);
  await store.db('inbox').where({ id: gone }).update({ body: null, status: 'applied' });
  const headers = bearer('operator');
  const shown = await request(app).get(`/api/v1/events/${gone}`).set(headers);
  expect(shown.body).toMatchObject({ id: gone, body: null, status: 'applied' });
  const refused = await request(app).post(`/api/v1/events/${gone}/replay`).set(headers);
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toMatch(/RETENTION_BODY_DAYS/);
  expect((await request(app).post(`/api/v1/events/${there}/replay`).set(headers)).status).toBe(202);
  expect(commands.replay.mock.calls).toEqual([[[there]]]);
});
