import { beforeEach, expect, test } from 'vitest';
import { loadState } from '../../src/records/alerts/load-state.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { type AtService, atService, fewAssets } from './service-at.js';

const ASSET = 'USDT.TRC20';
const database = resettableDatabase();
let sandbox: TestSandbox;
let at: AtService;

beforeEach(async () => {
  sandbox = await openSandbox({ payments: 4, seed: 5 });
  sandbox.control.setFaults({ newPayoutWord: true });
  at = fewAssets(atService(database, sandbox.url));
  await at.run('balances');
});

/** Of 20 and a fee of 1. */
async function pay(): Promise<void> {
  const body = { assetCode: ASSET, amount: '20', destinationAddress: 'TXYZ-somewhere' };
  const { id } = (await sandbox.call('POST', '/sandbox/payouts', body)).body;
  for (const step of ['approve', 'broadcast', 'confirm'])
    await sandbox.call('POST', `/sandbox/payouts/${id}/${step}`, {});
}

/** What is wrong, each with what is said to follow from it. */
async function outline() {
  const { state } = await loadState(database.db, { now: at.deps.now(), runEverySeconds: { balances: 900 } });
  return state.problems.map(({ title, remedy, follows }) => [title, remedy, follows.map((one) => one.title)]);
}

const RESIDUAL = '1 open break: balance residual';
const UNPROVEN = 'What the service’s lists show is not proven: balances';
const BALANCE = `A balance is not proven: ${ASSET}`;
const REMEDY =
  'Find out what it is, then put “voucher” into a class of movements.words.payoutType (CONTRACT_FILE) and start Tallyhook again. The break ends within a day, or with “tallyhook reconcile payouts --full”.';

test('a payout of a type that the contract does not know is one thing to do, with all that comes of it', async () => {
  await pay();
  await at.run('balances');
  const title = '1 open break: contract violation, payout type “voucher”';
  expect(await outline()).toEqual([[title, REMEDY, [RESIDUAL, UNPROVEN, BALANCE]]]);

  const { movements } = defaultContract;
  const payoutType = { ...movements.words.payoutType, withdrawal: ['withdrawal', 'voucher'] };
  const contract = { ...defaultContract, movements: { ...movements, words: { ...movements.words, payoutType } } };
  at = fewAssets(atService(database, sandbox.url, { contract }));
  at.deps.payoutWords = payoutType;
  await at.run('balances');
  expect((await outline())[0]?.[2]).toEqual([]);
  await at.run('payouts', { full: true });
  expect(await outline()).toEqual([]);
});

test('what is missing beyond what such payouts took stands by itself, and so does all once somebody closed the break', async () => {
  await pay();
  sandbox.control.deposit(null, ASSET, '-1');
  await at.run('balances');
  const title = '1 open break: contract violation, payout type “voucher”';
  expect((await outline()).map(([first, , follows]) => [first, follows])).toEqual([
    [RESIDUAL, [BALANCE]],
    [title, [UNPROVEN]],
  ]);

  const { items } = await listBreaks(database.db, { kind: 'contract_violation' });
  await decideBreak(database.db, items[0]?.id ?? '', 'write_off', { actor: 'ann', note: 'a voucher' });
  expect((await outline()).map(([first]) => first)).toEqual([RESIDUAL, UNPROVEN]);
});
