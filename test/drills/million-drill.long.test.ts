import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Run } from '../../src/domain/views/proof-shapes.js';
import { createLog } from '../../src/log.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { testSettings } from '../reconcile/fake-service.js';
import { Random } from '../reconcile/random.js';
import { useFreshDatabase } from '../support/database.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { peakMemoryMb } from '../support/peak-memory.js';
import { startCli } from '../support/run-cli.js';

const PAYMENTS = isLong ? 1_000_000 : 20_000;
const OPEN = isLong ? 2_000 : 200;
const KILLS = isLong ? 10 : 4;
const KEY = 'sandbox-api-key';
/** What is open was made in the course of the last day. */
const SECONDS_APART = 40;
const DAYS_S = 5 * 86_400;

const database = useFreshDatabase();
let sandbox: Sandbox;
let created = 0;

beforeEach(async () => {
  sandbox = await startSandbox({ payments: PAYMENTS });
  // The last of them an hour ago: what the past left open for an hour has ended by then.
  sandbox.control.advance(3_600);
  for (let made = await openAtService(); made < OPEN; made++) {
    const merchantReference = `open-${made}`;
    sandbox.control.createPayment({ amount: '12.5', currency: 'USDT.TRC20', merchantReference, expirySeconds: DAYS_S });
    sandbox.control.advance(SECONDS_APART);
    created += 1;
  }
}, DRILL_MS);

afterEach(async () => {
  await sandbox?.close();
});

function reconcile() {
  const env = {
    DATABASE_URL: database.url,
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: KEY,
    SERVICE_RATE: '1000/s',
    LOG_LEVEL: 'silent',
  };
  return startCli(['reconcile', 'payment-intents', '--json'], { cwd: tmpdir(), env });
}

async function callsSoFar(): Promise<number> {
  const row = await database.db('runs').sum('calls as calls').first();
  return Number(row?.['calls'] ?? 0);
}

async function pageOf(query: string): Promise<{ id: string; status: string; expiresAt: string }[]> {
  const headers = { authorization: `Bearer ${KEY}` };
  const response = await fetch(`${sandbox.url}/v1/payment-intents?take=100${query}`, { headers });
  return (await response.json()) as { id: string; status: string; expiresAt: string }[];
}

/** So many payments of the past are open. */
async function openAtService(): Promise<number> {
  let open = 0;
  for (const status of ['waiting_address_selection', 'pending', 'confirming']) {
    for (let cursor = ''; ; ) {
      const page = await pageOf(`&status=${status}${cursor}`);
      open += page.length;
      if (page.length < 100) break;
      cursor = `&cursor=${page.at(-1)?.id}`;
    }
  }
  return open;
}

/** What we do not hold as the service shows it, but for payments that ended by themselves since the last run began. */
async function differing(since: number): Promise<{ compared: number; wrong: string[] }> {
  const wrong: string[] = [];
  let compared = 0;
  let cursor = '';
  for (;;) {
    const page = await pageOf(cursor === '' ? '' : `&cursor=${cursor}`);
    const ids = page.map(({ id }) => id);
    const rows = await database.db('payment_intents').whereIn('id', ids).where('verified', true).select('id', 'status');
    const held = new Map(rows.map((row) => [row.id, row.status]));
    const still = page.filter(({ status, expiresAt }) => status !== 'expired' || Date.parse(expiresAt) < since);
    wrong.push(...still.filter(({ id, status }) => held.get(id) !== status).map(({ id }) => id));
    compared += page.length;
    cursor = ids.at(-1) ?? '';
    if (page.length < 100) return { compared, wrong };
  }
}

async function tick(): Promise<Run> {
  const deps = {
    db: database.db,
    databaseUrl: database.url,
    log: createLog('silent'),
    now: () => new Date(),
    client: new ServiceClient({ baseUrl: sandbox.url, apiKey: KEY }),
    contract: defaultContract,
    settings: testSettings,
    adoptedAt: new Date(),
  };
  return runReconcile(deps, { kind: 'payment-intents', full: false, pages: 1_000, withoutPayins: true });
}

test(`${PAYMENTS} payments: the first reading survives kill −9 at ${KILLS} points, without a gap and without starting over; then a tick is cheap`, {
  timeout: isLong ? 3 * 3_600_000 : DRILL_MS,
}, async () => {
  const random = new Random(Number(process.env['TALLYHOOK_SEED'] ?? 1));
  const pages = PAYMENTS / 100;
  const points = Array.from({ length: KILLS }, () => 1 + random.below(pages - 20)).sort((a, b) => a - b);
  let peak = 0;
  const watch = async (pid: number | undefined) => {
    peak = Math.max(peak, await peakMemoryMb(pid));
  };
  for (const point of points) {
    const running = reconcile();
    await until(
      `${point} calls`,
      async () => {
        await watch(running.child.pid);
        return running.child.exitCode !== null || (await callsSoFar()) >= point;
      },
      { timeoutMs: 3_600_000, intervalMs: 20 },
    );
    expect(running.child.exitCode, running.output.stderr).toBeNull();
    expect(await running.end('SIGKILL')).toBe('SIGKILL');
  }
  const last = reconcile();
  await until(
    'the end',
    async () => {
      await watch(last.child.pid);
      return last.child.exitCode !== null;
    },
    { timeoutMs: 3_600_000, intervalMs: 100 },
  );
  expect(last.child.exitCode, last.output.stderr).toBe(0);
  const run = JSON.parse(last.output.stdout) as Run;
  expect(run).toMatchObject({ status: 'succeeded', complete: true });
  const calls = await callsSoFar();
  // What is read twice: the states that are open or wait and, after each kill, some ten pages where the readings meet.
  const payins = await database.db('payins').whereNotNull('poll_hash').count({ read: '*' }).first();
  const states = Object.values(run.proof['states'] as Record<string, { calls: number }>);
  const again = Number(payins?.['read']) + states.reduce((sum, walk) => sum + walk.calls, 0);
  expect(calls - again).toBeLessThan(pages * 1.03 + (OPEN / 100) * 3 + KILLS * 12 + 150);
  expect(await differing(Date.parse(run.startedAt))).toEqual({ compared: PAYMENTS + created, wrong: [] });
  expect(await database.db('unread_intervals').where('list', 'head').whereNotNull('newer_id')).toEqual([]);
  expect(await database.db('breaks').count()).toEqual([{ count: '0' }]);

  // Where the reading took more than an hour, the hourly scan is due, and payments have ended meanwhile.
  expect(await tick()).toMatchObject({ status: 'succeeded', complete: true });
  const after = await tick();
  report('million', {
    payments: PAYMENTS,
    kills: points.join(','),
    calls,
    'calls of a tick': after.calls,
    'proof of the tick': JSON.stringify(after.proof),
    'peak MB': Math.round(peak),
  });
  expect(after).toMatchObject({ status: 'succeeded', complete: true });
  expect(after.calls).toBeLessThanOrEqual(60);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(200);
});
