import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listener, listen } from '../../src/wiring/listen.js';
import { useDatabase } from '../support/database.js';
import { sendRaw, startReceiver } from '../support/receiver.js';
import { eventBody, NOW, sign } from '../support/signed.js';

const LIMITS = { headersTimeout: 400, requestTimeout: 800, connectionsCheckingInterval: 50 };

const database = useDatabase();
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let front: Listener;
let port: number;

beforeAll(async () => {
  receiver = await startReceiver(database.db, {
    bodyLimit: 1_048_576,
    ready: () => Promise.reject(new Error('s3cret')),
  });
  front = await listen({ host: '127.0.0.1', port: 0, names: { host: 'HOST', port: 'PORT' } }, receiver.listener, {
    limits: LIMITS,
  });
  port = Number(new URL(front.url).port);
});
afterAll(async () => {
  await front.close();
  await receiver.close();
});

let count = 0;
const fresh = () => eventBody(`pi_port_${(count += 1)}`);
const signature = (body: string) => `X-Service-Signature: ${sign(body)}\r\n`;

/** A right webhook, but for what is changed; the connection ends with it. */
function request(changes: { line?: string; headers?: string; length?: boolean; body?: string; sent?: string } = {}) {
  const { line = 'POST /webhooks HTTP/1.1', headers = '', length = true, body = fresh() } = changes;
  const { sent = body } = changes;
  const announced = length ? `Content-Length: ${Buffer.byteLength(sent)}\r\n` : '';
  return `${line}\r\nHost: a\r\nConnection: close\r\n${announced}${headers}${signature(body)}\r\n${sent}`;
}
const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const stored = async () => Number((await database.db('inbox').count('id as n'))[0]?.['n']);

describe('a request that two readers could read in two ways', () => {
  const body = fresh();
  const double = (headers: string) => request({ headers });
  test.each<[string, string]>([
    ['length and chunks', double('Transfer-Encoding: chunked\r\n')],
    ['two equal lengths', double(`Content-Length: ${body.length}\r\n`)],
    ['two lengths', double('Content-Length: 5\r\n')],
    ['a list of lengths', request({ length: false, body, headers: `Content-Length: ${body.length}, 5\r\n` })],
    ['a length with a sign', request({ length: false, body, headers: `Content-Length: +${body.length}\r\n` })],
    ['an unknown transfer coding', request({ length: false, headers: 'Transfer-Encoding: xchunked\r\n' })],
    ['chunked not last', request({ length: false, headers: 'Transfer-Encoding: chunked, identity\r\n' })],
    ['a folded header', double('X-A: b\r\n c\r\n')],
    ['a folded signature', request({ headers: 'X-Service-Signature:\r\n sha256=00\r\n' })],
    ['a space before the colon', double('X-A : b\r\n')],
    ['line feeds alone', request().replaceAll('\r\n', '\n')],
    ['a carriage return alone', double('X-A: b\rX-B: c\r\n')],
    ['a NUL in a header', double('X-A: b\0c\r\n')],
    ['a method nobody knows', request({ line: 'FOO /webhooks HTTP/1.1' })],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s: 400, nothing stored, the connection ended', async (_, bytes) => {
    const before = await stored();
    const answer = await sendRaw(port, bytes);
    expect(statuses(answer)).toEqual([400]);
    expect(answer).toMatch(/Connection: close/);
    expect(await stored()).toBe(before);
  });

  test('what follows the announced length is the next request, and is answered as one that anybody may send', async () => {
    const first = fresh();
    const hidden = 'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const bytes = `POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: ${first.length}\r\n${signature(first)}\r\n${first}`;
    expect(statuses(await sendRaw(port, `${bytes}${bytes}${hidden}`))).toEqual([200, 200, 404]);
    expect(await database.db('inbox').where({ body: Buffer.from(first) })).toMatchObject([{ arrivals: 2 }]);
  });

  test('a signature behind the body counts for nothing', async () => {
    const body = fresh();
    const head =
      'POST /webhooks HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Service-Signature\r\n';
    const bytes = `${head}\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n${signature(body)}\r\n`;
    expect(await sendRaw(port, bytes)).toMatch(/^HTTP\/1.1 401 .*missing_signature/s);
  });
});

describe('headers', () => {
  test('too long, alone or together, or a target too long: refused before anything is read of them', async () => {
    expect(statuses(await sendRaw(port, request({ headers: `X-A: ${'a'.repeat(17_000)}\r\n` })))).toEqual([431]);
    const many = Array.from({ length: 2_000 }, (_, i) => `header-${i}: 1\r\n`).join('');
    expect(statuses(await sendRaw(port, request({ headers: many })))).toEqual([431]);
    const line = `POST /webhooks?${'a'.repeat(17_000)} HTTP/1.1`;
    expect(statuses(await sendRaw(port, request({ line })))).toEqual([431]);
  });

  test('so many short ones that some are left out: never more than the signature is lost', async () => {
    const headers = 'a:\r\n'.repeat(2_100);
    expect(await sendRaw(port, request({ headers }))).toMatch(/^HTTP\/1.1 401 .*missing_signature/s);
  });

  test('an extension of a chunk that does not end is cut off', async () => {
    const body = fresh();
    const bytes = request({ length: false, body, headers: 'Transfer-Encoding: chunked\r\n', sent: '' });
    expect(statuses(await sendRaw(port, `${bytes}${body.length.toString(16)};${'a'.repeat(40_000)}`))).toEqual([413]);
  });
});

