import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterEach, describe, expect, it, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { startTraffic, type Traffic } from '../../src/sandbox/traffic.js';
import { NARROW, signIn, startBrowser, visitor, WIDE } from '../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { ROOT, readDocument } from './documents.js';

interface Picture {
  /** Under docs/images, without `.png`. */
  name: string;
  path: string | ((db: TestDatabase['db']) => Promise<string>);
  viewport: typeof WIDE;
  colorScheme: 'light' | 'dark';
  /** Taken while deliveries are missed; the others when all was made good. */
  amidst?: true;
}

const wide = { viewport: WIDE, colorScheme: 'light' } as const;
const PICTURES: readonly Picture[] = [
  { name: 'overview', path: '/', ...wide },
  { name: 'overview-phone', path: '/', viewport: NARROW, colorScheme: 'dark' },
  { name: 'orders', path: '/orders', ...wide },
  {
    name: 'order',
    path: async (db) => `/orders/${encodeURIComponent((await richestOrder(db))?.id ?? '')}`,
    viewport: { width: 1280, height: 1400 },
    colorScheme: 'light',
  },
  { name: 'missed-deliveries', path: '/deliveries', ...wide, amidst: true },
  { name: 'breaks', path: '/breaks', ...wide, amidst: true },
];

/** A shop whose network is not good. */
const FAULTS = { corrupt: 0.02, forge: 0.02, duplicate: 0.05, delay: 0.03, delaySeconds: 5 };
/** And then is bad for a while. */
const TROUBLE = { drop: 0.3, corrupt: 0.6, phantom: 0.15, forge: 0.02 };
const PAYMENTS = 40;
const PAYMENTS_IN_TROUBLE = 10;

/** One of today's that was disputed and decided has most of what a story can have. */
async function richestOrder(db: TestDatabase['db']): Promise<{ id: string; changes: string } | undefined> {
  const { rows } = await db.raw<{ rows: { id: string; changes: string }[] }>(
    `SELECT entity_id AS id, count(*) AS changes FROM changes
     WHERE entity_kind = 'order' AND entity_id LIKE 'order-%' AND field IN ('status', 'release')
     GROUP BY entity_id ORDER BY count(*) DESC, entity_id LIMIT 1`,
  );
  return rows[0];
}

let browser: Browser | null = null;
let running: CliProcess | null = null;
let sandbox: Sandbox | null = null;
let database: TestDatabase | null = null;
let cwd: string | null = null;
afterEach(async () => {
  await browser?.close();
  await running?.end('SIGKILL');
  await sandbox?.close();
  await database?.drop();
  if (cwd) await rm(cwd, { recursive: true, force: true });
});

describe('the pictures in the documents', () => {
  it.each(PICTURES)('$name is there, in the size it is named with, and not too heavy', ({ name, viewport }) => {
    const file = path.join(ROOT, 'docs/images', `${name}.png`);
    expect(existsSync(file)).toBe(true);
    const png = readFileSync(file);
    expect(png.readUInt32BE(16)).toBe(viewport.width);
    expect(png.byteLength).toBeLessThan(400_000);
  });

  it('are said to be made by this file', () => {
    expect(readDocument('docs/console.md').text).toContain(
      'UPDATE_SCREENSHOTS=1 npx vitest run test/docs/screenshots.test.ts',
    );
  });
});

