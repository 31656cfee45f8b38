import { describe, expect, it, test } from 'vitest';
import type { MovementLine, MovementRecord, MovementTable } from '../../src/domain/balances/movement-table.js';
import { effectsOf, movementsOf } from '../../src/domain/balances/movements.js';
import { transactionFieldsOf } from '../../src/domain/balances/transaction-row.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { defaultContract } from '../../src/service-api/contract.js';

const AT = '2026-03-01T00:00:00Z';
const payin = (fields: JsonObject = {}): MovementRecord => {
  const shown = { status: 'done', assetCode: 'BTC', amount: '5', feeAmount: '1', accountId: 'acc_1', createdAt: AT };
  return { kind: 'payin', id: 'pay_1', fields: { payinType: 'merchant_deposit', ...shown, ...fields } };
};
const line = (about: Partial<MovementLine> = {}): MovementLine => ({
  balance: 'operating',
  effect: ['+amount'],
  asset: 'assetCode',
  states: { any: true },
  time: 'createdAt',
  shownBy: 'payout',
  ...about,
});
const only = { states: { field: 'status', only: ['done'] } };
const except = { states: { field: 'status', except: ['failed'] } };

/** What a table says whose one operation has these lines. */
function read(lines: MovementLine[], fields: JsonObject = {}) {
  const { operations, ...movements } = defaultContract.movements;
  const table: MovementTable = { ...movements, operations: { ...operations, merchantDeposit: lines } };
  return movementsOf(payin(fields), table);
}
function shownEffects(lines: MovementLine[], fields: JsonObject = {}) {
  return read(lines, fields).map(({ delta, why }) => why ?? delta);
}
const UNSTATED = 'its state is not shown';
const UNLIKE = 'no line of the table has what is shown';

describe('a line of the table of movements', () => {
  it('says which balance moved, by what, in which asset, when, and what shows it', () => {
    const operating = {
      part: 'explained',
      account: null,
      delta: '5',
      assetCode: 'BTC',
      operation: 'merchantDeposit',
      at: AT,
      why: null,
      limit: null,
    };
    expect(read([line()])).toEqual([operating]);
    const account = read([line({ balance: 'account', time: null, shownBy: 'transaction' })]);
    expect(account).toEqual([{ ...operating, account: 'acc_1', at: null }]);
    const unobservable = read([line({ effect: null, shownBy: 'nothing' })], { assetCode: null });
    expect(unobservable).toEqual([{ ...operating, part: 'unobservable', assetCode: null, delta: null }]);
  });

  it.each<[string, MovementLine[], JsonObject, (string | null)[]]>([
    ['adds its fields up', [line({ effect: ['+amount', '-feeAmount'] })], {}, ['4']],
    ['counts a field twice', [line({ effect: ['-amount', '-amount', '+feeAmount'] })], {}, ['-9']],
    ['needs no field that cancels out', [line({ effect: ['+tax', '-tax', '+amount'] })], {}, ['5']],
    ['moves nothing by nothing', [line({ effect: ['+amount'] })], { amount: '0.0' }, []],
    ['moves nothing by no field', [line({ effect: [] })], {}, []],
    ['takes a fee of null for none', [line({ effect: ['+amount', '-feeAmount'] })], { feeAmount: null }, ['5']],
    ['takes an amount of null for unknown', [line()], { amount: null }, ['amount is not shown, or is no amount']],
    ['takes no fee for unknown', [line({ effect: ['+fee'] })], {}, ['fee is not shown, or is no amount']],
    [
      'takes what all objects have for unknown',
      [line({ effect: ['+valueOf'] })],
      {},
      ['valueOf is not shown, or is no amount'],
    ],
    ['reaches into objects', [line({ effect: ['+paid.net'] })], { paid: { net: '3' } }, ['3']],
    ['adds to others of its balance, asset and source', [line(), line({ effect: ['-feeAmount'] })], {}, ['4']],
    ['stands beside those of another balance', [line(), line({ balance: 'account' })], {}, ['5', '5']],
    ['stands beside those of another asset', [line(), line({ asset: 'coin' })], { coin: 'ETH' }, ['5', '5']],
    ['stands beside those of another source', [line(), line({ shownBy: 'transaction' })], {}, ['5', '5']],
    ['says so where nothing shows its amount', [line({ effect: null })], {}, ['the amount is not shown']],
    ['says so where nothing shows its asset', [line({ asset: 'coin' })], {}, ['coin is not shown']],
    [
      'says so where nothing shows its sub-wallet',
      [line({ balance: 'account' })],
      { accountId: null },
      ['accountId is not shown'],
    ],
    ['is unknown with one of its group', [line(), line({ effect: null })], {}, ['the amount is not shown']],
    ['holds in its states', [line(only)], {}, ['5']],
    ['holds in no other', [line(only)], { status: 'new' }, []],
    ['holds in all but some', [line(except)], { status: 'new' }, ['5']],
    ['does not hold in those', [line(except)], { status: 'failed' }, []],
    ['hangs on a state that is not shown', [line(except)], { status: null }, [UNSTATED]],
    ['hangs on no state if it moves nothing', [line({ ...only, effect: [] })], { status: null }, []],
    ['hangs on it if nobody knows how much', [line({ ...only, effect: null })], { status: null }, [UNSTATED]],
    [
      'hangs on a state where its flag is on',
      [line({ ...only, where: { flag: true } })],
      { status: null, flag: true },
      [UNSTATED],
    ],
    [
      'hangs on none where its flag is off',
      [line({ ...only, where: { flag: true } })],
      { status: null, flag: false },
      [],
    ],
    [
      'hangs on one where it distinguishes cases',
      [line({ ...only, where: { type: 'a' } })],
      { status: null, type: 'b' },
      [UNSTATED],
    ],
    ['holds where its flag is on', [line({ where: { 'more.flag': true } })], { more: { flag: true } }, ['5']],
    ['does not where it is off', [line({ where: { 'more.flag': true } })], { more: { flag: false } }, []],
    [
      'holds in its case',
      [line({ where: { type: 'a' } }), line({ where: { type: 'b' }, effect: ['-amount'] })],
      { type: 'b' },
      ['-5'],
    ],
    ['has to be one of the cases', [line({ where: { type: 'a', is: true } })], { type: 'b' }, [`type, is: ${UNLIKE}`]],
    [
      'says so beside a flag that is off',
      [line({ where: { is: true } }), line({ where: { type: 'a' } })],
      {},
      [`type: ${UNLIKE}`],
    ],
    ['is no case beside a line that holds', [line({ where: { type: 'a' } }), line()], {}, ['5']],
    [
      'holds under the choices of the contract',
      [line({ when: { payments: 'intent', transferFee: undefined } })],
      {},
      ['5'],
    ],
    ['does not hold under others', [line({ when: { payments: 'intent', transferFee: 'nobody' } })], {}, []],
  ])('%s', (_name, lines, fields, expected) => expect(shownEffects(lines, fields)).toEqual(expected));

  it('may be dated by the first entry of the history with one of its states', () => {
    const at = (about: Partial<MovementLine>, statusHistory: Json) =>
      read([line({ time: 'statusHistory', ...about })], { statusHistory })[0]?.at;
    const entry = (status: string, timestamp: string | null) => ({ status, timestamp });
    const history = [null, 'x', { timestamp: '0' }, entry('new', '1'), entry('done', '2'), entry('done', '3')];
    expect(at(only, history)).toBe('2');
    expect(at(except, history)).toBe('1');
    for (const [about, none] of [
      [{}, history],
      [only, null],
      [only, [entry('new', '1')]],
      [only, [entry('done', null)]],
    ] as const)
      expect(at(about, none as Json)).toBeNull();
  });
});

