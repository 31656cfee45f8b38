import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.js';

export type Row = Record<string, unknown> & { id: string };

export interface Reply<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A sandbox that ends with the test, and a caller that holds the merchant's key. The books are checked after each call. */
export interface TestSandbox extends Sandbox {
  call: <T = Row>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply<T>>;
  list: (query?: string) => Promise<Row[]>;
}

/** Payments settle within the call that pays them, unless the test says otherwise. */
export async function openSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0, rateSwingBasisPoints: 0, ...options });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(async () => {
    agent.destroy();
    await sandbox.close();
  });
  const call: TestSandbox['call'] = async (method, path, body, given = {}) => {
    const headers = { authorization: 'Bearer sandbox-api-key', 'content-type': 'application/json', ...given };
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await ask(sandbox.url + path, { method, headers, agent }, sent);
    expect(sandbox.control.ledgerProblems(), `${method} ${path}`).toEqual([]);
    const json = answer.headers.get('content-type')?.includes('json') && answer.body !== '';
    return { ...answer, body: json ? JSON.parse(answer.body) : answer.body };
  };
  const list = async (query = ''): Promise<Row[]> => {
    const { status, body } = await call<Row[]>('GET', `/v1/payment-intents?${query}`);
    if (status !== 200) throw new Error(`the list answered ${status}`);
    return body;
  };
  return { ...sandbox, call, list };
}

/** A third of the work of `fetch`. */
async function ask(url: string, options: RequestOptions, body: string | undefined): Promise<Reply<string>> {
  const sent = request(url, options).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const headers = new Headers(
    Object.entries(response.headersDistinct).flatMap(([name, all = []]) =>
      all.map((one): [string, string] => [name, one]),
    ),
  );
  return { status: response.statusCode ?? 0, headers, body: await text(response) };
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

export const SESSION = { authorization: 'Bearer sandbox-session-token' };
export const OTHER = { authorization: 'Bearer sandbox-other-key' };

/** A sub-wallet with 1000 USDT.TRC20, 990 of which are its own after the fee, and 10 XRP. */
export async function openWallet(sandbox: TestSandbox, input: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await sandbox.call('POST', '/sandbox/accounts', input);
  expect(status).toBe(201);
  sandbox.control.deposit(body.id, 'USDT.TRC20', '1000');
  sandbox.control.deposit(body.id, 'XRP.XRPL', '10');
  return body.id;
}

/** What the sub-wallet has of an asset: total, frozen, available. */
export async function walletBalance(sandbox: TestSandbox, id: string, assetCode = 'USDT.TRC20'): Promise<unknown[]> {
  const { body } = await sandbox.call('GET', `/sandbox/accounts/${id}`);
  const row = rowsOf(body, 'balances').find((one) => one.assetCode === assetCode);
  return [row?.balance, row?.frozen, row?.available];
}

/** What the operating balance has of an asset: total, frozen, available. */
export async function operatingBalance(sandbox: TestSandbox, assetCode = 'USDT.TRC20'): Promise<unknown[]> {
  const { body } = await sandbox.call('GET', `/v1/wallet/balances/${assetCode}`);
  return [body.balance, body.frozen, body.available];
}

/** A payment of 100 USDT.TRC20, paid and completed: 99 for the merchant. */
export function payHundred(sandbox: TestSandbox, input: Record<string, string> = {}): string {
  const id = sandbox.control.createPayment({ amount: '100', currency: 'USDT.TRC20', ...input });
  sandbox.control.pay(id);
  return id;
}
