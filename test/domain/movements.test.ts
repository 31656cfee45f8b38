import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { MovementChoices, MovementRecord, MovementTable } from '../../src/domain/balances/movement-table.js';
import { type Effect, movementsOf } from '../../src/domain/balances/movements.js';
import type { JsonObject } from '../../src/domain/json.js';
import { defaultContract } from '../../src/service-api/contract.js';

const table = (choices: Partial<MovementChoices> = {}): MovementTable => ({
  ...defaultContract.movements,
  choices: { ...defaultContract.movements.choices, ...choices },
});

const intent = (fields: JsonObject = {}): MovementRecord => ({
  kind: 'payment_intent',
  id: 'pi_1',
  fields: {
    status: 'completed',
    irregularStatus: 'none',
    irregularActionAt: null,
    assetCode: 'USDT.TRC20',
    amountNetMerchant: '99',
    ...fields,
  },
});
const payin = (fields: JsonObject = {}): MovementRecord => ({
  kind: 'payin',
  id: 'in_1',
  fields: {
    payinType: 'blockchain',
    paymentIntentId: 'pi_1',
    status: 'confirmed',
    assetCode: 'USDT.TRC20',
    amountGross: '100',
    amountNet: '99',
    feeAmount: '1',
    ...fields,
  },
});
const payout = (fields: JsonObject = {}, known: Partial<MovementRecord> = { accountId: null }): MovementRecord => ({
  kind: 'payout',
  id: 'po_1',
  fields: {
    payoutType: 'withdrawal',
    status: 'confirmed',
    assetCode: 'USDT.TRC20',
    amount: '50',
    feeAmount: '0.5',
    feeBearer: 'merchant',
    networkFeeAmount: '13.2',
    networkFeeAssetCode: 'TRX.TRON',
    statusHistory: [
      { status: 'pending', timestamp: '2026-10-01T10:00:00Z', source: 'api' },
      { status: 'confirmed', timestamp: '2026-10-01T10:05:00Z', source: 'blockchain' },
    ],
    ...fields,
  },
  ...known,
});
const transaction = (fields: JsonObject = {}): MovementRecord => ({
  kind: 'transaction',
  id: 'tx_1',
  fields: {
    accountId: 'acc_1',
    assetCode: 'BTC',
    type: 'deposit',
    amount: '0.9',
    feeAmount: '0.1',
    createdAt: '2026-10-02T00:00:00Z',
    counterpartyAccountId: null,
    ...fields,
  },
});

/** `operating USDT.TRC20 -50.5`, each movement so. */
function movedBy(record: MovementRecord, choices: Partial<MovementChoices> = {}) {
  const effects = movementsOf(record, table(choices));
  const of = (part: Effect['part']) => effects.filter((effect) => effect.part === part);
  const line = ({ account, assetCode, delta }: Effect) => `${account ?? 'operating'} ${assetCode} ${delta}`;
  return {
    moved: of('explained').map(line),
    unobservable: of('unobservable').map(line),
    unclear: of('unclear').map(({ why }) => why),
  };
}
const only = (...moved: string[]) => ({ moved, unobservable: [], unclear: [] });

describe('payments', () => {
  it('bring their cumulated net to the operating balance, whatever their state', () => {
    expect(movedBy(intent())).toEqual(only('operating USDT.TRC20 99'));
    expect(movedBy(intent({ status: 'pending', amountNetMerchant: '40' }))).toEqual(only('operating USDT.TRC20 40'));
    expect(movedBy(intent({ status: 'pending', assetCode: null, amountNetMerchant: '0' }))).toEqual(only());
  });

  it('or the net of each confirmed payin: one or the other, never both', () => {
    expect(movedBy(payin())).toEqual(only());
    expect(movedBy(payin(), { payments: 'payins' })).toEqual(only('operating USDT.TRC20 99'));
    expect(movedBy(intent(), { payments: 'payins' })).toEqual(only());
    for (const status of ['pending', 'confirming', 'unmatched']) {
      expect(movedBy(payin({ status }), { payments: 'payins' })).toEqual(only());
    }
  });

  it('of a dispute that was encashed stand in the net', () => {
    const encashed = intent({ irregularStatus: 'encashed', amountNetMerchant: '120' });
    expect(movedBy(encashed)).toEqual(only('operating USDT.TRC20 120'));
  });

  it.each(['merchant_deposit', 'internal_transfer'])('that are a %s are shown by no list', (payinType) => {
    expect(movedBy(payin({ payinType, paymentIntentId: null }))).toEqual({
      moved: [],
      unobservable: ['operating USDT.TRC20 99'],
      unclear: [],
    });
  });

  it('that settle themselves leave an amount that nothing shows, once they are completed', () => {
    const autoSettlement = { enabled: true, settlementAccountAddress: 'X' };
    expect(movedBy(intent({ autoSettlement }))).toEqual({
      moved: ['operating USDT.TRC20 99'],
      unobservable: ['operating USDT.TRC20 null'],
      unclear: [],
    });
    expect(movedBy(intent({ autoSettlement, status: 'pending' }))).toEqual(only('operating USDT.TRC20 99'));
    expect(movedBy(intent({ autoSettlement: { enabled: false } }))).toEqual(only('operating USDT.TRC20 99'));
    expect(movedBy(intent({ autoSettlement: null }))).toEqual(only('operating USDT.TRC20 99'));
  });
});

