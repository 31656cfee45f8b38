import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Knex } from 'knex';
import { loadConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { type Contract, defaultContract } from '../../src/service-api/contract.js';
import type { DoctorParts } from '../../src/wiring/doctor/check.js';

type Answer = (request: { path: string; query: URLSearchParams; response: ServerResponse }) => unknown;

/** A service of which a test says what it answers; what it says nothing of is an empty list. */
export async function startService(answers: Record<string, Answer> = {}) {
  const asked: { method: string; path: string; query: Record<string, string> }[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://service');
    asked.push({ method: request.method ?? '', path: url.pathname, query: Object.fromEntries(url.searchParams) });
    const { pathname: path, searchParams: query } = url;
    const answer = answers[path] ?? answers['*'] ?? (() => (path.endsWith('deliveries') ? { items: [] } : []));
    const body = answer({ path, query, response });
    if (body !== undefined) send(response, 200, body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const MOMENTS = { attemptMs: 2_000, deadlineMs: 5_000, retries: 1, pauseMs: 10, failures: 10_000 };
/** Where it matters only that there is no answer. */
export const HASTY = { ...MOMENTS, attemptMs: 40, deadlineMs: 100 };

/** What doctor works with, against a service; patient for moments only. */
export function partsFor(
  db: Knex,
  baseUrl: string,
  env: Record<string, string> = {},
  retryPolicy = MOMENTS,
): DoctorParts {
  const settings = {
    SERVICE_BASE_URL: baseUrl,
    SERVICE_API_KEY: 'a-key',
    WEBHOOK_SECRETS: 'test=whsec_test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
    ...env,
  };
  const config = loadConfig(['SERVICE_BASE_URL', 'SERVICE_API_KEY'], { env: settings });
  const clientFor = (contract: Contract) =>
    Promise.resolve(new ServiceClient({ baseUrl, apiKey: config.SERVICE_API_KEY, contract, retryPolicy }));
  return {
    db,
    config,
    queues: { databaseUrl: '', log: createLog('silent') },
    now: () => new Date(),
    client: new ServiceClient({ baseUrl, apiKey: config.SERVICE_API_KEY, retryPolicy }),
    ready: () => Promise.resolve({ ok: true, problems: [] }),
    signal: new AbortController().signal,
    contract: defaultContract,
    clientFor,
  };
}
