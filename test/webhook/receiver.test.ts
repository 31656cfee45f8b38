import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Answered, sendRaw, startReceiver } from '../support/receiver.js';
import { eventBody, NOW, OTHER_SECRET, sign, signedHeaders } from '../support/signed.js';

let database: TestDatabase;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const expired: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver(database.db, {
    onExpired: ({ data }) => void expired.push(JSON.stringify(data['id'])),
    ready: async () => ({ ok: true, problems: [] }),
  });
});
afterAll(async () => {
  await receiver.close();
  await database.drop();
});

const row = (id: unknown) =>
  database
    .db('inbox')
    .where({ id: String(id) })
    .first();

describe('an authentic event', () => {
  test('is committed when it is answered with 200, and then told of', async () => {
    const body = eventBody('pi_first');
    const answer = await receiver.post(body);
    expect(answer).toMatchObject({ status: 200, body: { received: true, duplicate: false } });
    expect(await row(answer.body['id'])).toMatchObject({
      event_type: 'payment_intent.completed',
      event_timestamp: NOW,
      status: 'received',
      source: 'webhook',
      key_type: 'fingerprint',
      secret_label: 'live',
      arrivals: 1,
      body: Buffer.from(body),
      document: JSON.parse(body),
    });
    await vi.waitFor(() => expect(receiver.stored).toContain(answer.body['id']));
  });

  test('sent again under another secret is a duplicate: the same row, counted under both, told of again', async () => {
    const body = eventBody('pi_rotated');
    const first = await receiver.post(body);
    const second = await receiver.post(body, signedHeaders(body, OTHER_SECRET));
    expect(second.body).toEqual({ received: true, id: first.body['id'], duplicate: true });
    expect(await row(first.body['id'])).toMatchObject({ arrivals: 2, secret_label: 'live' });
    const arrivals = await database.db('inbox_arrivals').where({ inbox_id: first.body['id'] }).orderBy('secret_label');
    expect(arrivals).toMatchObject([
      { secret_label: 'live', arrivals: 1 },
      { secret_label: 'new', arrivals: 1 },
    ]);
    await vi.waitFor(() => expect(receiver.stored.filter((id) => id === first.body['id'])).toHaveLength(2));
  });

  test('is the same one by its id, whatever else a retry re-stamps', async () => {
    const first = await receiver.post(eventBody('pi_id', { id: 'evt_1' }));
    const second = await receiver.post(eventBody('pi_id', { id: 'evt_1', timestamp: NOW - 7 }));
    expect(second.body).toEqual({ received: true, id: first.body['id'], duplicate: true });
  });

  test('with an id that came before and other content is a duplicate, and a row of its own to be applied', async () => {
    const first = await receiver.post(eventBody('pi_a', { id: 'evt_2' }));
    const other = eventBody('pi_b', { id: 'evt_2' });
    const second = await receiver.post(other);
    const third = await receiver.post(other);
    expect(second.body).toMatchObject({ received: true, duplicate: true });
    expect(second.body['id']).not.toBe(first.body['id']);
    expect(third.body).toEqual(second.body);
    const [a, b] = [await row(first.body['id']), await row(second.body['id'])];
    expect(a).toMatchObject({ arrivals: 1 });
    expect(b).toMatchObject({ arrivals: 2, status: 'received', event_id: 'evt_2', body: Buffer.from(other) });
    expect(b.key).toBe(`${a.key}#${b.content_hash}`);
  });

  test.each([
    ['\\u0000', '{"id":"pi_\\u0000"}'],
    ['a lone surrogate', '{"id":"\\ud800"}'],
    ['a number no database holds', '{"id":"pi","n":1e99999}'],
  ])('with %s is stored by its bytes', async (_, data) => {
    const body = `{"event":"odd \\u0000 \\udc00","timestamp":${NOW},"data":${data}}`;
    const answer = await receiver.post(body);
    expect(answer.status).toBe(200);
    expect(await row(answer.body['id'])).toMatchObject({ document: null, body: Buffer.from(body) });
  });

  test('of 100-digit numbers, "__proto__" and the limit of depth is stored as it is', async () => {
    const digits = '9'.repeat(100);
    const deep = `${'['.repeat(510)}${']'.repeat(510)}`;
    const body = `{"event":"a","timestamp":${NOW},"data":{"n":${digits},"__proto__":{"a":1},"deep":${deep}}}`;
    const answer = await receiver.post(body);
    expect(answer.status).toBe(200);
    const { rows } = await database.db.raw(
      `SELECT document #>> '{data,n}' AS n, document #> '{data,__proto__}' AS proto FROM inbox WHERE id = ?`,
      [String(answer.body['id'])],
    );
    expect(rows).toEqual([{ n: digits, proto: { a: 1 } }]);
  });
});