describe('payouts', () => {
  it('debit amount and fee where the merchant bears it, the amount where the customer does (4.4)', () => {
    expect(movedBy(payout())).toEqual(only('operating USDT.TRC20 -50.5'));
    expect(movedBy(payout({ feeBearer: 'customer' }))).toEqual(only('operating USDT.TRC20 -50'));
  });

  it('say when: the first entry of their history with that state', () => {
    const [movement] = movementsOf(payout(), table());
    expect(movement).toMatchObject({ operation: 'payout', part: 'explained', at: '2026-10-01T10:05:00Z' });
    expect(movementsOf(payout({ statusHistory: null }), table())[0]).toMatchObject({ at: null });
  });

  it.each(['pending', 'approved', 'broadcast', 'failed', 'reversed'])('that are %s have debited nothing', (status) => {
    expect(movedBy(payout({ status }))).toEqual(only());
  });

  it('of a sub-wallet are shown by its own transactions, and by them alone', () => {
    expect(movedBy(payout({}, { accountId: 'acc_1' }))).toEqual(only());
    const debit = transaction({ type: 'withdrawal', amount: '-50.5', feeAmount: '0.5' });
    expect(movedBy(debit)).toEqual(only('acc_1 BTC -50.5'));
  });

  it('of which nobody knows whose they are, are unclear unless the contract says', () => {
    expect(movedBy(payout({}, {}))).toEqual({
      moved: [],
      unobservable: [],
      unclear: ['which balance this payout debits is not shown'],
    });
    expect(movedBy(payout({}, {}), { unnamedPayout: 'operating' })).toEqual(only('operating USDT.TRC20 -50.5'));
  });

  it('to another merchant debit the operating balance', () => {
    expect(movedBy(payout({ payoutType: 'internal' }))).toEqual(only('operating USDT.TRC20 -50.5'));
  });

  it.each(['internal', 'crypto'])(
    'of a sub-wallet are shown by its transactions whoever got them (%s)',
    (payoutType) => {
      expect(movedBy(payout({ payoutType }, { accountId: 'acc_1' }))).toEqual(only());
      expect(movedBy(payout({ payoutType }, {})).unclear).toEqual(['which balance this payout debits is not shown']);
    },
  );

  it('have their gas paid by the service out of the fee, or by the merchant in the coin of the chain', () => {
    const both = only('operating USDT.TRC20 -50.5', 'operating TRX.TRON -13.2');
    expect(movedBy(payout(), { networkFee: 'operating' })).toEqual(both);
    expect(movedBy(payout({}, { accountId: 'acc_1' }), { networkFee: 'operating' })).toEqual(
      only('operating TRX.TRON -13.2'),
    );
    const internal = payout({ payoutType: 'internal', networkFeeAmount: null, networkFeeAssetCode: null });
    expect(movedBy(internal, { networkFee: 'operating' })).toEqual(only('operating USDT.TRC20 -50.5'));
  });

  it('that refund a payment debit the operating balance by who bears the fee (4.5)', () => {
    const refund = (feeBearer: string) => payout({ payoutType: 'refund', feeBearer }, { ofDispute: false });
    expect(movedBy(refund('customer'))).toEqual(only('operating USDT.TRC20 -50'));
    expect(movedBy(refund('merchant'))).toEqual(only('operating USDT.TRC20 -50.5'));
  });

  it('that a dispute made are paid out of what was never credited, or else out of the operating balance', () => {
    const refund = payout({ payoutType: 'refund', feeBearer: 'customer' }, { ofDispute: true });
    expect(movedBy(refund)).toEqual(only());
    expect(movedBy(refund, { disputeRefund: 'operating' })).toEqual(only('operating USDT.TRC20 -50'));
    const unknown = payout({ payoutType: 'refund' }, {});
    expect(movedBy(unknown).unclear).toEqual(['whether a dispute made this refund is not known']);
  });

  it('that settle to a bank are known, and shown by no list that is sure to hold them all', () => {
    const settlement = payout({ payoutType: 'settlement', feeBearer: 'customer' }, {});
    expect(movedBy(settlement)).toEqual({ moved: [], unobservable: ['operating USDT.TRC20 -50'], unclear: [] });
  });
});

