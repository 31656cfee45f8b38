import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerOrder } from '../../src/records/orders.js';
import type { Run } from '../../src/records/runs.js';
import { Random } from '../reconcile/random.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { progress } from '../support/reckoning.js';
import { compareWithTruth, readTruth } from './fault/compare-truth.js';
import { createDrillClock, type DrillClock } from './fault/drill-clock.js';
import { drillSizes } from './fault/drill-sizes.js';
import { type BreakName, deliveryBreaks, orderBreaks, wordBreaks } from './fault/expected-breaks.js';
import { createMerchantDay, type MerchantDay, ROUND_SECONDS } from './fault/merchant-day.js';
import { resultTable } from './fault/result-table.js';

/*
 * By hand: DRILL_SEED=7 npx vitest run test/drills/fault-drill.test.ts; TALLYHOOK_LONG=1 for 2,000 payments, 300 invoices,
 * 200 payouts, 50 sub-wallets and 3,000 movements. Each number has its own variable: see fault/drill-sizes.ts.
 */
const sizes = drillSizes();
const ROUNDS = 12;
const KILLS = [4, 8];
const ROTATION = 6;
const OLD_ENDPOINT_GOES = 9;
/** The longest delay and all retries after the last round. */
const DRAIN_ROUNDS = 16;
const FAULTS = { drop: 0.2, duplicate: 0.2, delay: 0.2, reorder: 0.1, reorderSeconds: 20, corrupt: 0.05, links: true };
const LONGEST_DELAY_SECONDS = 3_600;
const ADOPTED_SHARE = 0.25;

const live = (count: number): number => Math.ceil(count * (1 - ADOPTED_SHARE));
const past = (count: number): number => count - live(count);

let database: TestDatabase;
let folder: string;
let clock: DrillClock;
let installation: Installation;
let day: MerchantDay;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'fault-drill-'));
  clock = await createDrillClock(folder, (ROUNDS + DRAIN_ROUNDS + 2) * ROUND_SECONDS);
  installation = await createInstallation({
    databaseUrl: database.url,
    env: { ...clock.env, WEBHOOK_SECRETS: '', WEBHOOK_SECRETS_FILE: path.join(folder, 'secrets') },
    sandbox: {
      seed: sizes.seed,
      realNow: clock.realNow,
      retrySchedule: [5, 30, 120, 600],
      rateSwingBasisPoints: 0,
      payoutStepSeconds: 200,
      payments: past(sizes.payments),
      invoices: past(sizes.invoices),
      payouts: past(sizes.payouts),
      wallets: sizes.wallets - 4,
      movements: past(sizes.movements),
    },
  });
  const { payments, invoices, payouts, movements } = sizes;
  day = createMerchantDay(installation.sandbox, {
    seed: sizes.seed,
    rounds: ROUNDS,
    payments: live(payments),
    invoices: live(invoices),
    payouts: live(payouts),
    movements: live(movements),
  });
});

afterEach(async () => {
  await installation?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

test('webhooks dropped, doubled, late, out of order and corrupted, a rotation, two kills: one reconciliation ends in the service’s own truth, and every break is one that the faults made', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox, endpoint } = installation;
  const { db } = database;
  await useSecrets({ old: endpoint.secret });
  await installation.start('serve', 'work');
  await reconcile('all');
  await registerOrders(db);
  const customerBreaks = [...day.orders].flatMap(([reference, order]) => orderBreaks(reference, order));

  const random = new Random(sizes.seed + 1);
  let newer: { id: string; secret: string } | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    sandbox.control.setFaults({ ...FAULTS, delaySeconds: 1 + random.below(LONGEST_DELAY_SECONDS) });
    if (round === ROTATION) {
      newer = sandbox.control.addEndpoint({ url: endpoint.url });
      await useSecrets({ old: endpoint.secret, new: newer.secret });
    }
    if (round === OLD_ENDPOINT_GOES && newer !== null) {
      sandbox.control.removeEndpoint(endpoint.id);
      await useSecrets({ new: newer.secret });
    }
    await day.play(round);
    if (KILLS.includes(round)) await killWorker(db);
    await clock.advance(sandbox, ROUND_SECONDS);
    if (round === ROTATION) await reconcileAllButDeliveries();
  }
  for (let round = 0; round < DRAIN_ROUNDS; round += 1) await clock.advance(sandbox, ROUND_SECONDS);
  await sandbox.control.deliveriesIdle();
  await everythingApplied(db);

  const runs = await reconcile('all');
  await everythingApplied(db);
  const recovered = await installation.run(['deliveries', 'recover', '--json']);
  expect(recovered.code, recovered.stderr).toBe(0);

  const truth = await readTruth(sandbox);
  const kinds = await compareWithTruth(db, truth);
  const expected = new Set([...customerBreaks, ...wordBreaks(truth)]);
  const open = await breakNames(db, ['open', 'acknowledged']);
  process.stderr.write(resultTable(kinds, { expected, found: open }));
  const implied = deliveryBreaks(truth, endpoint.url);
  const mended = [...(await breakNames(db, ['auto_resolved']))].filter((name) => name.includes(' delivery '));
  report('fault-drill', {
    seed: sizes.seed,
    deliveries: truth.deliveries.length,
    answers: JSON.stringify(countAnswers(await loggedDeliveries(sandbox))),
    'missed, recovered': `${implied.size} expected, ${mended.length} found`,
    calls: runs.reduce((sum, { calls }) => sum + calls, 0),
  });
  expect
    .soft(kinds.flatMap(({ kind, differences }) => differences.slice(0, 5).map((one) => `${kind} ${one}`)))
    .toEqual([]);
  expect.soft(differing(open, expected)).toEqual({ false: [], missing: [] });
  expect.soft(differing(new Set(mended), new Set(rightNames(implied, mended)))).toEqual({ false: [], missing: [] });
  expect
    .soft(runs.filter(({ complete }) => !complete).map(({ kind, proof, error }) => ({ kind, proof, error })))
    .toEqual([]);
  expect.soft(await differingOrders(db)).toEqual([]);
  expect(sandbox.control.ledgerProblems()).toEqual([]);
});