describe('a refusal', () => {
  const body = eventBody('pi_refused');
  const signed = (text: string) => [text, signedHeaders(text)] as const;

  test.each<[string, number, string, string | Buffer, Record<string, string>]>([
    ['no signature', 401, 'missing_signature', body, {}],
    ['another scheme', 401, 'malformed_signature', body, { 'x-service-signature': 'sha1=00' }],
    [
      'two signatures joined',
      401,
      'malformed_signature',
      body,
      { 'x-service-signature': `${sign(body)}, ${sign(body)}` },
    ],
    ['an empty signature', 401, 'malformed_signature', body, { 'x-service-signature': '' }],
    ['another secret', 401, 'invalid_signature', body, { 'x-service-signature': sign(body, 'whsec_test') }],
    ['a truncated signature', 401, 'invalid_signature', body, { 'x-service-signature': sign(body).slice(0, 40) }],
    [
      'an uppercase signature',
      401,
      'invalid_signature',
      body,
      { 'x-service-signature': sign(body).replace(/[a-f0-9]{64}/, (hex) => hex.toUpperCase()) },
    ],
    ['another body', 401, 'invalid_signature', `${body} `, signedHeaders(body)],
    ['an empty body', 400, 'invalid_body', ...signed('')],
    ['null', 400, 'invalid_body', ...signed('null')],
    ['an array', 400, 'invalid_body', ...signed(`[${body}]`)],
    ['text', 400, 'invalid_body', ...signed('hello')],
    ['a byte order mark', 400, 'invalid_body', ...signed(`\ufeff${body}`)],
    ['duplicate keys', 400, 'invalid_body', ...signed(body.replace('{', '{"event":"a",'))],
    ['10,000 levels', 400, 'invalid_body', ...signed(`{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)],
    ['no event', 400, 'invalid_body', ...signed(`{"timestamp":${NOW},"data":{}}`)],
    ['data null', 400, 'invalid_body', ...signed(eventBody('', { data: null }))],
    ['data an array', 400, 'invalid_body', ...signed(eventBody('', { data: [] }))],
    ['a timestamp string', 400, 'missing_timestamp', ...signed(eventBody('', { timestamp: String(NOW) }))],
    ['an infinite timestamp', 400, 'missing_timestamp', ...signed('{"event":"a","timestamp":1e999,"data":{}}')],
    ['too old', 400, 'expired_timestamp', ...signed(eventBody('pi_late', { timestamp: NOW - 301 }))],
    ['milliseconds', 400, 'expired_timestamp', ...signed(eventBody('pi_ms', { timestamp: NOW * 1000 }))],
  ])('%s: %i %s', async (_, status, error, text, headers) => {
    const answer = await receiver.post(text, headers);
    expect(answer).toMatchObject({ status, body: { error, detail: expect.any(String) } });
  });

  test('invalid UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from(body.slice(0, -3)), Buffer.from([0xc3, 0x28]), Buffer.from('"}}')]);
    const answer = await receiver.post(bytes);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_body' } });
  });

  test('a signature header twice, also of equal value', async () => {
    const header = `X-Service-Signature: ${sign(body)}\r\n`;
    const request = `POST /webhooks HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`;
    expect(await sendRaw(receiver.port, `${request}${header}${header}\r\n${body}`)).toMatch(
      /^HTTP\/1.1 401 .*malformed_signature/s,
    );
    expect(await sendRaw(receiver.port, `${request}${header}\r\n${body}`)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('the record of an authentic event that came too late is named, once for all its replays', async () => {
    const late = eventBody('pi_too_late', { timestamp: NOW - 4_000 });
    for (let i = 0; i < 3; i += 1) expect((await receiver.post(late)).status).toBe(400);
    expect(expired.filter((id) => id === '"pi_too_late"')).toHaveLength(1);
    const forged = eventBody('pi_forged', { timestamp: NOW - 4_000 });
    await receiver.post(forged, signedHeaders(late));
    expect(expired).not.toContain('"pi_forged"');
  });
});

describe('HTTP', () => {
  test('every other method is refused, naming the right one', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await fetch(`${receiver.url}/webhooks`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('a compressed body is refused, identity is none', async () => {
    const body = eventBody('pi_encoding');
    const headers = signedHeaders(body);
    for (const encoding of ['gzip', 'identity, br', 'deflate']) {
      expect((await receiver.post(body, { ...headers, 'content-encoding': encoding })).status).toBe(415);
    }
    expect((await receiver.post(body, { ...headers, 'content-encoding': 'Identity' })).status).toBe(200);
  });

  test('the Content-Type is not looked at', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'nonsense',
      'application/json; charset=utf-16',
    ]) {
      const body = eventBody(`pi_${type}`);
      expect((await receiver.post(body, { ...signedHeaders(body), 'content-type': type })).status).toBe(200);
    }
  });

  test('nothing else is public', async () => {
    for (const [path, status] of Object.entries({
      '/livez': 200,
      '/readyz': 200,
      '/webhooks?from=proxy': 405,
      '/': 404,
      '/webhooks/other': 404,
      '/metrics': 404,
      '/%ff': 404,
    })) {
      const response = await fetch(`${receiver.url}${path}`);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get('x-powered-by')).toBeNull();
    }
  });

  test('is not ready while events could not be stored', async () => {
    const unready = await startReceiver(database.db, { ready: async () => ({ ok: false, problems: ['schema'] }) });
    const response = await fetch(`${unready.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([503, { ok: false }]);
    await unready.close();
  });

  test('every request is in the metrics, by its answer', async () => {
    const before = await results();
    await receiver.post(eventBody('pi_metrics'));
    await receiver.post(eventBody('pi_metrics'));
    await receiver.post(eventBody('pi_metrics'), {});
    const after = await results();
    const grown = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(grown.toSorted()).toEqual(['accepted', 'duplicate', 'missing_signature']);
  });
});

async function results(): Promise<Record<string, number>> {
  const { values } = await receiver.metrics.webhookRequests.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]));
}

