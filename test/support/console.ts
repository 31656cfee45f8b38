import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { vi } from 'vitest';
import type { ApiDeps } from '../../src/console/api-deps.js';
import { createConsoleApp } from '../../src/console/http/server.js';
import type { DoctorLine } from '../../src/console/page.js';
import { defaultChart } from '../../src/domain/books/chart.js';
import type { SecretStatus } from '../../src/domain/views/webhook-shapes.js';
import { defaultContract } from '../../src/service-api/contract.js';

export const consoleTokens = [
  { name: 'vera', role: 'viewer' as const, token: 'viewer-token-1' },
  { name: 'omar', role: 'operator' as const, token: 'operator-token' },
  { name: 'fina', role: 'finance' as const, token: 'finance-token-' },
  { name: 'ada', role: 'admin' as const, token: 'admin-token-1' },
];

export const tokenOf = (role: string): string => consoleTokens.find((one) => one.role === role)?.token ?? '';
/** The header by which a program of that role shows who it is. */
export const bearer = (role: string) => ({ Authorization: `Bearer ${tokenOf(role)}` });

export const secretSample: SecretStatus = {
  label: 'old',
  fingerprint: 'c0ffee12',
  firstMatchAt: '2026-01-01T00:00:00.000Z',
  lastMatchAt: '2026-01-02T00:00:00.000Z',
  matches24h: 3,
  endpointId: 'we_1',
  replacedBy: null,
  verdict: 'keep',
  missing: ['1 delivery under "old" still pending'],
  successor: 'new',
  overlap: { both: 12, onlyThis: 0 },
  retiredAt: null,
  notSent: 0,
  unmatched: 0,
  lacking: 0,
  untold: null,
  next: 'Wait: the service is still at it (step 4).',
};

interface TestSettings {
  trustedProxies?: string[];
  now?: () => Date;
  tokens?: typeof consoleTokens;
  secretsStatus?: () => Promise<{ items: SecretStatus[] }>;
  alertChannels?: string[];
  runDoctor?: () => Promise<DoctorLine[]>;
  books?: ApiDeps['books'];
  proofWaitMs?: number;
  fourEyes?: boolean;
  runKinds?: readonly string[];
  runEverySeconds?: Record<string, number>;
}

/** The console over a database, its commands only noted. */
export function testConsole(db: Knex, more: TestSettings = {}) {
  const commands = { replay: vi.fn(async () => {}), recover: vi.fn(async () => {}), run: vi.fn(async () => {}) };
  const verifySeals = vi.fn(async () => {});
  const stop = new AbortController();
  const app = createConsoleApp({
    db,
    log: pino({ level: 'silent' }),
    tokens: more.tokens ?? consoleTokens,
    trustedProxies: more.trustedProxies ?? [],
    commands,
    runKinds: more.runKinds ?? ['payment-intents', 'invoices'],
    ready: async () => ({ ok: true, problems: [] }),
    metrics: async () => ({ contentType: 'text/plain', body: 'tallyhook_build_info 1\n' }),
    books: {
      timeZone: 'UTC',
      currency: 'USD',
      table: defaultContract.movements,
      chart: async () => defaultChart,
      settlementDays: 5,
    },
    secretsStatus: more.secretsStatus ?? (async () => ({ items: [secretSample] })),
    ...(more.books === undefined ? {} : { books: more.books }),
    ...(more.proofWaitMs === undefined ? {} : { proofWaitMs: more.proofWaitMs }),
    fourEyes: more.fourEyes ?? false,
    now: more.now ?? (() => new Date()),
    signal: stop.signal,
    everyMs: 100,
    serviceBaseUrl: 'https://api.pay.example',
    runEverySeconds: more.runEverySeconds ?? { 'payment-intents': 300, invoices: 600 },
    alertChannels: more.alertChannels ?? ['slack', 'webhook'],
    queues: async () => [
      { name: 'events', state: { waiting: 2, active: 1, delayed: 0, failed: 1, oldestAt: Date.now() - 90_000 } },
      { name: 'commands', state: null },
    ],
    verifySeals,
    runDoctor: more.runDoctor ?? (async () => [{ name: 'service', status: 'ok', found: 'answers', remedy: null }]),
  });
  return { app, commands, verifySeals, stop };
}

/** An address that a browser can go to. */
export async function serve(app: Express): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer(app);
  // On a crowded machine a connection would be closed just when it is used again.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
