import { describe, expect, it } from 'vitest';
import { subWalletSums } from '../../src/records/balances/balance-sums.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openSandbox, rowsOf } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { ASSET, balanceStage, PAST } from './balance-stage.js';
import { atService, fewAssets } from './service-at.js';

const database = resettableDatabase();

const { proofOf, residuals, pay, opened, payout } = balanceStage(database);

describe('the balance of an asset', () => {
  it('is opened at the first agreeing pair of readings, and then is opening plus movements', async () => {
    const { sandbox, at } = await opened();
    expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });
    await pay(sandbox, '250');
    await payout(sandbox, '20');
    await payout(sandbox, '30', []);
    const account = (await sandbox.call('POST', '/sandbox/accounts', {})).body.id;
    await sandbox.call('POST', `/sandbox/accounts/${account}/deposit`, { assetCode: ASSET, amount: '70' });
    const transfer = (body: object) =>
      sandbox.call('POST', `/v1/accounts/${account}/transfers`, { assetCode: ASSET, ...body });
    expect((await transfer({ amount: '10', toOperating: true, feeAmount: '1' })).status).toBe(201);
    expect((await transfer({ amount: '5.5', fromOperating: true })).status).toBe(201);
    const sent = await sandbox.call('POST', `/v1/accounts/${account}/payouts`, {
      assetCode: ASSET,
      amount: '8',
      destinationAddress: 'somewhere',
    });
    for (const step of ['approve', 'broadcast', 'confirm'])
      await sandbox.call('POST', `/sandbox/payouts/${sent.body.id}/${step}`, {});
    const run = await at.run('balances');
    expect(run.proof).not.toHaveProperty('reason');
    expect(run).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 0 });
    const proof = await proofOf();
    expect(proof).toMatchObject({ unexplained: '0', unobservable: '0', unproven: null });
    expect(proof?.explained).not.toBe('0');
    const [sum] = await subWalletSums(database.db, account);
    const wallet = (await sandbox.call('GET', `/sandbox/accounts/${account}`)).body;
    expect(sum?.sum).toBe(rowsOf(wallet, 'balances').find((one) => one['assetCode'] === ASSET)?.['balance']);

    // A settlement that the list of payouts has is unobservable, to the last digit, and opens no break.
    await sandbox.call('POST', '/sandbox/settlements', { assetCode: ASSET, amount: '44' });
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ unobservable: '-44', unexplained: '0', explained: proof?.explained });
    expect(await residuals()).toEqual([]);
  });

  it('that is opened in one round does not take what another round works in for its own', async () => {
    const sandbox = await openSandbox(PAST);
    const at = fewAssets(atService(database, sandbox.url), [ASSET, 'USDT.ERC20']);
    const { client } = at.deps;
    const reply = client.reply.bind(client);
    let readings = 0;
    const paid: string[] = [];
    const payOnce = async (amount: string, assetCode: string) => {
      if (paid.includes(assetCode)) return;
      paid.push(assetCode);
      await pay(sandbox, amount, assetCode);
    };
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => {
        if (operation === 'getBalance' && request?.path?.['assetCode'] === ASSET) readings += 1;
        // Another asset moves in the first round, and makes a second one, in which this asset is paid.
        if (operation === 'listTransactions') await payOnce('1', 'USDT.ERC20');
        if (operation === 'listPayouts' && readings === 2) await payOnce('50', ASSET);
        return reply(operation, request);
      },
    };
    await at.run('balances');
    expect(paid).toEqual(['USDT.ERC20', ASSET]);
    expect(readings).toBe(2);
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ explained: '49.5', unexplained: '0', unproven: null });
    // Nor is what came between the two readings of the other one a residual.
    expect(await proofOf('USDT.ERC20')).toMatchObject({ unexplained: '0', unproven: null });
    expect(await residuals()).toEqual([]);
  });

  it('has no false residual while a payout of a sub-wallet, which its feed debits at once, is under way', async () => {
    const { sandbox, at } = await opened();
    const account = (await sandbox.call('POST', '/sandbox/accounts', {})).body.id;
    await sandbox.call('POST', `/sandbox/accounts/${account}/deposit`, { assetCode: ASSET, amount: '70' });
    const body = { assetCode: ASSET, amount: '8', destinationAddress: 'somewhere' };
    const { id } = (await sandbox.call('POST', `/v1/accounts/${account}/payouts`, body)).body;
    await payout(sandbox, '20');
    // The sandbox's feed shows the debit only with the confirmation.
    const debit = { record_kind: 'transaction', record_id: 'debit', line: 0, part: 'explained', base: '0' };
    const early = { operation: 'accountPayout', account_id: account, asset_code: ASSET, delta: '-8', moved_from: '0' };
    await database.db('movements').insert({ ...debit, ...early });
    expect(await at.run('balances')).toMatchObject({ breaksOpened: 0, complete: false });
    const proof = await proofOf();
    expect(proof).toMatchObject({ unexplained: '0' });
    expect(proof?.unproven).toBe('payouts are under way: whose they are is not known yet');
    await database.db('movements').where({ record_id: 'debit' }).delete();
    for (const step of ['approve', 'broadcast', 'confirm'])
      await sandbox.call('POST', `/sandbox/payouts/${id}/${step}`, {});
    expect(await at.run('balances')).toMatchObject({ breaksOpened: 0, complete: true });
    expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });
  });

  it('keeps its rates, and is a break while it is not balance less frozen', async () => {
    const { at } = await opened({}, [ASSET, 'BTT.TRC20']);
    const rows = await database.db('asset_rates').select('asset_code', 'rate').orderBy('asset_code');
    // The service could not price it.
    expect(rows.find((row) => row.asset_code === 'BTT.TRC20')).toMatchObject({ rate: null });
    expect(Number(rows.find((row) => row.asset_code === ASSET)?.rate)).toBe(1);
    const { client } = at.deps;
    let off = true;
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => {
        const answer = await client.reply(operation, request);
        if (operation !== 'getBalance' || !off || request.path?.['assetCode'] !== ASSET) return answer;
        return { ...answer, data: { ...(answer.data as object), available: '1' } };
      },
    };
    const open = async () => (await listBreaks(database.db, { kind: 'balance_identity', status: 'open' })).items;
    await at.run('balances');
    expect(await open()).toMatchObject([{ evidence: { ours: { available: '25000' }, theirs: { available: '1' } } }]);
    off = false;
    await at.run('balances');
    expect(await open()).toEqual([]);
  });
});
