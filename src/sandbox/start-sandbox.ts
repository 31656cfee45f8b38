import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAccount } from './account.js';
import { createControl, type SandboxControl } from './control.js';
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

const OWN = {
  identity: { id: 'mer_sandbox', email: 'own@merchant.example' },
  settlementAddress: '+22890123456',
};

const OTHER = {
  identity: { id: 'mer_sandbox_other', email: 'other@merchant.example' },
  settlementAddress: '+22899876543',
};

/** An emulator of the payment service, in memory. `close` ends deliveries under way and frees the port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', ...given } = options;
  const service = createService({ ...DEFAULT_SETTINGS, ...given });
  const { seed, payments } = service.settings;
  const own = openAccount(service, { ...OWN, seed, payments });
  const other = openAccount(service, { ...OTHER, seed: seed + 0x5eed, payments: 0 });
  const server = createServer(createApp({ service, own, other }));
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