/** The real program, as `tallyhook start` runs it, beside a sandbox with a past and customers. */
async function openShop(): Promise<{ console: string; token: string }> {
  cwd = await mkdtemp(path.join(tmpdir(), 'pictures-'));
  [database, sandbox] = await Promise.all([
    createTestDatabase(),
    startSandbox({
      payments: 200,
      invoices: 24,
      payouts: 12,
      wallets: 6,
      movements: 60,
      payoutStepSeconds: 2,
      retrySchedule: [1],
    }),
  ]);
  const port = await freePort(null);
  const url = `http://127.0.0.1:${port}/webhooks`;
  const { secret } = sandbox.control.addEndpoint({ url, events: ['*'] });
  const often = Object.fromEntries(
    ['PAYMENT_INTENTS', 'DELIVERIES', 'ENDPOINTS', 'BALANCES'].map((kind) => [
      `RECONCILE_${kind}_CRON`,
      '*/5 * * * * *',
    ]),
  );
  const token = 'a-token-for-pictures';
  running = startCli(['start'], {
    cwd,
    env: {
      ...often,
      DATABASE_URL: database.url,
      SERVICE_BASE_URL: sandbox.url,
      SERVICE_API_KEY: 'sandbox-api-key',
      SERVICE_RATE: '1000/s',
      WEBHOOK_SECRETS: `live=${secret}`,
      WEBHOOK_PUBLIC_URL: url,
      MISSED_GRACE_SECONDS: '5',
      CONSOLE_TOKENS: `ann:operator:${token}`,
      HOST: '127.0.0.1',
      PORT: String(port),
      CONSOLE_PORT: '0',
      LOG_LEVEL: 'warn',
    },
  });
  const [, console = ''] = await running.stdoutMatch(/^console +(http:\/\/\S+)$/m);
  return { console, token };
}

/** Resolves while what went wrong is found, and not yet made good. */
async function letCustomersCome({ db }: TestDatabase, { control }: Sandbox): Promise<Traffic> {
  await until('the past was read', async () => Number((await db('payment_intents').count())[0]?.['count']) >= 200);
  control.setFaults(FAULTS);
  const traffic = startTraffic({ control }, { paymentsPerSecond: 2, seed: 7 });
  await until('customers came', () => traffic.created() >= PAYMENTS);
  await until('an order has a story', async () => Number((await richestOrder(db))?.changes ?? 0) >= 5);
  control.setFaults(TROUBLE);
  const before = traffic.created();
  await until('some came in the time of trouble', () => traffic.created() >= before + PAYMENTS_IN_TROUBLE);
  control.setFaults({});
  await until('deliveries are missed', async () => {
    const missed: string[] = await db('deliveries')
      .whereIn('class', ['rejected', 'never_reached', 'phantom'])
      .distinct()
      .pluck('class');
    return missed.length > 1 || missed;
  });
  await until('breaks are open', async () => {
    const open: string[] = await db('breaks').where({ status: 'open' }).pluck('kind');
    return new Set(open).size < open.length || open;
  });
  return traffic;
}

/** Everything was recovered, applied and proven; what is open is for a person. */
async function letItSettle({ db }: TestDatabase): Promise<void> {
  await until('what was missed is applied', async () => {
    const [open] = await db('breaks').where({ status: 'open' }).where({ entity_kind: 'delivery' }).count();
    const [waiting] = await db('inbox').whereNot({ status: 'applied' }).count();
    return (open?.['count'] === '0' && waiting?.['count'] === '0') || [open, waiting];
  });
}

async function take(shop: { console: string; token: string }, { name, path: where, ...how }: Picture): Promise<void> {
  if (!browser || !database) throw new Error('nothing to draw');
  const { page, context, complaints } = await visitor(browser, { baseURL: shop.console, ...how });
  await signIn(page, shop.token);
  await page.goto(typeof where === 'string' ? where : await where(database.db));
  await page.screenshot({ path: path.join(ROOT, 'docs/images', `${name}.png`) });
  expect(complaints, name).toEqual([]);
  await context.close();
}

test.runIf(process.env['UPDATE_SCREENSHOTS'])('taken anew', { timeout: 3_600_000 }, async () => {
  const shop = await openShop();
  if (!database || !sandbox) throw new Error('no shop');
  browser = await startBrowser();
  const traffic = await letCustomersCome(database, sandbox);
  for (const picture of PICTURES.filter(({ amidst }) => amidst)) await take(shop, picture);
  traffic.stop();
  await letItSettle(database);
  for (const picture of PICTURES.filter(({ amidst }) => !amidst)) await take(shop, picture);
});
