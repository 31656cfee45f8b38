import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerOrder } from '../../src/records/orders/orders.js';
import { Random } from '../reconcile/random.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { differingStatuses, progress } from '../support/reckoning.js';
import { eventBody, signedHeaders } from '../support/signed.js';
import { compareWithTruth, readTruth } from './fault/compare-truth.js';
import { breakNames, createDrillSite, type DrillSite, everythingApplied } from './fault/drill-site.js';
import { drillSizes } from './fault/drill-sizes.js';
import { type BreakName, deliveryBreaks, filterBreaks, orderBreaks } from './fault/expected-breaks.js';
import { createMerchantDay, DAY_WALLETS, type MerchantDay, ROUND_SECONDS } from './fault/merchant-day.js';
import { resultTable } from './fault/result-table.js';

/*
 * By hand: DRILL_SEED=7 npx vitest run test/drills/fault-drill.long.test.ts; TALLYHOOK_LONG=1 for 2,000 payments, 300 invoices,
 * 200 payouts, 50 sub-wallets and 3,000 transactions. Each number has its own variable: see fault/drill-sizes.ts.
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

let site: DrillSite;
let day: MerchantDay;

beforeEach(async () => {
  site = await createDrillSite({
    seconds: (ROUNDS + DRAIN_ROUNDS + 2) * ROUND_SECONDS,
    env: (folder) => ({ WEBHOOK_SECRETS: '', WEBHOOK_SECRETS_FILE: path.join(folder, 'secrets') }),
    sandbox: {
      seed: sizes.seed,
      payoutStepSeconds: 200,
      payments: past(sizes.payments),
      invoices: past(sizes.invoices),
      payouts: past(sizes.payouts),
      wallets: sizes.wallets - DAY_WALLETS,
      movements: past(sizes.movements),
    },
  });
  const { payments, invoices, payouts, movements } = sizes;
  day = createMerchantDay(site.sandbox, {
    seed: sizes.seed,
    rounds: ROUNDS,
    payments: live(payments),
    invoices: live(invoices),
    payouts: live(payouts),
    movements: live(movements),
  });
});

afterEach(() => site?.close());

/** A rotation by the book (specification 6.4) and two kills of the worker, in the middle of all the faults. */
async function playTheDay(): Promise<void> {
  const { sandbox, installation, database } = site;
  const { endpoint } = installation;
  const random = new Random(sizes.seed + 1);
  let newer: { id: string; secret: string } | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    sandbox.control.setFaults({ ...FAULTS, delaySeconds: 1 + random.below(LONGEST_DELAY_SECONDS) });
    if (round === ROTATION) {
      newer = sandbox.control.addEndpoint({ url: endpoint.url });
      await useSecrets({ old: endpoint.secret, new: newer.secret });
      await untilAccepted(newer.secret);
    }
    if (round === OLD_ENDPOINT_GOES && newer !== null) {
      sandbox.control.removeEndpoint(endpoint.id);
      await useSecrets({ new: newer.secret });
    }
    await day.play(round);
    if (KILLS.includes(round)) await killWorker(database.db);
    await site.advance(ROUND_SECONDS);
    if (round === ROTATION) await reconcileAllButDeliveries();
  }
  for (let round = 0; round < DRAIN_ROUNDS; round += 1) await site.advance(ROUND_SECONDS);
  await sandbox.control.deliveriesIdle();
  await everythingApplied(database.db);
}

test('webhooks dropped, doubled, late, out of order and corrupted, a rotation, two kills: one reconciliation ends in the service’s own truth, and every break is one that the faults made', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox, installation } = site;
  const { endpoint } = installation;
  const { db } = site.database;
  // From the first reading on: what a record shows may not change by the setting of a fault.
  sandbox.control.setFaults({ links: true });
  await useSecrets({ old: endpoint.secret });
  await installation.start('serve', 'work');
  await site.reconcile('all');
  await registerOrders(db);
  const customerBreaks = [...day.orders].flatMap(([reference, order]) => orderBreaks(reference, order));
  await playTheDay();

  const runs = await site.reconcile('all');
  await everythingApplied(db);
  const recovered = await installation.run(['deliveries', 'recover', '--json']);
  expect(recovered.code, recovered.stderr).toBe(0);

  const truth = await readTruth(sandbox);
  const orders = [...day.orders].map(([reference, { status }]) => [reference, status] as const);
  const kinds = await compareWithTruth(db, truth);
  const expected = new Set([...customerBreaks, ...filterBreaks(truth, new Set(day.orders.keys()))]);
  const open = await breakNames(db);
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
  expect.soft(await differingStatuses(db, orders)).toEqual([]);
  expect(sandbox.control.ledgerProblems()).toEqual([]);
});

/** One for each delivery: of the kinds that are right the one that was found. */
function rightNames(implied: ReadonlyMap<string, readonly string[]>, found: readonly BreakName[]): BreakName[] {
  return [...implied].map(([id, kinds]) => {
    const names = kinds.map((kind) => `${kind} delivery ${id}`);
    return names.find((name) => found.includes(name)) ?? names.join(' or ');
  });
}

function differing(found: ReadonlySet<BreakName>, expected: ReadonlySet<BreakName>) {
  return {
    false: [...found].filter((name) => !expected.has(name)).slice(0, 10),
    missing: [...expected].filter((name) => !found.has(name)).slice(0, 10),
  };
}

/** As the store does, before its customers pay. */
async function registerOrders(db: Knex): Promise<void> {
  for (const [reference, { registered, amount, currency }] of day.orders) {
    if (registered) await db.transaction((trx) => registerOrder(trx, { reference, amount, currency }));
  }
  // The database's own clock, which it stamps registrations with, can't be moved.
  await db('orders')
    .whereNotNull('registered_at')
    .update({ registered_at: new Date(site.sandbox.control.now()) });
}

async function useSecrets(secrets: Record<string, string>): Promise<void> {
  const text = Object.entries(secrets).map(([label, secret]) => `${label}=${secret}`);
  await writeFile(path.join(site.folder, 'secrets'), text.join(','));
}

/** Known by what our receiver says of an event that is too old: it checks the signature first. */
async function untilAccepted(secret: string): Promise<void> {
  const body = eventBody('of-long-ago', { timestamp: 1 });
  await until('the receiver read the secret', async () => {
    const headers = signedHeaders(body, secret);
    const response = await fetch(site.installation.endpoint.url, { method: 'POST', headers, body });
    return (await response.text()).includes('expired_timestamp');
  });
}

/** So that the last reconciliation goes on from an earlier one, and finds what the webhooks in between did not report. */
async function reconcileAllButDeliveries(): Promise<void> {
  await site.reconcile('payment-intents', 'invoices', 'payouts', 'accounts', 'transactions', 'balances', 'catalog');
}

async function killWorker(db: Knex): Promise<void> {
  const { applied } = await progress(db);
  await until('the worker is in the middle', async () => (await progress(db)).applied > applied, { intervalMs: 2 });
  await site.installation.kill('work');
  await site.installation.start('work');
}
