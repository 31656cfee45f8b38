import { expect, it } from 'vitest';
import type { MovementRecord } from '../../src/domain/balances/movement-table.js';
import { effectsOf, operationsWith } from '../../src/domain/balances/movements.js';
import { defaultContract } from '../../src/service-api/contract.js';

const table = defaultContract.movements;
const payout = (payoutType: string, known: Partial<MovementRecord> = {}): MovementRecord => ({
  kind: 'payout',
  id: 'po_1',
  fields: {
    payoutType,
    amount: '50',
    feeAmount: '0.5',
    assetCode: 'BTC',
    feeBearer: 'merchant',
    status: 'confirmed',
    networkFeeAmount: null,
  },
  ...known,
});

it.each([
  ['withdrawal', 'payout'],
  ['internal_transfer', 'internalPayout'],
])(
  'a %s of nobody knows whom is placed by the sub-wallets’ own transactions, not taken for the operating balance’s',
  (type, operation) => {
    const effect = { part: 'unplaced', operation, delta: '-50.5' };
    expect(effectsOf(payout(type), table)).toMatchObject([{ ...effect, account: null }]);
    expect(effectsOf(payout(type, { accountId: 'acc_1' }), table)).toMatchObject([{ ...effect, account: 'acc_1' }]);
    const operating = effectsOf(payout(type, { accountId: null }), table);
    expect(operating).toMatchObject([{ ...effect, part: 'explained', account: null }]);
  },
);

it('what a record may stand for is shown whatever its state, and not where its type is not known', () => {
  expect(operationsWith(payout('internal_transfer'), table)).toContain('internalPayout');
  expect(operationsWith(payout('refund', { ofDispute: true }), table)).not.toContain('refund');
  expect(operationsWith(payout('gift'), table)).toBeNull();
});
