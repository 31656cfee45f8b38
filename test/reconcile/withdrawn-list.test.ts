import { beforeEach, expect, test } from 'vitest';
import { coverage } from '../../src/records/runs/coverage.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isAll } from '../support/sizes.js';
import { ASSET, balanceStage } from './balance-stage.js';
import { type AtService, atService, fewAssets } from './service-at.js';

const DAY_SECONDS = 86_400;
const database = resettableDatabase();
const { proofOf, residuals } = balanceStage(database);
let sandbox: TestSandbox;
let at: AtService;

beforeEach(async () => {
  sandbox = await openSandbox({ payments: 4, wallets: 1, movements: 4, seed: 5 });
  at = fewAssets(atService(database, sandbox.url));
});

async function payout(confirmed = true): Promise<string> {
  const body = { assetCode: ASSET, amount: '20', destinationAddress: 'TXYZ-somewhere' };
  const { id } = (await sandbox.call('POST', '/sandbox/payouts', body)).body;
  if (confirmed) await confirm(id);
  return id;
}

/** As if each run of a day had been refused the list; the next one is, too. */
async function refusedForADay(): Promise<void> {
  sandbox.control.advance(DAY_SECONDS + 60);
  // Answers say what time it is at the service.
  await at.run('catalog');
  const mark = database.db('watermarks').where({ kind: 'payouts', name: 'refused' });
  const { value } = await mark.clone().first('value');
  await mark.update({ value: JSON.stringify({ ...value, at: at.deps.now().getTime() - 300_000, count: 280 }) });
}

async function confirm(id: string): Promise<void> {
  for (const step of ['approve', 'broadcast', 'confirm'])
    await sandbox.call('POST', `/sandbox/payouts/${id}/${step}`, {});
}

test('a list of payouts that is withdrawn for good is said so, and what other sources show is proven without it', {
  timeout: 90_000,
}, async () => {
  await at.run('balances');
  await payout();
  const open = await payout(false);
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ explained: '-21', unexplained: '0', unproven: null });

  sandbox.control.setFaults({ payoutsList: false });
  const refused = await at.run('payouts');
  expect(refused.proof['reason']).toBe('the list of payouts, which the service showed before, was refused');
  await at.run('balances');
  expect((await proofOf())?.unproven).toContain('was refused');
  await refusedForADay();
  const run = await at.run('payouts');
  expect(run).toMatchObject({ status: 'succeeded', complete: false, proof: { list: 'withdrawn', asked: 1 } });
  expect(run.proof['unobservable']).toContain('that no event and no call of ours shows');
  const since = new Date(Date.parse(refused.startedAt)).toISOString().slice(0, 16);
  const [covered] = await coverage(database.db, ['payouts'], at.deps.now());
  expect(covered?.reason).toContain(`degraded: the service no longer offers its list of payouts, since ${since}`);

  await at.run('balances');
  expect(await proofOf()).toMatchObject({ explained: '-21', unexplained: '0', unproven: null });

  // One that was read while it was under way. That an event alone reports it as confirmed explains and hides nothing.
  await confirm(open);
  await report(open, 'webhook');
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ explained: '-21', unexplained: '-21', unproven: null });
  expect(await residuals()).toMatchObject([{ severity: 'critical', evidence: { unexplained: '-21' } }]);
  // The delivery history shows that it was sent so.
  await report(open, 'delivery_history');
  await at.run('balances');
  expect((await proofOf())?.unproven).toBe('1 payout of which it is not shown which balance was debited');

  sandbox.control.setFaults({ payoutsList: true });
  await payout();
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ explained: '-63', unexplained: '0', unproven: null });
  expect(await residuals()).toEqual([]);
  const [again] = await coverage(database.db, ['payouts'], at.deps.now());
  expect(again?.reason).toBeNull();
});

// As one is above that an event alone reports.
if (isAll)
  test('after that, a payout that nothing shows is a residual', async () => {
    await at.run('balances');
    sandbox.control.setFaults({ payoutsList: false });
    await at.run('payouts');
    await refusedForADay();
    await payout();
    await at.run('balances');
    expect(await residuals()).toMatchObject([{ severity: 'critical', evidence: { unexplained: '-21' } }]);
  });

async function report(id: string, type: 'webhook' | 'delivery_history'): Promise<void> {
  const from = at.deps.client.serviceNow();
  const fields = { id, status: 'confirmed', updatedAt: new Date(from).toISOString() };
  const source = { type, ref: '1' } as const;
  await database.db.transaction((trx) =>
    saveObservations(trx, [{ type: 'statement', kind: 'payout', id, from, to: from + 1, source, fields }], {
      now: at.deps.now(),
      adoptedAt: at.deps.adoptedAt,
    }),
  );
}
