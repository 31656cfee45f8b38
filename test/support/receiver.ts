import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Knex } from 'knex';
import { afterEach, beforeEach } from 'vitest';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { createReceiverApp, type ReceiverDeps } from '../../src/webhook/receiver.js';
import { staticSecrets } from '../../src/webhook/secret-source.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { NOW, secrets, signedHeaders } from './signed.js';

export interface Answered {
  status: number;
  headers: Headers;
  body: { [key: string]: unknown };
}

/** A receiver on a free port, at the time NOW. */
export async function startReceiver(db: Knex, changes: Partial<ReceiverDeps> = {}) {
  const stored: string[] = [];
  const metrics = createMetrics();
  const receiver = createReceiverApp({
    db,
    log: createLog('silent'),
    now: () => new Date(NOW * 1000),
    metrics,
    secrets: staticSecrets(secrets),
    tolerance: { past: 300, future: 60 },
    bodyLimit: 64 * 1024,
    path: '/webhooks',
    eventIdPointer: 'auto',
    onStored: (ids) => void stored.push(...ids),
    ...changes,
  });
  const server = createServer(receiver.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    router: receiver.router,
    listener: receiver.listener,
    metrics,
    /** What onStored got. */
    stored,
    post: (body: string | Buffer, headers?: Record<string, string>) => post(`${url}/webhooks`, body, headers),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      const sweep = setInterval(() => server.closeIdleConnections(), 10);
      await closed;
      clearInterval(sweep);
      await receiver.close();
    },
  };
}

/** A receiver, and a database of its own, for each test of a file. */
export function useReceiver() {
  const database = {} as TestDatabase;
  const receiver = {} as Awaited<ReturnType<typeof startReceiver>>;
  beforeEach(async () => {
    Object.assign(database, await createTestDatabase());
    Object.assign(receiver, await startReceiver(database.db));
  });
  afterEach(async () => {
    await receiver.close();
    await database.drop();
  });
  return { database, receiver };
}

/** Posts a body, signed as the service signs it unless other headers are given. */
export async function post(
  url: string,
  body: string | Buffer,
  headers: Record<string, string> = signedHeaders(body),
): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** Writes bytes to a connection of its own and returns what comes back until it ends; `end` closes our side. */
export function sendRaw(port: number, bytes: string | Buffer, { end = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      if (end) socket.end();
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    socket.setTimeout(5_000, () => socket.destroy());
  });
}
