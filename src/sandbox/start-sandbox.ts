import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAccount } from './account.js';
import { createControl, type SandboxControl } from './control.js';
import { addPastWallets } from './history/past-wallets.js';
import { createApp } from './http/app.js';
import { createService } from './service.js';
import { DEFAULT_SETTINGS, type SandboxSettings } from './settings.js';

export interface SandboxOptions extends Partial<SandboxSettings> {
  /** 0: any free one. */
  port?: number;
  host?: string;
}

export interface Sandbox {
  /** The service's base address, without /v1. */
  url: string;
  control: SandboxControl;
  close(): Promise<void>;
}

const OWN = { identity: { id: 'mer_sandbox', email: 'own@merchant.example' }, settlementAddress: '+22890123456' };

const OTHER = {
  identity: { id: 'mer_sandbox_other', email: 'other@merchant.example' },
  settlementAddress: '+22899876543',
};

/**
 * Callers close idle connections first. Ended after five seconds, as is usual, one would now and then be ended while a request
 * is on its way: in a drill both ends live in one process that is busy for seconds.
 */
const KEEP_ALIVE_MS = 600_000;

/** What a merchant with so many payments has besides, unless the options say otherwise. */
function usualShares(payments: number): Pick<SandboxSettings, 'invoices' | 'payouts'> {
  return { invoices: Math.ceil(payments * 0.12), payouts: Math.ceil(payments * 0.06) };
}

/** An emulator of the payment service, in memory. `close` ends deliveries under way and frees the port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', ...given } = options;
  const service = createService({ ...DEFAULT_SETTINGS, ...usualShares(given.payments ?? 0), ...given });
  const { seed } = service.settings;
  const own = openAccount(service, { ...OWN, seed, past: service.settings });
  addPastWallets(own.merchant, service.settings);
  const other = openAccount(service, { ...OTHER, seed: seed + 0x5eed, past: DEFAULT_SETTINGS });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, createApp({ service, own, other, host }));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  service.baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
  return {
    url: service.baseUrl,
    control: createControl(service, own, other),
    async close() {
      service.clock.close();
      own.webhooks.close();
      other.webhooks.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
