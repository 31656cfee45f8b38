import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../support/database.js';
import { sendRaw, startReceiver } from '../support/receiver.js';
import { eventBody, NOW, OTHER_SECRET, sign, signedHeaders } from '../support/signed.js';

const database = useDatabase();
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const expired: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver(database.db, {
    onExpired: ({ data }) => void expired.push(JSON.stringify(data['id'])),
    ready: async () => ({ ok: true, problems: [] }),
  });
});
afterAll(async () => {
  await receiver.close();
});

const row = (id: unknown) =>
  database
    .db('inbox')
    .where({ id: String(id) })
    .first();

const documentOf = async (id: unknown) =>
  (
    await database
      .db('inbox_documents')
      .where({ id: String(id) })
      .first()
  ).document;

describe('an authentic event', () => {
  test('is committed when it is answered with 200, and then announced', async () => {
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
    });
    expect(await documentOf(answer.body['id'])).toEqual(JSON.parse(body));
    await vi.waitFor(() => expect(receiver.stored).toContain(answer.body['id']));
  });

  test('sent again under another secret is a duplicate: the same row, counted under both, announced again', async () => {
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

  test('caught and sent under ever new ids in its unsigned header is soon a duplicate', async () => {
    const body = eventBody('pi_caught');
    const answers: Awaited<ReturnType<typeof receiver.post>>[] = [];
    for (let i = 0; i < 12; i += 1) {
      answers.push(await receiver.post(body, { ...signedHeaders(body), 'x-service-event-id': `made-up-${i}` }));
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map((answer) => answer.body['id'])).size).toBeLessThan(6);
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
    expect(await row(answer.body['id'])).toMatchObject({ body: Buffer.from(body) });
    expect(await documentOf(answer.body['id'])).toBeNull();
  });

  test('whose type is longer than an index can hold is stored all the same', async () => {
    const type = `payment_intent.${Array.from({ length: 4_000 }, (_, i) => (i * 7919).toString(36)).join('')}`;
    const body = eventBody('pi_long_type', { event: type });
    const answer = await receiver.post(body);
    expect(answer.status).toBe(200);
    expect(await row(answer.body['id'])).toMatchObject({ event_type: type.slice(0, 200), body: Buffer.from(body) });
  });

  test('of 100-digit numbers, "__proto__" and the limit of depth is stored as it is', async () => {
    const digits = '9'.repeat(100);
    const deep = `${'['.repeat(510)}${']'.repeat(510)}`;
    const body = `{"event":"a","timestamp":${NOW},"data":{"n":${digits},"__proto__":{"a":1},"deep":${deep}}}`;
    const answer = await receiver.post(body);
    expect(answer.status).toBe(200);
    const { rows } = await database.db.raw(
      `SELECT document #>> '{data,n}' AS n, document #> '{data,__proto__}' AS proto FROM inbox_documents WHERE id = ?`,
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

  test.each(['constructor', '__proto__', 'hasownproperty'])('a header named %s is no matter', async (name) => {
    const start = `POST /webhooks HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`;
    const headers = `${name}: 1\r\n${name}: 2\r\n`;
    expect(await sendRaw(receiver.port, `${start}${headers}\r\n${body}`)).toMatch(
      /^HTTP\/1.1 401 .*missing_signature/s,
    );
    const signature = `X-Service-Signature: ${sign(body)}\r\n`;
    expect(await sendRaw(receiver.port, `${start}${headers}${signature}\r\n${body}`)).toMatch(/^HTTP\/1.1 200 /);
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
