import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { vi } from 'vitest';
import { createConsoleApp } from '../../src/console/server.js';

export const consoleTokens = [
  { name: 'vera', role: 'viewer' as const, token: 'viewer-token-1' },
  { name: 'omar', role: 'operator' as const, token: 'operator-token' },
  { name: 'fina', role: 'finance' as const, token: 'finance-token-' },
  { name: 'ada', role: 'admin' as const, token: 'admin-token-1' },
];

/** The console over a database, its commands only noted. */
export function testConsole(db: Knex, more: { now?: () => Date; tokens?: typeof consoleTokens } = {}) {
  const commands = { replay: vi.fn(async () => {}), recover: vi.fn(async () => {}), run: vi.fn(async () => {}) };
  const stop = new AbortController();
  const app = createConsoleApp({
    db,
    log: pino({ level: 'silent' }),
    tokens: more.tokens ?? consoleTokens,
    commands,
    runKinds: ['payment-intents', 'invoices'],
    ready: async () => ({ ok: true, problems: [] }),
    metrics: async () => ({ contentType: 'text/plain', body: '' }),
    secretsStatus: async () => ({ items: [{ label: 'a', matches24h: 3, retiredAt: null }] }),
    pages: {
      now: more.now ?? (() => new Date()),
      signal: stop.signal,
      everyMs: 100,
      serviceBaseUrl: 'https://api.pay.example',
      runEverySeconds: { 'payment-intents': 300, invoices: 600 },
    },
  });
  return { app, commands, stop };
}

/** An address that a browser can go to. */
export async function serve(app: Express): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
