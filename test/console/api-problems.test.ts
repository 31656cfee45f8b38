import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];
let commands: ReturnType<typeof testConsole>['commands'];
const viewer = bearer('viewer');
const operator = bearer('operator');

beforeAll(() => {
  ({ app, commands } = testConsole(store.db));
});

describe('what is asked in another way', () => {
  it('refuses a body that is not sent as JSON, whatever it asks for, and does nothing', async () => {
    const body = '{"dryRun": true, "since": "1h"}';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/merge-patch+json', '']) {
      for (const path of ['events/1/replay', 'deliveries/recover']) {
        const answer = await request(app).post(`/api/v1/${path}`).set(operator).set('Content-Type', type).send(body);
        expect(answer.status).toBe(415);
        expect(answer.body).toMatchObject({ code: 'unsupported_media_type', title: 'Unsupported media type' });
      }
    }
    const put = await request(app).put('/api/v1/orders/x').set(operator).set('Content-Type', 'text/plain').send('{}');
    expect(put.body.detail).toBe('The Content-Type of the body is text/plain; it takes application/json.');
    const other = await request(app)
      .put('/api/v1/orders/x')
      .set(operator)
      .type('application/json; charset=latin9')
      .send('{}');
    expect([other.status, other.body.code]).toEqual([415, 'unsupported_media_type']);
    const body16 = request(app).put('/api/v1/orders/x').set(operator).type('application/json; charset=utf-16le');
    const wide = await body16.send('{"amount":"1","currency":"EUR"}');
    expect([wide.status, wide.body.code]).toEqual([415, 'unsupported_media_type']);
    expect(wide.body.detail).toBe('The charset of the body is utf-16le; it takes utf-8.');
    for (const command of Object.values(commands)) expect(command).not.toHaveBeenCalled();
  });

  it('refuses a key that stands twice, and what is no JSON', async () => {
    const put = (body: string) =>
      request(app).put('/api/v1/orders/x').set(operator).type('application/json').send(body);
    const twice = await put('{"amount":"1","\\u0061mount":"100","currency":"EUR"}');
    expect([twice.status, twice.body.code]).toEqual([400, 'bad_request']);
    expect(twice.body.detail).toContain('a key that the object already has');
    for (const body of ['{"amount":', '[', 'x', '{"amount":"1"}{}']) expect((await put(body)).status, body).toBe(400);
    for (const body of ['null', '"x"', '5', 'true', ' []']) {
      const { status, body: problem } = await put(body);
      expect([status, problem.detail], body).toEqual([400, 'The body is no JSON object.']);
    }
    expect(await store.db('orders')).toEqual([]);
  });

  it('names the methods that an address has', async () => {
    const answer = await request(app).patch('/api/v1/orders/x').set(operator);
    expect([answer.status, answer.body.code, answer.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, PUT, DELETE',
    ]);
    expect((await request(app).post('/api/v1/changes').set(viewer)).get('allow')).toBe('GET, HEAD');
    expect((await request(app).put('/api/v1/deliveries/recover').set(operator)).get('allow')).toBe('POST');
    const asked = await request(app).options('/api/v1/orders').set(viewer);
    expect([asked.status, asked.get('allow')]).toEqual([204, 'GET, HEAD']);
    expect((await request(app).delete('/api/v1/nothing').set(operator)).body.code).toBe('not_found');
  });

  it('names a body that is too large as that', async () => {
    const answer = await request(app)
      .put('/api/v1/orders/x')
      .set(operator)
      .send({ amount: 'x'.repeat(200_000) });
    expect(answer.body).toMatchObject({ status: 413, code: 'too_large', title: 'Too large' });
    expect(answer.body.type).toBe('urn:tallyhook:problem:too_large');
  });
});
