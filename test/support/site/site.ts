import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createKeyStore, MerchantClient } from '../../../src/index.js';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.js';
import { signatureOf } from '../../../src/sandbox/webhooks/attempt-delivery.js';
import { createTestDatabase } from '../database.js';
import { until } from '../drill.js';
import { createInstallation, type InstallationOptions } from '../installation.js';
import { type CliProcess, startCli } from '../run-cli.js';
import { runHere } from '../run-here.js';
import { createReadApi, type ReadApi } from './read-api.js';
import { followReleases, type ReleaseFeed } from './release-feed.js';
import { createServiceLens, type ServiceLens } from './service-lens.js';

/** One Tallyhook with all its roles, the sandbox as its service, and whoever holds its signing secret. */
export interface Site {
  sandbox: Sandbox;
  api: ReadApi;
  feed: ReleaseFeed;
  /** Between Tallyhook and the sandbox. */
  lens: ServiceLens;
  /** Our library in a process of the shop, which keeps its calls in Tallyhook's database. */
  shop: MerchantClient;
  /** A call to the service by whom Tallyhook does not see: the dashboard, another client. */
  call(path: string, body: object, token?: string): Promise<Record<string, unknown>>;
  /** Sends a signed event; answers its id in the inbox. */
  report(event: string, data: object, secondsAhead?: number): Promise<string>;
  /** A call of our own, by `tallyhook api`. */
  ownCall(operation: string, body: object): Promise<Record<string, unknown>>;
  /** Every event is applied, and every list was read whole since. */
  quiet(): Promise<void>;
  /** How much slower than on a machine of its own things go here, from 1 on. */
  slowness: number;
  close(): Promise<void>;
}

export interface SiteOptions extends InstallationOptions {
  /** What happens at the service before Tallyhook is there; nobody hears of it. */
  before?: (sandbox: Sandbox) => void;
}

const API_KEY = 'sandbox-api-key';
/** Of a person at the dashboard; see `totpCode`. */
export const SESSION = { token: 'sandbox-session-token', totpCode: '123456' };
/** Until it is ready, on two cores that nobody else uses. */
const USUAL_START_MS = 2_500;
const MOST_SLOWNESS = 3;
/** So that asking is not most of the work. */
const SELDOM = { intervalMs: 200 };
const FULL = ['payment-intents', 'invoices', 'payouts', 'deliveries'];

/** Lists are read all the time, so that a test waits for a second and not for the cron of an installation. */
export const EAGER = Object.fromEntries(
  ['PAYMENT_INTENTS', 'INVOICES', 'PAYOUTS', 'DELIVERIES'].map((kind) => [`RECONCILE_${kind}_CRON`, '*/2 * * * * *']),
);

export async function startSite({ before, ...options }: SiteOptions): Promise<Site> {
  const database = await createTestDatabase();
  const installation = await createInstallation({ databaseUrl: database.url, ...options });
  const { sandbox, endpoint, env, cwd } = installation;
  const lens = await createServiceLens(sandbox.url);
  const token = randomBytes(12).toString('hex');
  Object.assign(env, {
    SERVICE_BASE_URL: lens.url,
    CONSOLE_TOKENS: `shop:operator:${token}`,
    CONSOLE_PORT: '0',
    ...options.env,
  });
  sandbox.control.setEndpointActive(endpoint.id, false);
  before?.(sandbox);
  sandbox.control.setEndpointActive(endpoint.id, true);
  const began = performance.now();
  const program = startCli(['start'], { cwd, env });
  const [, url = ''] = await program.stdoutMatch(/^console +(http:\/\/\S+)$/m);
  await until('it is ready', () => isReady(endpoint.url, program));
  const slowness = Math.min(MOST_SLOWNESS, Math.max(1, (performance.now() - began) / USUAL_START_MS));
  const api = createReadApi(url, token);
  const feed = followReleases(api);
  const keyStore = await createKeyStore({ databaseUrl: database.url });
  const shop = new MerchantClient({ baseUrl: sandbox.url, apiKey: API_KEY, keyStore });
  return {
    sandbox,
    api,
    feed,
    lens,
    shop,
    call: (path, body, bearer = API_KEY) => callService(sandbox.url + path, body, bearer),
    report: (event, data, secondsAhead = 0) => sendEvent(endpoint, { event, data, secondsAhead }),
    ownCall: async (operation, body) => {
      const file = path.join(cwd, `${randomUUID()}.json`);
      await writeFile(file, JSON.stringify(body));
      const { code, stdout, stderr } = await runHere(['api', operation, '--body', file, '--json'], { cwd, env });
      if (code !== 0) throw new Error(`${operation}: ${code} ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    quiet: together(() => becomeQuiet({ sandbox, api })),
    slowness,
    close: async () => {
      try {
        await feed.close();
      } finally {
        await program.end('SIGTERM');
        await keyStore.close();
        await installation.close();
        await lens.close();
        await database.drop();
      }
    },
  };
}

async function isReady(webhooks: string, { child, output }: CliProcess): Promise<true | string> {
  if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}): ${output.stderr.slice(-2_000)}`);
  const { status } = await fetch(new URL('/readyz', webhooks));
  return status === 200 || `readyz ${status}`;
}

async function callService(url: string, body: object, token: string): Promise<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function sendEvent(
  { url, secret }: { url: string; secret: string },
  { event, data, secondsAhead }: { event: string; data: object; secondsAhead: number },
): Promise<string> {
  const timestamp = Math.floor(Date.now() / 1_000) + secondsAhead;
  const body = Buffer.from(JSON.stringify({ event, timestamp, data }));
  const headers = { 'X-Service-Signature': signatureOf(body, secret), 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the receiver answered ${response.status} ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

/** Whoever asks while it is under way shares the next with all others who do: what they did before is in it whole. */
function together(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      return work();
    });
    last = next.catch(() => {});
    return next;
  };
}

async function becomeQuiet({ sandbox, api }: Pick<Site, 'sandbox' | 'api'>): Promise<void> {
  await eventsApplied({ sandbox, api });
  const newest = async (kind: string) => api.get<{ items: Run[] }>(`runs?kind=${kind}&take=50`);
  const known = new Set<string>();
  for (const kind of FULL) for (const { id } of (await newest(kind))?.items ?? []) known.add(id);
  for (const kind of FULL) await api.send('POST', 'runs', { kind, full: true });
  await until(
    'every list was read whole',
    async () => {
      for (const kind of FULL) {
        const runs = (await newest(kind))?.items ?? [];
        const own = runs.find((run) => run.full && !known.has(run.id) && run.status !== 'running');
        if (own === undefined) return kind;
      }
      return true;
    },
    SELDOM,
  );
  await eventsApplied({ sandbox, api });
}

interface Run {
  id: string;
  full: boolean;
  status: string;
}

async function eventsApplied({ sandbox, api }: Pick<Site, 'sandbox' | 'api'>): Promise<void> {
  await sandbox.control.deliveriesIdle();
  await until(
    'every event is applied',
    async () => {
      for (const status of ['received', 'failed']) {
        const page = await api.get<{ items: unknown[] }>(`events?status=${status}&take=1`);
        if (page?.items.length !== 0) return status;
      }
      return true;
    },
    SELDOM,
  );
}