describe('what a record did, as it is kept', () => {
  const table = defaultContract.movements;
  const kept = (record: MovementRecord, choices: Partial<MovementTable['choices']> = {}) =>
    effectsOf(record, { ...table, choices: { ...table.choices, ...choices } });
  const effect = { operation: null, account: null, assetCode: 'BTC', delta: null, at: null, why: null, limit: null };

  test('of a payment that settles itself: what it took is no more than the net', () => {
    const fields = { status: 'completed', amountNetMerchant: '5', assetCode: 'BTC', autoSettlement: { enabled: true } };
    const [collected, settled] = [
      { ...effect, part: 'explained', operation: 'paymentCollected', delta: '5' },
      { ...effect, part: 'unobservable', operation: 'autoSettlement' },
    ];
    const record: MovementRecord = { kind: 'payment_intent', id: 'pi_1', fields };
    expect(kept(record)).toEqual([collected, { ...settled, limit: '5' }]);
    const payins = { payments: 'payins' } as const;
    const odd = { ...record, fields: { ...fields, amountNetMerchant: '-5' } };
    expect(kept(odd, payins)).toEqual([{ ...settled, limit: null }]);
    const shown = { ...table.operations, autoSettlement: [line({ effect: ['-fee'], time: null, shownBy: 'nothing' })] };
    const known = effectsOf({ ...record, fields: { ...fields, fee: '3' } }, { ...table, operations: shown });
    expect(known).toEqual([collected, { ...settled, delta: '-3', limit: null }]);
  });

  test('that no list shows: its amount is known, and no limit', () => {
    const fields = { ...payin().fields, status: 'confirmed', amountNet: '4', amountNetMerchant: '9' };
    const part = { part: 'unobservable', operation: 'merchantDeposit', delta: '4' };
    expect(kept({ ...payin(), fields })).toEqual([{ ...effect, ...part, at: null }]);
  });

  test('of a sub-wallet, and where that is not clear: why, and in which asset', () => {
    const fields = {
      type: 'deposit',
      accountId: 'acc_1',
      assetCode: 'BTC',
      amount: '5',
      feeAmount: null,
      createdAt: AT,
    };
    const record: MovementRecord = { kind: 'transaction', id: 'tx_1', fields };
    const operation = 'accountDeposit';
    expect(kept(record)).toEqual([{ ...effect, part: 'explained', operation, account: 'acc_1', delta: '5', at: AT }]);
    const unclear = { ...effect, part: 'unclear' };
    const unknown = (more: JsonObject) => kept({ ...record, fields: { ...fields, ...more } });
    const why = 'accountId is not shown';
    expect(unknown({ accountId: null })).toEqual([{ ...unclear, operation, why }]);
    const typeless = 'type (not shown) is on no list of movements.words.transactionType';
    expect(unknown({ type: null, assetCode: 5n as unknown as Json })).toEqual([
      { ...unclear, assetCode: null, why: typeless },
    ]);
  });

  test('of a withdrawal of nobody knows whom: its debit is unplaced, its gas is the operating balance’s', () => {
    const fields = { payoutType: 'withdrawal', status: 'confirmed', assetCode: 'BTC', amount: '5', feeAmount: '1' };
    const more = { feeBearer: 'merchant', networkFeeAmount: '2', networkFeeAssetCode: 'TRX' };
    const record: MovementRecord = { kind: 'payout', id: 'po_1', fields: { ...fields, ...more } };
    const gas = { ...effect, part: 'explained', operation: 'networkFee', assetCode: 'TRX', delta: '-2' };
    const debit = { ...effect, part: 'unplaced', operation: 'payout', delta: '-6' };
    const networkFee = 'operating';
    expect(kept(record, { networkFee })).toEqual([gas, debit]);
    expect(kept({ ...record, accountId: 'acc_1' }, { networkFee })).toEqual([gas, { ...debit, account: 'acc_1' }]);
    expect(kept(record, { unnamedPayout: 'operating' })).toEqual([{ ...debit, part: 'explained' }]);
    expect(kept({ ...record, accountId: 'acc_1' }, { unnamedPayout: 'operating' })).toEqual([
      { ...debit, account: 'acc_1' },
    ]);
    const refund = { ...record, ofDispute: false, fields: { ...record.fields, payoutType: 'refund' } };
    expect(kept(refund)).toEqual([{ ...debit, part: 'explained', operation: 'refund' }]);
    const odd = { ...record, fields: { ...record.fields, feeBearer: 'bank' } };
    expect(kept({ ...odd, accountId: 'acc_1' })).toEqual([]);
    const unclear = { ...effect, part: 'unclear' };
    expect(kept(odd)).toEqual([{ ...unclear, why: 'which balance this payout debits is not shown' }]);
    const { networkFeeAmount: _, ...gasless } = record.fields;
    expect(kept({ ...record, accountId: 'acc_1', fields: gasless }, { networkFee })).toEqual([
      { ...unclear, operation: 'networkFee', why: 'networkFeeAmount is not shown, or is no amount' },
    ]);
  });
});

