import { describe, expect, it } from 'vitest';
import { attributeBalance, listAttributions } from '../../src/records/balances/balance-attributions.js';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { decideBreak } from '../../src/records/breaks/decide-break.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openSandbox, type Row, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { type AtService, atService, fewAssets } from './service-at.js';

const ASSET = 'USDT.TRC20';
const PAST = { payments: 4, payouts: 1, wallets: 1, movements: 4, seed: 5 };
const database = resettableDatabase();

const proofOf = async (asset = ASSET) => (await readProofs(database.db, [asset])).get(asset);
const residuals = async () => (await listBreaks(database.db, { kind: 'balance_residual', status: 'open' })).items;

async function pay(sandbox: TestSandbox, amount: string, assetCode = ASSET): Promise<string> {
  const body = { amount, currency: assetCode, requestedCurrencyType: 'crypto', assetCode };
  const { id } = (await sandbox.call('POST', '/sandbox/payment-intents', body)).body;
  const paid = await sandbox.call('POST', `/sandbox/payment-intents/${id}/pay`, { assetCode, amount });
  expect(paid.status).toBe(201);
  return id;
}

async function opened(
  faults: object = {},
  assets?: readonly string[],
): Promise<{ sandbox: TestSandbox; at: AtService }> {
  const sandbox = await openSandbox(PAST);
  await sandbox.call('PUT', '/sandbox/faults', faults);
  const at = fewAssets(atService(database, sandbox.url), assets);
  const run = await at.run('balances');
  expect(run).toMatchObject({ status: 'succeeded', error: null });
  return { sandbox, at };
}

async function payout(sandbox: TestSandbox, amount: string, steps = ['approve', 'broadcast', 'confirm']) {
  const body = { assetCode: ASSET, amount, destinationAddress: 'TXYZ-somewhere' };
  const reply = await sandbox.call('POST', '/sandbox/payouts', body);
  expect(reply.status).toBe(201);
  for (const step of steps) await sandbox.call('POST', `/sandbox/payouts/${reply.body.id}/${step}`, {});
  return reply.body.id;
}

describe('the balance of an asset', () => {
  it('is not judged while the list of payouts, which was there before, is refused', async () => {
    const { sandbox, at } = await opened();
    const before = await proofOf();
    await payout(sandbox, '20');
    await sandbox.call('PUT', '/sandbox/faults', { payoutsList: false });
    expect(await at.run('balances')).toMatchObject({ complete: false, breaksOpened: 0 });
    const refused = await proofOf();
    expect(refused).toMatchObject({ unexplained: '0', balance: before?.balance });
    expect(refused?.unproven).toContain('the list of payouts, which the service showed before, was refused');
    await sandbox.call('PUT', '/sandbox/faults', { payoutsList: true });
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });
    expect(await residuals()).toEqual([]);
  });

  it('has no false residual when money moves between its two readings', async () => {
    const { sandbox, at } = await opened();
    const { client } = at.deps;
    const reply = client.reply.bind(client);
    let moves = 0;
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => {
        // After the payments were listed, and before the balance is read again.
        if (operation === 'listTransactions' && moves < 2) {
          moves += 1;
          await pay(sandbox, '13');
        }
        return reply(operation, request);
      },
    };
    const run = await at.run('balances');
    expect(run).toMatchObject({ breaksOpened: 0 });
    expect(moves).toBe(2);
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });
    expect(await residuals()).toEqual([]);
  });

  it('without a list of payouts has one of the dashboard as its residual, until finance says what it was, once', async () => {
    const { sandbox, at } = await opened({ payoutsList: false });
    const id = await payout(sandbox, '20');
    const debit = String(
      (await sandbox.call<Record<string, Row[]>>('GET', '/sandbox/truth')).body['payouts']?.find(
        (one) => one.id === id,
      )?.['feeAmount'],
    );
    const lost = `-${20 + Number(debit)}`;
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ explained: '0', unexplained: lost });
    expect(await residuals()).toMatchObject([{ severity: 'critical', entity: { kind: 'balance', id: ASSET } }]);
    const given = { assetCode: ASSET, note: 'payout of the dashboard', actor: 'ann' };
    expect(await attributeBalance(database.db, { ...given, amount: '-400' })).toMatchObject({ outcome: 'refused' });
    expect(await attributeBalance(database.db, { ...given, amount: '1' })).toMatchObject({ outcome: 'refused' });
    expect(await attributeBalance(database.db, { ...given, amount: lost })).toMatchObject({ outcome: 'done' });
    expect(await attributeBalance(database.db, { ...given, amount: lost })).toMatchObject({ outcome: 'refused' });
    expect(await residuals()).toEqual([]);
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ attributed: lost, unobservable: lost, unexplained: '0' });
    expect(await residuals()).toEqual([]);
    expect(await listAttributions(database.db, ASSET)).toMatchObject([{ amount: lost, actor: 'ann' }]);
    await expect(database.db('balance_attributions').delete()).rejects.toThrow('append-only');

    // Off by as much as before it was right again it is a break again, though a person closed the one before.
    await payout(sandbox, '20');
    await at.run('balances');
    const [second] = await residuals();
    const why = { actor: 'ann', note: 'a payout of the dashboard' };
    expect(await decideBreak(database.db, String(second?.id), 'resolve', why)).toMatchObject({ outcome: 'done' });
    await at.run('balances');
    expect(await residuals()).toEqual([]);
    expect(await attributeBalance(database.db, { ...given, amount: lost })).toMatchObject({ outcome: 'done' });
    await payout(sandbox, '20');
    expect(await at.run('balances')).toMatchObject({ breaksOpened: 1 });
    expect(await proofOf()).toMatchObject({ unexplained: lost });
    expect(await residuals()).toMatchObject([{ entity: { kind: 'balance', id: ASSET } }]);
  });
});
