import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InboxWriter } from '../../src/webhook/inbox-writer.js';
import { useDatabase } from '../support/database.js';
import { sendRaw, startReceiver } from '../support/receiver.js';
import { eventBody, NOW, SECRET, sign } from '../support/signed.js';

const LIMIT = 1_000;

const database = useDatabase();
let receivers: Awaited<ReturnType<typeof startReceiver>>[];
const ports: number[] = [];
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  receivers = await Promise.all(
    ['/webhooks', '/'].map((path) => startReceiver(database.db, { path, bodyLimit: LIMIT, inbox: memory() })),
  );
  const app = express().disable('x-powered-by');
  app.use('/webhooks', receivers[1]!.router);
  app.use((_req, res) => void res.status(404).end());
  for (const listener of [receivers[0]!.listener, app]) ports.push(await served(listener));
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
  for (const receiver of receivers) await receiver.close();
});

/** Fails for what asks for it; ids count. */
function memory(): InboxWriter {
  const ids = new Map<string, string>();
  return {
    store: async ({ key, body }) => {
      if (body.includes('down')) throw new Error('the database is down');
      const duplicate = ids.has(key);
      const id = ids.get(key) ?? String(ids.size + 1);
      ids.set(key, id);
      return { id, duplicate, open: false };
    },
    close: async () => {},
  };
}

async function served(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'down', 'x'.repeat(800)).map((id) => eventBody(id)) },
  fc.constantFrom('', 'null', '{}', eventBody('late', { timestamp: NOW - 1_000 }), eventBody('none', { data: null })),
  fc.nat({ max: 2 }).map((more) => 'x'.repeat(LIMIT - 1 + more)),
);
const requests = fc.record({
  method: fc.oneof({ weight: 6, arbitrary: fc.constant('POST') }, fc.constantFrom('GET', 'HEAD', 'PUT', 'OPTIONS')),
  path: fc.oneof(
    { weight: 6, arbitrary: fc.constant('/webhooks') },
    fc.constantFrom('/webhooks?a=/b', '/webhooks/below', '/'),
  ),
  headers: fc.subarray(['Content-Encoding: gzip\r\n', 'Content-Encoding: identity\r\n', 'Content-Type: a\r\n'], {
    maxLength: 1,
  }),
  body: bodies,
  secret: fc.constantFrom(SECRET, SECRET, SECRET, 'another', null),
  /** Where the body is cut into chunks; null: it has a Content-Length. */
  cuts: fc.option(fc.array(fc.nat({ max: LIMIT }), { maxLength: 5 })),
});

function bytesOf({
  method,
  path,
  headers,
  body,
  secret,
  cuts,
}: typeof requests extends fc.Arbitrary<infer R> ? R : never) {
  const signature = secret === null ? '' : `X-Service-Signature: ${sign(body, secret)}\r\n`;
  const ends = [...new Set([0, ...(cuts ?? []).filter((at) => at < body.length), body.length])].toSorted(
    (a, b) => a - b,
  );
  const chunks = ends.slice(1).map((end, i) => body.slice(ends[i], end));
  const sent = cuts
    ? `Transfer-Encoding: chunked\r\n\r\n${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`
    : `Content-Length: ${body.length}\r\n\r\n${body}`;
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers.join('')}${signature}${sent}`;
}

test('mounted in an app it answers what it answers alone, whatever is asked', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const [alone = '', mounted = ''] = (await Promise.all(ports.map((port) => sendRaw(port, bytesOf(request))))).map(
        (answer) => answer.replace(/Date: .*\r\n/, ''),
      );
      const status = alone.slice(9, 12);
      seen.add(status);
      // What is no webhook is the app's own to answer.
      expect(status === '404' ? mounted.slice(9, 12) : mounted).toBe(status === '404' ? status : alone);
    }),
    { numRuns: 150 },
  );
  expect([...seen].toSorted()).toEqual(
    expect.arrayContaining(['200', '400', '401', '404', '405', '413', '415', '503']),
  );
});

test('each step has its name', () => {
  const [alone] = receivers;
  expect(alone!.router.stack.map(({ route }) => route?.stack.map(({ name }) => name))).toEqual([
    ['postsOnly', 'rawBody', 'knowCanary', 'verify', 'store', 'answer', 'answerFailure'],
  ]);
});
