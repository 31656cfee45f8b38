import { describe, expect, it } from 'vitest';
import { listAttributions } from '../../src/records/balances/balance-views.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { type Row } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { ASSET, balanceStage } from './balance-stage.js';

const database = resettableDatabase();

const { proofOf, residuals, pay, opened, payout } = balanceStage(database);

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