describe('a body that is a bomb', () => {
  const event = (data: string) => `{"event":"a","timestamp":${NOW},"data":${data}}`;
  test.each<[string, string, number]>([
    ['1 MB of [', '['.repeat(1_000_000), 400],
    ['1 MB of {"a":', '{"a":'.repeat(200_000), 400],
    ['a time of a million digits', `{"event":"a","timestamp":1e${'9'.repeat(900_000)},"data":{}}`, 400],
    ['a number of a million digits', event(`{"id":"n","n":${'9'.repeat(900_000)}}`), 200],
    ['a string of a million characters', event(`{"id":"s","s":"${'\\"'.repeat(450_000)}"}`), 200],
    ['50,000 keys', event(`{"id":"k",${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`).join(',')}}`), 200],
  ])('%s, signed, costs what its bytes cost: %#', async (_, body, status) => {
    const cpu = process.cpuUsage();
    expect(statuses(await sendRaw(port, request({ body })))).toEqual([status]);
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });

  test('a header of white space costs no more than its bytes', async () => {
    const headers = `Content-Encoding: ,${' '.repeat(15_000)}x\r\n`;
    const cpu = process.cpuUsage();
    expect(statuses(await sendRaw(port, request({ headers })))).toEqual([415]);
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  test('compressed: not even read', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000)).toString('latin1');
    const head = `POST /webhooks HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`;
    expect(statuses(await sendRaw(port, Buffer.from(`${head}\r\n${bomb}`, 'latin1')))).toEqual([415]);
  });
});

describe('whoever is slow', () => {
  /** Sends a byte now and then until the other side ends it; how long that took, and what it said. */
  const drip = (start: string) =>
    new Promise<{ ms: number; answer: string }>((resolve) => {
      const began = performance.now();
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(start));
      const dripping = setInterval(() => socket.write('a'), 40);
      socket.on('data', (bytes) => (answer += String(bytes)));
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(dripping);
        resolve({ ms: performance.now() - began, answer });
      });
    });

  test('is ended in bounded time, with headers or with a body, counted or in chunks; others are answered meanwhile', async () => {
    const head = 'POST /webhooks HTTP/1.1\r\nHost: a\r\n';
    const starts = [
      `${head}X-A: `,
      `${head}Content-Length: 9999\r\n\r\n`,
      `${head}Transfer-Encoding: chunked\r\n\r\nffff\r\n`,
    ];
    const slow = Promise.all(starts.map(drip));
    expect(statuses(await sendRaw(port, request()))).toEqual([200]);
    for (const { ms, answer } of await slow) {
      expect(ms).toBeLessThan(10_000);
      expect(statuses(answer)).toEqual([408]);
    }
  });

  test('has the limits of the program, unless it says others', () => {
    // Nobody waits for half a minute here: that they are given to the server is tried above.
    const program = readFileSync(new URL('../../src/wiring/listen.ts', import.meta.url), 'utf8');
    expect(program).toMatch(/headersTimeout: 10_000, requestTimeout: 20_000.*limits = LIMITS.*\.\.\.limits/s);
  });
});

describe('targets', () => {
  test.each<[string, number]>([
    ['POST /webhooks?a=/../x HTTP/1.1', 200],
    ['POST http://evil.example/webhooks HTTP/1.1', 200],
    ['POST /webhooks HTTP/1.0', 200],
    ['POST //webhooks HTTP/1.1', 404],
    ['POST /webhooks/ HTTP/1.1', 404],
    ['POST /webhooks/.. HTTP/1.1', 404],
    ['POST /a/../webhooks HTTP/1.1', 404],
    ['POST /%77ebhooks HTTP/1.1', 404],
    ['POST /WEBHOOKS HTTP/1.1', 404],
    ['POST /webhooks%00 HTTP/1.1', 404],
    ['POST \\webhooks HTTP/1.1', 400],
    ['TRACE /webhooks HTTP/1.1', 405],
    ['OPTIONS * HTTP/1.1', 404],
  ])('%s: %i', async (line, status) => {
    expect(statuses(await sendRaw(port, request({ line })))).toEqual([status]);
  });

  test('a tunnel is not opened, another protocol is not begun', async () => {
    expect(await sendRaw(port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n')).not.toMatch(/ 200 /);
    const headers = 'Upgrade: h2c\r\n';
    const answer = await sendRaw(port, request({ headers }).replace('Connection: close', 'Connection: Upgrade, close'));
    expect(statuses(answer)).toEqual([200]);
  });
});

test('the public port says nothing of what it is made of, even when something fails', async () => {
  const answers = await Promise.all(
    ['/livez', '/readyz', '/', '/webhooks', '/metrics', '/api/v1/orders', '/sign-in', '/%ff', '/package.json'].map(
      (path) => sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ),
  );
  expect(answers.map((answer) => statuses(answer)[0])).toEqual([200, 503, 404, 405, 404, 404, 404, 404, 404]);
  for (const answer of answers) {
    expect(answer).not.toMatch(/^(server|x-powered-by|via|set-cookie|etag):/im);
    expect(answer).not.toMatch(/express|node|tallyhook|postgres|s3cret|\.[jt]s\b|\bat \w+ \(/i);
  }
});
