import { beforeEach, expect, test } from 'vitest';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isAll } from '../support/sizes.js';
import { type AtService, atService, fewAssets } from './service-at.js';

const ASSET = 'USDT.TRC20';
const database = resettableDatabase();
let sandbox: TestSandbox;
let at: AtService;

beforeEach(async () => {
  sandbox = await openSandbox({ payments: 4, wallets: 1, movements: 4, seed: 5 });
  at = fewAssets(atService(database, sandbox.url));
});

const proofOf = async () => (await readProofs(database.db, [ASSET])).get(ASSET);
const residuals = async () => (await listBreaks(database.db, { kind: 'balance_residual', status: 'open' })).items;

/** Of 20 and a fee of 1, of which nothing says whose it is. */
async function payout(steps: string[] = []): Promise<string> {
  const body = { assetCode: ASSET, amount: '20', destinationAddress: 'TXYZ-somewhere' };
  const { id } = (await sandbox.call('POST', '/sandbox/payouts', body)).body;
  for (const step of steps) await advance(id, step);
  return id;
}

const all = ['approve', 'broadcast', 'confirm'];
const advance = (id: string, step: string) => sandbox.call('POST', `/sandbox/payouts/${id}/${step}`, {});

/** As a sub-wallet's feed shows a withdrawal that is debited when it is made; the sandbox's debits with the confirmation. */
async function debited(delta: string): Promise<void> {
  const line = { record_kind: 'transaction', record_id: 'debit', line: 0, part: 'explained', base: '0' };
  const what = {
    operation: 'accountPayout',
    account_id: 'wa',
    asset_code: ASSET,
    delta,
    moved_from: '0',
    at: new Date(),
  };
  await database.db('movements').insert({ ...line, ...what });
}

/** A loss beside it is not taken for one of those payouts that came to less. */
async function lossBeside(): Promise<void> {
  sandbox.control.deposit(null, ASSET, '-1');
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ unexplained: '-1', unknownAmount: '21' });
  sandbox.control.deposit(null, ASSET, '1');
  await at.run('balances');
}

async function moreThanExplained(): Promise<void> {
  sandbox.control.deposit(null, ASSET, '1');
  await at.run('balances');
  expect(await residuals()).toMatchObject([{ evidence: { unexplained: '1' } }]);
}

test('a payout that was under way at the opening, and may have been a sub-wallet’s, makes no false residual', async () => {
  await debited('-21');
  const id = await payout();
  await at.run('balances');
  for (const step of all) await advance(id, step);
  // Then the balance of the account is what it was.
  sandbox.control.deposit(null, ASSET, '21');
  expect(await at.run('balances')).toMatchObject({ breaksOpened: 0 });
  const proof = await proofOf();
  expect(proof).toMatchObject({ unexplained: '0', unknownAmount: '21' });
  expect(proof?.unproven).toContain(
    `under way when the books were opened, of which it is not shown whose they are (${id})`,
  );
  if (isAll) await lossBeside();
  expect(await residuals()).toEqual([]);
  const said = { assetCode: ASSET, amount: '21', note: 'it was the sub-wallet’s', actor: 'ann' };
  expect(await attributeBalance(database.db, said)).toMatchObject({ outcome: 'done', proof: { unproven: null } });
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });

  if (isAll) await moreThanExplained();
});

test('what is left over while a payout is under way is judged when that one ends, though another is under way then', async () => {
  await at.run('balances');
  await payout(all);
  const first = await payout();
  await debited('-8');
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ held: { unexplained: '-8', payouts: [first] } });
  await payout();
  await at.run('balances');
  expect(await residuals()).toEqual([]);
  for (const step of all) await advance(first, step);
  // The service's clock is known to a second: a reading within it is not known to be the later one.
  sandbox.control.advance(60);
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ unexplained: '-8', held: { unexplained: '-8', payouts: [] } });
  expect(await residuals()).toMatchObject([{ severity: 'critical', evidence: { unexplained: '-8' } }]);

  await database.db('movements').where({ record_id: 'debit' }).delete();
  await at.run('balances');
  expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });
  expect(await residuals()).toEqual([]);
});