describe('a payin that no payment brought', () => {
  const of = (fields: JsonObject) =>
    movementsOf({ kind: 'payin', id: 'pay_1', fields: { ...payin().fields, ...fields } }, defaultContract.movements);

  it('to the address of a sub-wallet stands among its own transactions; any other is not clear', () => {
    for (const payinType of ['blockchain', null])
      expect(of({ payinType, addressPurpose: 'STATIC_ADDRESS' })).toEqual([]);
    const why = 'a payin without a payment: which balance it went to is not shown';
    expect(of({ payinType: 'blockchain', addressPurpose: 'OTHER' })).toMatchObject([
      { part: 'unclear', operation: null, why },
    ]);
  });
});

describe('a transaction of the feed', () => {
  const pointers = {
    id: '/id',
    accountId: '/wallet/id',
    assetCode: '/coin',
    type: '/type',
    amount: '/amount',
    feeAmount: '/fee',
    createdAt: '/createdAt',
    counterpartyAccountId: '/other',
  };

  it('stands under our names beside all that came with it; what a pointer does not find is left out', () => {
    const item = { id: 'tx_1', wallet: { id: 'acc_1' }, coin: 'BTC', fee: null, note: 'x', createdAt: AT };
    const ours = { accountId: 'acc_1', assetCode: 'BTC', feeAmount: null };
    expect(transactionFieldsOf({ ...item, assetCode: 'ETH', feeAmount: '1' }, pointers)).toStrictEqual({
      ...item,
      ...ours,
    });
    expect(transactionFieldsOf({ ...item, counterpartyAccountId: 'acc_2' }, pointers)).not.toHaveProperty(
      'counterpartyAccountId',
    );
    expect(transactionFieldsOf(['tx_1', 'x'], { ...pointers, id: '/0' })).toStrictEqual({ id: 'tx_1' });
  });
});