describe('bodies that do not come whole', () => {
  const stillWell = async (): Promise<Answered> => receiver.post(eventBody(`pi_after_${Math.random()}`));
  const request = (headers: string) =>
    `POST /webhooks HTTP/1.1\r\nHost: a\r\nX-Service-Signature: ${sign('')}\r\n${headers}\r\n`;

  test('too large by its Content-Length: 413', async () => {
    const body = eventBody('x'.repeat(65 * 1024));
    expect(await receiver.post(body)).toMatchObject({ status: 413, body: { error: 'too_large' } });
    expect((await stillWell()).status).toBe(200);
  });

  test('exactly as large as the limit: fine', async () => {
    const frame = eventBody('').length;
    expect((await receiver.post(eventBody('x'.repeat(64 * 1024 - frame)))).status).toBe(200);
    expect((await receiver.post(eventBody('x'.repeat(64 * 1024 - frame + 1)))).status).toBe(413);
  });

  test('too large in chunks, without Content-Length: 413', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const bytes = `${request('Transfer-Encoding: chunked\r\nConnection: close\r\n')}${chunk.repeat(5)}0\r\n\r\n`;
    expect(await sendRaw(receiver.port, bytes)).toMatch(/^HTTP\/1.1 413 .*too_large/s);
    expect((await stillWell()).status).toBe(200);
  });

  test('announced far too large: answered without waiting for it', async () => {
    const answer = await sendRaw(receiver.port, request('Content-Length: 99999999999\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 413 .*Connection: close/s);
  });

  test('cut off in the middle: nobody is answered with 200, nothing crashes', async () => {
    const answer = await sendRaw(receiver.port, `${request('Content-Length: 100\r\n')}{"event"`, { end: true });
    expect(answer).not.toMatch(/HTTP\/1.1 (200|5)/);
    const chunked = await sendRaw(receiver.port, `${request('Transfer-Encoding: chunked\r\n')}64\r\n{"ev`, {
      end: true,
    });
    expect(chunked).not.toMatch(/HTTP\/1.1 (200|5)/);
    expect((await stillWell()).status).toBe(200);
    await vi.waitFor(async () => expect((await results())['aborted']).toBeGreaterThan(0));
  });

  test('no HTTP at all', async () => {
    expect(await sendRaw(receiver.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect((await stillWell()).status).toBe(200);
  });
});