describe('sub-wallets', () => {
  it('gain their payins, and the operating balance does not', () => {
    expect(movedBy(transaction())).toEqual(only('acc_1 BTC 0.9'));
    const gross = transaction({ amount: '1' });
    expect(movedBy(gross, { transactionAmount: 'before_fee' })).toEqual(only('acc_1 BTC 0.9'));
  });

  // 10 are sent, a fee of 1 is withheld from what arrives (4.6).
  const out = (counterpartyAccountId: string | null) =>
    transaction({ type: 'transfer_out', amount: '-10', feeAmount: '1', counterpartyAccountId });
  const into = (counterpartyAccountId: string | null, amount = '9') =>
    transaction({ type: 'transfer_in', amount, feeAmount: '1', counterpartyAccountId });

  it.each([
    [
      'to the operating balance',
      out(null),
      ['acc_1 BTC -10', 'operating BTC 10'],
      ['acc_1 BTC -10', 'operating BTC 9'],
    ],
    [
      'from the operating balance',
      into(null),
      ['acc_1 BTC 9', 'operating BTC -9'],
      ['acc_1 BTC 9', 'operating BTC -10'],
    ],
    ['to another', out('acc_2'), ['acc_1 BTC -10', 'operating BTC 1'], ['acc_1 BTC -10']],
    ['from another', into('acc_2'), ['acc_1 BTC 9'], ['acc_1 BTC 9']],
  ])('transfer %s; the fee is the merchant’s, in the operating balance or elsewhere', (_, record, merchant, nobody) => {
    expect(movedBy(record)).toEqual(only(...merchant));
    expect(movedBy(record, { transferFee: 'nobody' })).toEqual(only(...nobody));
  });

  it('show the same of a transfer where amounts come before the fee', () => {
    const whole = { transferFee: 'nobody' } as const;
    const before = { ...whole, transactionAmount: 'before_fee' } as const;
    expect(movedBy(into(null, '10'), before)).toEqual(movedBy(into(null), whole));
    expect(movedBy(into('acc_2', '10'), before)).toEqual(movedBy(into('acc_2'), whole));
    const debit = transaction({ type: 'withdrawal', amount: '-50', feeAmount: '0.5' });
    expect(movedBy(debit, before)).toEqual(only('acc_1 BTC -50.5'));
  });

  it('that are closed give all they have to the operating balance, a transaction for each asset (3.6)', () => {
    const closure = transaction({ type: 'closure', amount: '-4', feeAmount: null });
    expect(movedBy(closure)).toEqual(only('acc_1 BTC -4', 'operating BTC 4'));
    expect(movementsOf(closure, table())[0]).toMatchObject({ at: '2026-10-02T00:00:00Z' });
  });

  it('need no fee that cancels out', () => {
    const { feeAmount: _, ...fields } = out(null).fields;
    expect(movedBy({ kind: 'transaction', id: 'tx_1', fields })).toEqual(only('acc_1 BTC -10', 'operating BTC 10'));
    const { unclear } = movedBy({ kind: 'transaction', id: 'tx_1', fields }, { transferFee: 'nobody' });
    expect(unclear).toEqual(['feeAmount is not shown, or is no amount']);
  });
});

describe('what is not known', () => {
  it.each<[string, MovementRecord, string]>([
    ['a type of payout', payout({ payoutType: 'airdrop' }), 'payoutType "airdrop" is on no list'],
    ['no type of payout', payout({ payoutType: null }), 'payoutType (not shown)'],
    ['a type of transaction', transaction({ type: 'interest' }), 'type "interest" is on no list'],
    ['a type of payin', payin({ payinType: 'staking' }), 'payinType "staking" is not known'],
    ['a payin of nobody', payin({ paymentIntentId: null }), 'a payin without a payment'],
    ['a bearer', payout({ feeBearer: 'bank' }), 'feeBearer'],
    ['no bearer', payout({ feeBearer: null }), 'feeBearer'],
    ['no state', payout({ status: null }), 'its state is not shown'],
    [
      'an amount that is a number',
      payout({ amount: new LosslessNumber('50') }),
      'amount is not shown, or is no amount',
    ],
    ['no amount', transaction({ amount: null }), 'amount is not shown'],
    ['no asset', transaction({ assetCode: null }), 'assetCode is not shown'],
    ['no sub-wallet', transaction({ accountId: null }), 'accountId is not shown'],
  ])('%s is said, and nothing is guessed', (_, record, why) => {
    const result = movedBy(record);
    expect(result.moved).toEqual([]);
    expect(result.unclear.join()).toContain(why);
  });

  it('the other side of a transfer that is not shown', () => {
    const { counterpartyAccountId: _, ...fields } = transaction({ type: 'transfer_out', amount: '-1' }).fields;
    expect(movedBy({ kind: 'transaction', id: 'tx_1', fields }).unclear).toEqual([
      'the other side of this transfer is not shown',
    ]);
  });
});
