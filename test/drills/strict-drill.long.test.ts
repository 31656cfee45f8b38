import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerOrder } from '../../src/records/orders/orders.js';
import { DRILL_MS, report } from '../support/drill.js';
import { differingStatuses } from '../support/reckoning.js';
import { compareWithTruth, readTruth, type Truth } from './fault/compare-truth.js';
import { breakNames, createDrillSite, type DrillSite, everythingApplied, proofOf } from './fault/drill-site.js';
import { filterBreaks, orderBreaks } from './fault/expected-breaks.js';
import { createMerchantDay, type MerchantDay, ROUND_SECONDS } from './fault/merchant-day.js';

/*
 * A service that shows what the specification shows and nothing else: no list of payouts, no link of a refund or invoice,
 * a filter `irregular` of other amounts alone. Webhooks are dropped, doubled and late meanwhile.
 */
const ROUNDS = 8;
const DRAIN_ROUNDS = 14;
const PAID_OUT = 'USDT.TRC20';
const FAULTS = { drop: 0.2, duplicate: 0.2, delay: 0.2, delaySeconds: 400 };

let site: DrillSite;
let day: MerchantDay;

beforeEach(async () => {
  site = await createDrillSite({
    seconds: (ROUNDS + DRAIN_ROUNDS + 2) * ROUND_SECONDS,
    sandbox: { strict: true, seed: 3, payoutStepSeconds: 200, payments: 30, payouts: 0, wallets: 3, movements: 20 },
  });
  const counts = { payments: 80, invoices: 20, payouts: 12, movements: 40 };
  day = createMerchantDay(site.sandbox, { seed: 3, rounds: ROUNDS, ...counts });
});

afterEach(() => site?.close());

test('with nothing but what the specification shows, one reconciliation ends in the service’s own truth', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox, installation } = site;
  const { db } = site.database;
  await installation.start('serve', 'work');
  await site.reconcile('all');
  for (const [reference, { registered, amount, currency }] of day.orders) {
    if (registered) await db.transaction((trx) => registerOrder(trx, { reference, amount, currency }));
  }
  // The database's own clock, which it stamps registrations with, can't be moved.
  await db('orders')
    .whereNotNull('registered_at')
    .update({ registered_at: new Date(sandbox.control.now()) });
  sandbox.control.setFaults(FAULTS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await day.play(round);
    await site.advance(ROUND_SECONDS);
  }
  for (let round = 0; round < DRAIN_ROUNDS; round += 1) await site.advance(ROUND_SECONDS);
  await sandbox.control.deliveriesIdle();
  await everythingApplied(db);
  await site.reconcile('deliveries');
  const recovered = await installation.run(['deliveries', 'recover', '--json']);
  expect(recovered.code, recovered.stderr).toBe(0);
  await site.reconcile('deliveries');
  await everythingApplied(db);
  const runs = await site.reconcile('all');

  const truth = await readTruth(sandbox);
  const kinds = await compareWithTruth(db, truth);
  const open = await breakNames(db);
  report('strict-drill', {
    orders: day.orders.size,
    calls: runs.reduce((sum, { calls }) => sum + calls, 0),
    breaks: open.size,
  });
  const differences = kinds.flatMap((one) => one.differences.map((text) => `${one.kind} ${text}`));
  // Events alone show payouts.
  expect.soft(differences).toEqual(truth.payouts.map(({ id }) => `payouts ${String(id)}: not verified`));
  const orders = [...day.orders].flatMap(([reference, order]) =>
    expectedOrder(reference, order, unlinkedRefunds(truth)),
  );
  expect.soft(await differingStatuses(db, orders)).toEqual([]);
  const customers = [...day.orders].flatMap(([reference, order]) => orderBreaks(reference, order));
  // No list of payouts and no field of theirs says which balance they debited.
  const { unproven } = await proofOf(db, PAID_OUT);
  expect.soft(unproven).toContain('not shown which balance');
  expect
    .soft(open)
    .toEqual(
      new Set([
        ...customers,
        ...filterBreaks(truth, new Set(day.orders.keys())),
        `balance_residual balance ${PAID_OUT}`,
      ]),
    );
  expect(
    runs.filter(({ complete }) => !complete).map(({ kind }) => kind),
    'payouts, and the balance that they may have debited',
  ).toEqual(['payouts', 'balances']);
  expect(sandbox.control.ledgerProblems()).toEqual([]);
});

/** References of refunds that no record links to their payment: 2.4 has no field for it, and no dispute names them. */
function unlinkedRefunds({ payouts, paymentIntents }: Truth): Set<unknown> {
  const linked = new Set(paymentIntents.map(({ irregularRefundPayoutId }) => irregularRefundPayoutId));
  const refunds = payouts.filter(({ id, payoutType }) => payoutType === 'refund' && !linked.has(id));
  return new Set(refunds.map(({ merchantReference }) => merchantReference));
}

/** An invoice names its reference in its payment alone (2.3): until then only the store's registration makes an order. */
function expectedOrder(
  reference: string,
  { status, registered }: { status: string; registered: boolean },
  unlinked: ReadonlySet<unknown>,
): [string, string][] {
  if (unlinked.has(reference)) return [];
  if (!reference.startsWith('invoice-') || status === 'paid') return [[reference, status]];
  return registered ? [[reference, 'awaiting_payment']] : [];
}
