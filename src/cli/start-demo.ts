import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Role } from '../config/variable.js';
import { loadConfig } from '../config.js';
import { freePort } from '../embedded-postgres/free-port.js';
import { openEmbeddedPostgres } from '../embedded-postgres/open-embedded-postgres.js';
import { migrate } from '../records/database.js';
import { unlessRefused } from '../sandbox/base/refusal.js';
import { type Sandbox, startSandbox } from '../sandbox/start-sandbox.js';
import { startTraffic } from '../sandbox/traffic.js';
import { EMBEDDED_FOLDER } from '../wiring/open-store.js';
import { needsOf, startRoles } from '../wiring/roles/roles.js';
import { type Runtime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { type Addresses, tellOfDemo } from './running-demo.js';

type Parts = Pick<Runtime, 'log' | 'closers' | 'signal'>;

/** Waits before the second and third attempt of a delivery: one that is dropped is over after some seconds. */
const RETRY_SCHEDULE = [2, 6];

const ROLES: readonly Role[] = ['receiver', 'worker', 'scheduler', 'console'];

/** Refunds go out by themselves, as fast as somebody who watches can follow. */
const PAYOUT_STEP_SECONDS = 3;

/** Each fault that the sandbox knows, at a few percent. */
const FAULTS = {
  swallow: 0.02,
  drop: 0.03,
  flaky: 0.03,
  delay: 0.03,
  delaySeconds: 20,
  reorder: 0.05,
  reorderSeconds: 3,
  duplicate: 0.05,
  corrupt: 0.02,
  phantom: 0.01,
  forge: 0.03,
  kytRejected: 0.01,
  rateLimit: 0.01,
  serverError: 0.01,
  churn: 0.05,
  availableOff: 'LTC',
  newPayoutWord: true,
};

/** A payout of a new type, out of an asset in which customers do not pay: whatever is not known of it concerns this asset alone. */
const VOUCHER = { assetCode: 'LTC', amount: '0.5', destinationAddress: 'ltc1qvoucher' };

/** By then its deposit is credited. */
const VOUCHER_MS = 5_000;

/** What takes minutes in an installation is seen within seconds: how long a delivery may take, and when what is read again. */
const AT_DEMO_PACE = {
  MISSED_GRACE_SECONDS: '20',
  RECONCILE_PAYMENT_INTENTS_CRON: '*/20 * * * * *',
  RECONCILE_DELIVERIES_CRON: '5-59/15 * * * * *',
  RECONCILE_PAYOUTS_CRON: '10-59/30 * * * * *',
  RECONCILE_BALANCES_CRON: '15-59/30 * * * * *',
};

/** A sandbox with traffic and faults, a Postgres, all four roles; all of it gone when the closers ran. */
export async function startDemo(
  traffic: { paymentsPerSecond: number; seed: number },
  { log, closers, signal }: Parts,
): Promise<{ runtime: Runtime; addresses: Addresses }> {
  await mkdir(EMBEDDED_FOLDER, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(EMBEDDED_FOLDER, 'demo-'));
  closers.add('demo folder', async () => {
    await rm(folder, { recursive: true, force: true });
    // It stays where something else is in it.
    await rmdir(EMBEDDED_FOLDER).catch(() => {});
  });
  const postgres = await openEmbeddedPostgres({ dir: folder, log, signal });
  closers.add('demo database', () => postgres.close());
  await migrate(postgres.url);

  const sandbox = await startSandbox({
    seed: traffic.seed,
    payoutStepSeconds: PAYOUT_STEP_SECONDS,
    retrySchedule: RETRY_SCHEDULE,
  });
  closers.add('sandbox', () => sandbox.close());
  sandbox.control.deposit(null, VOUCHER.assetCode, '20');
  const token = randomBytes(18).toString('base64url');
  const { runtime, urls, settings } = await startTallyhook(sandbox, postgres.url, token, { log, closers, signal });
  sandbox.control.setFaults(FAULTS);
  const running = startTraffic(sandbox, traffic);
  const voucher = setTimeout(() => unlessRefused(() => sandbox.control.createPayout(VOUCHER)), VOUCHER_MS);
  closers.add('traffic', async () => {
    clearTimeout(voucher);
    running.stop();
  });

  const addresses = { console: urls.console, receiver: urls.receiver, sandbox: sandbox.url, token };
  await tellOfDemo(folder, { ...addresses, settings });
  return { runtime, addresses };
}

/** The endpoint's secret is revealed once, when it is made, so the receiver's port has to be known before. */
async function startTallyhook(
  sandbox: Sandbox,
  databaseUrl: string,
  token: string,
  parts: Parts,
): Promise<{ runtime: Runtime; urls: { console: string; receiver: string }; settings: Record<string, string> }> {
  const port = await freePort(null);
  const publicUrl = `http://127.0.0.1:${port}/webhooks`;
  const { secret } = sandbox.control.addEndpoint({ url: publicUrl, events: ['*'] });
  const settings = {
    DATABASE_URL: databaseUrl,
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: 'sandbox-api-key',
    SERVICE_RATE: '20/s',
    WEBHOOK_SECRETS: `demo=${secret}`,
    WEBHOOK_PUBLIC_URL: publicUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    CONSOLE_PORT: '0',
    DRAIN_SECONDS: '0',
    CONSOLE_TOKENS: `demo:admin:${token}`,
    ...AT_DEMO_PACE,
  };
  const config = loadConfig(SERVICE_NEEDS, { alsoNeeds: ROLES.flatMap(needsOf), env: settings });
  const { runtime, addresses } = await startRoles({ config, ...parts }, ROLES);
  const { console: consoleUrl = '', receiver = '' } = addresses;
  return { runtime, urls: { console: consoleUrl, receiver }, settings };
}