/** One for each delivery: of the kinds that are right the one that was found. */
function rightNames(implied: ReadonlyMap<string, readonly string[]>, found: readonly BreakName[]): BreakName[] {
  return [...implied].map(([id, kinds]) => {
    const names = kinds.map((kind) => `${kind} delivery ${id}`);
    return names.find((name) => found.includes(name)) ?? names.join(' or ');
  });
}

async function breakNames(db: Knex, statuses: string[]): Promise<Set<BreakName>> {
  const rows: { kind: string; entity_kind: string; entity_id: string }[] = await db('breaks')
    .whereIn('status', statuses)
    .select('kind', 'entity_kind', 'entity_id');
  return new Set(rows.map((row) => `${row.kind} ${row.entity_kind} ${row.entity_id}`));
}

function differing(found: ReadonlySet<BreakName>, expected: ReadonlySet<BreakName>) {
  return {
    false: [...found].filter((name) => !expected.has(name)).slice(0, 10),
    missing: [...expected].filter((name) => !found.has(name)).slice(0, 10),
  };
}

async function differingOrders(db: Knex): Promise<string[]> {
  const rows: { reference: string; status: string }[] = await db('orders').select('reference', 'status');
  const ours = new Map(rows.map(({ reference, status }) => [reference, status]));
  return [...day.orders]
    .filter(([reference, { status }]) => ours.get(reference) !== status)
    .map(([reference, { status }]) => `${reference}: ours ${ours.get(reference)}, true ${status}`);
}

/** As the store does, before its customers pay. */
async function registerOrders(db: Knex): Promise<void> {
  for (const [reference, { registered, amount, currency }] of day.orders) {
    if (registered) await db.transaction((trx) => registerOrder(trx, { reference, amount, currency }));
  }
  // The database's own clock, which it stamps registrations with, can't be moved.
  await db('orders')
    .whereNotNull('registered_at')
    .update({ registered_at: new Date(installation.sandbox.control.now()) });
}

async function useSecrets(secrets: Record<string, string>): Promise<void> {
  const text = Object.entries(secrets).map(([label, secret]) => `${label}=${secret}`);
  await writeFile(path.join(folder, 'secrets'), text.join(','));
}

async function reconcile(...kinds: string[]): Promise<Run[]> {
  const { code, stdout, stderr } = await installation.run(['reconcile', ...kinds, '--json']);
  expect(code, stderr).toBe(0);
  const { items } = JSON.parse(stdout) as { items: Run[] };
  return items;
}

/** So that the last reconciliation goes on from an earlier one, and finds what the webhooks in between did not tell. */
async function reconcileAllButDeliveries(): Promise<void> {
  await reconcile('payment-intents', 'invoices', 'payouts', 'accounts', 'transactions', 'balances', 'catalog');
}

async function killWorker(db: Knex): Promise<void> {
  const { applied } = await progress(db);
  await until('the worker is in the middle', async () => (await progress(db)).applied > applied, { intervalMs: 2 });
  await installation.kill('work');
  await installation.start('work');
}

async function everythingApplied(db: Knex): Promise<void> {
  await until('every event is applied', async () => {
    const { stored, applied } = await progress(db);
    return applied === stored || `${applied} of ${stored}`;
  });
}
