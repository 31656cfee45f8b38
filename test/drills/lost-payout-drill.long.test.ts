import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DRILL_MS, report } from '../support/drill.js';
import { breakNames, createDrillSite, type DrillSite, everythingApplied, proofOf } from './fault/drill-site.js';

const ASSET = 'USDT.TRC20';
const MISSED_GRACE_SECONDS = 900;
const OPERATING_PAYS = JSON.stringify({ movements: { choices: { unnamedPayout: 'operating' } } });

let site: DrillSite;

beforeEach(async () => {
  site = await createDrillSite({
    seconds: 4 * 3_600,
    env: () => ({ MISSED_GRACE_SECONDS: String(MISSED_GRACE_SECONDS) }),
    sandbox: { payments: 200, wallets: 4, movements: 40 },
  });
});

afterEach(() => site?.close());

/** In the dashboard, from the operating balance or a sub-wallet, with every webhook lost. Answers its id. */
function payOut(accountId: string | null): string {
  const { control } = site.sandbox;
  const destinationAddress = 'TDashboardPayout01';
  const id = control.createPayout({ assetCode: ASSET, amount: '12.34', destinationAddress, accountId });
  for (const step of ['approve', 'broadcast', 'confirm'] as const) control.advancePayout(id, { step });
  return id;
}

/** The grace of a missed delivery and all its retries. */
async function waitForGrace(): Promise<void> {
  for (let waited = 0; waited < MISSED_GRACE_SECONDS + 600; waited += 300) await site.advance(300);
}

test('a payout of the dashboard whose webhooks are all lost shows in the balance first, then in the delivery history', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox, installation } = site;
  const { db } = site.database;
  sandbox.control.setFaults({ payoutsList: false });
  await installation.start('serve', 'work');
  await site.reconcile('all');
  await site.advance(120);
  expect(await proofOf(db, ASSET)).toMatchObject({ unexplained: '0', unproven: null });

  sandbox.control.setFaults({ payoutsList: false, drop: 1 });
  const id = payOut(null);
  await site.advance(120);
  await site.reconcile('balances');
  const before = await proofOf(db, ASSET);
  const breaksBefore = await breakNames(db);

  await waitForGrace();
  await site.reconcile('deliveries');
  await everythingApplied(db);
  await site.reconcile('deliveries', 'payouts', 'balances');
  const after = await proofOf(db, ASSET);
  const breaksAfter = [...(await breakNames(db))];
  await writeFile(path.join(site.folder, 'contract.json'), OPERATING_PAYS);
  const contract = { CONTRACT_FILE: path.join(site.folder, 'contract.json') };
  const { code, stderr } = await installation.run(['reconcile', 'balances', '--json'], contract);
  expect(code, stderr).toBe(0);
  const known = await proofOf(db, ASSET);
  report('lost-payout-drill, history', {
    'unexplained before': String(before['unexplained']),
    'breaks before': [...breaksBefore].join(', '),
    'unproven after': String(after['unproven']),
    'unexplained when it is known who pays': String(known['unexplained']),
    'breaks then': [...(await breakNames(db))].join(', ') || 'none',
  });
  expect(breaksBefore).toEqual(new Set([`balance_residual balance ${ASSET}`]));
  expect(before['unexplained']).toBe('-13.34');
  expect(await db('payouts').where({ id }).first('status')).toEqual({ status: 'confirmed' });
  // No list of payouts and no word of the service say whether a sub-wallet paid it: nothing is guessed.
  expect(after['unproven']).toContain('not shown which balance');
  expect(breaksAfter).toEqual([`balance_residual balance ${ASSET}`]);
  expect(known).toMatchObject({ unexplained: '0', unproven: null });
  expect([...(await breakNames(db))]).toEqual([]);
});

test('one that a sub-wallet paid shows in the transactions', { timeout: DRILL_MS }, async () => {
  const { sandbox } = site;
  const { db } = site.database;
  const account = sandbox.control.createAccount({ label: 'payer' });
  sandbox.control.deposit(account, ASSET, '100');
  sandbox.control.setFaults({ payoutsList: false, drop: 1 });
  await site.reconcile('all');
  const id = payOut(account);
  await site.advance(900);
  await site.reconcile('transactions', 'balances');

  const row = await db('transactions').whereRaw("shown::jsonb ->> 'referenceId' = ?", [id]).first('type', 'amount');
  report('lost-payout-drill, transactions', { transaction: JSON.stringify(row), ...(await proofOf(db, ASSET)) });
  expect(row).toMatchObject({ type: 'withdrawal' });
  expect(Number((await proofOf(db, ASSET))['unexplained'])).toBe(0);
  expect(await breakNames(db)).toEqual(new Set());
});
