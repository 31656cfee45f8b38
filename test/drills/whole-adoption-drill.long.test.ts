import { afterEach, beforeEach, expect, test } from 'vitest';
import { subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { compareWithTruth, readTruth } from './fault/compare-truth.js';
import { breakNames, createDrillSite, type DrillSite, proofOf } from './fault/drill-site.js';

const PAYMENTS = isLong ? 4_000 : 400;
const SETTLED = 'USDT.TRC20';
const DEPOSITED = 'BTC';
const OTHER_SHOP = 'http://127.0.0.1:9/other-shop/webhooks';

let site: DrillSite;

beforeEach(async () => {
  site = await createDrillSite({ seconds: 4 * 3_600, sandbox: { payments: PAYMENTS, wallets: 10, movements: 300 } });
});

afterEach(() => site?.close());

async function atTheDashboard(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${site.sandbox.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(201);
}

test('two years of history with settlements, dashboard payouts and another shop’s endpoint: no break but the injected ones, and the residual is what nothing shows', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox } = site;
  const { control } = sandbox;
  const { db } = site.database;
  control.addEndpoint({ url: OTHER_SHOP });
  await atTheDashboard('/sandbox/settlements', { assetCode: SETTLED, amount: '120' });
  control.createPayment({ amount: '10', currency: 'USD', merchantReference: 'not-registered' });
  await site.advance(60);

  const runs = await site.reconcile('all');
  expect(runs.filter(({ complete }) => !complete).map(({ kind, proof }) => ({ kind, proof }))).toEqual([]);
  expect([...(await breakNames(db))]).toEqual([]);
  expect((await compareWithTruth(db, await readTruth(sandbox))).flatMap(({ differences }) => differences)).toEqual([]);

  // After adoption: what no list shows whole, and what nothing shows at all.
  await atTheDashboard('/sandbox/settlements', { assetCode: SETTLED, amount: '44' });
  control.deposit(null, DEPOSITED, '0.25');
  await site.advance(900);
  await site.reconcile('all');

  const settled = await proofOf(db, SETTLED);
  const deposited = await proofOf(db, DEPOSITED);
  const breaks = [...(await breakNames(db))];
  report('whole-adoption-drill', {
    payments: PAYMENTS,
    'unobservable, settled': String(settled['unobservable']),
    'unexplained, deposited': String(deposited['unexplained']),
    breaks: breaks.join(', '),
  });
  expect(residualOf(settled)).toBe('-44');
  expect(settled).toMatchObject({ unexplained: '0' });
  expect(residualOf(deposited)).toBe('0.25');
  expect(breaks).toEqual([`balance_residual balance ${DEPOSITED}`]);
  const others = await db('balance_proofs').whereNotIn('asset_code', [SETTLED, DEPOSITED]);
  expect(others.filter((proof) => residualOf(proof) !== '0')).toEqual([]);
  expect(
    await db('changes').where({ entity_kind: 'order' }).whereRaw("entity_id LIKE 'order-%'").select('entity_id'),
  ).toEqual([]);
});

/** balance − opening − explained */
function residualOf(proof: Record<string, string | null>): string {
  const { balance, opening_balance: opening, explained } = proof;
  return subtractAmounts(String(balance), sumAmounts([String(opening), String(explained)]));
}
