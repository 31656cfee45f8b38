import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Run } from '../../src/domain/views/proof-shapes.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useFreshDatabase } from '../support/database.js';
import { DRILL_MS, until } from '../support/drill.js';
import { startCli } from '../support/run-cli.js';

const PAYMENTS = 3_000;
const PAGES = PAYMENTS / 100;

const database = useFreshDatabase();
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ payments: PAYMENTS });
}, DRILL_MS);

afterEach(async () => {
  await sandbox?.close();
});

function reconcile(...flags: string[]) {
  const env = {
    DATABASE_URL: database.url,
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: 'sandbox-api-key',
    SERVICE_RATE: '1000/s',
    LOG_LEVEL: 'silent',
  };
  return startCli(['reconcile', 'payment-intents', '--json', ...flags], { cwd: tmpdir(), env });
}

async function runToEnd(...flags: string[]): Promise<Run> {
  const running = reconcile(...flags);
  expect(await running.end(null), running.output.stderr).toBe(0);
  return JSON.parse(running.output.stdout) as Run;
}

/** kill -9 once so many payments were read by this reading, of the list that is read from its head to its end. */
async function killAfter(payments: number, list: 'head' | 'sweep:all'): Promise<void> {
  const began = Date.now();
  const running = reconcile('--full');
  const rows = database.db('payment_intents').where('poll_from', '>=', began);
  await until(
    `${payments} payments`,
    async () => {
      expect(running.child.exitCode, running.output.stderr).toBeNull();
      const part = await database.db('unread_intervals').where({ list }).whereNotNull('newer_id').first();
      return part !== undefined && Number((await rows.clone().count().first())?.['count']) >= payments;
    },
    { intervalMs: 2 },
  );
  expect(await running.end('SIGKILL')).toBe('SIGKILL');
}

const sweepOf = ({ proof }: Run) => (proof as { sweep: { name: string; calls: number; complete: boolean } }).sweep;
const readBefore = async (moment: Date) =>
  Number((await database.db('payment_intents').where('poll_from', '<', moment.getTime()).count().first())?.['count']);

test('--resume goes on with the full reading that kill −9 cut off: it does not start over, and leaves no gap', {
  timeout: DRILL_MS,
}, async () => {
  expect(await runToEnd()).toMatchObject({ status: 'succeeded', complete: true });
  const began = new Date();
  await killAfter(1_000, 'sweep:all');
  const [cut] = await database.db('unread_intervals').where('list', 'sweep:all');
  expect(cut?.newer_id).not.toBeNull();
  const stale = await readBefore(began);
  expect(stale).toBeGreaterThan(0);
  expect(stale).toBeLessThan(PAYMENTS);

  const run = await runToEnd('--full', '--resume');
  expect(run).toMatchObject({ status: 'succeeded', complete: true, full: true });
  expect(sweepOf(run)).toMatchObject({ name: 'sweep:all', complete: true });
  expect(sweepOf(run).calls).toBeLessThan(stale / 100 + 4);
  expect(await readBefore(began)).toBe(0);
  expect(await database.db('unread_intervals').where('list', 'sweep:all')).toEqual([]);

  // Without it, a full reading is one from the beginning.
  await killAfter(1_000, 'sweep:all');
  expect(sweepOf(await runToEnd('--full')).calls).toBeGreaterThanOrEqual(PAGES);
});

test('--resume of a first reading that kill −9 cut off reads every payment, each page but a few once', {
  timeout: DRILL_MS,
}, async () => {
  await killAfter(1_000, 'head');
  const run = await runToEnd('--full', '--resume');
  expect(run).toMatchObject({ status: 'succeeded', complete: true });
  const { head } = run.proof as { head: { calls: number }[] };
  expect(head.reduce((calls, scan) => calls + scan.calls, 0)).toBeLessThan(PAGES - 4);
  expect(Number((await database.db('payment_intents').where({ verified: true }).count().first())?.['count'])).toBe(
    PAYMENTS,
  );
  expect(await database.db('unread_intervals').whereNotNull('newer_id')).toEqual([]);
});
