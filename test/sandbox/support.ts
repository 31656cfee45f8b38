import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.js';

export type Row = Record<string, unknown> & { id: string };

export interface Reply<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A sandbox that ends with the test, and a caller that holds the merchant's key. */
export interface TestSandbox extends Sandbox {
  call: <T = Row>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply<T>>;
  list: (query?: string) => Promise<Row[]>;
}

/** Payments settle within the call that pays them, unless the test says otherwise. */
export async function openSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0, rateSwingBasisPoints: 0, ...options });
  onTestFinished(() => sandbox.close());
  const call: TestSandbox['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: 'Bearer sandbox-api-key', 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
  const list = async (query = ''): Promise<Row[]> => {
    const { status, body } = await call<Row[]>('GET', `/v1/payment-intents?${query}`);
    if (status !== 200) throw new Error(`the list answered ${status}`);
    return body;
  };
  return { ...sandbox, call, list };
}

export interface Arrival {
  headers: IncomingHttpHeaders;
  raw: Buffer;
  event: string;
  /** The parsed envelope; null for bytes that are no JSON. */
  envelope: { event: string; timestamp: number; data: Row; id?: string } | null;
}

export interface Inbox {
  url: string;
  arrivals: Arrival[];
  /** What the endpoint answers from here on. */
  answer: { status: number };
}

/** The merchant's endpoint: keeps what arrives, byte for byte. */
export async function openInbox(): Promise<Inbox> {
  const arrivals: Arrival[] = [];
  const answer = { status: 200 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const envelope = parse(raw);
      arrivals.push({ headers: request.headers, raw, envelope, event: envelope?.event ?? '' });
      response.writeHead(answer.status, { 'content-type': 'text/plain' }).end('noted');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, arrivals, answer };
}

function parse(raw: Buffer): Arrival['envelope'] {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return null;
  }
}

/** Specification 6.3, with nothing of the sandbox's own code. */
export function isSignedBy(secret: string, { raw, headers }: Arrival): boolean {
  return headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;
}

/** The rows under a field of a record that must have them. */
export function rowsOf(record: Row | undefined, field: string): Row[] {
  const rows = record?.[field];
  if (!Array.isArray(rows)) throw new Error(`there is no list ${field}`);
  return rows;
}
