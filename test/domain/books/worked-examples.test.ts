import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { MovementRecord } from '../../../src/domain/balances/movement-table.js';
import { effectsOf } from '../../../src/domain/balances/movements.js';
import { entriesOf } from '../../../src/domain/books/entries-of.js';
import type { BookRecord } from '../../../src/domain/books/entry.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { defaultContract } from '../../../src/service-api/contract.js';

const table = defaultContract.movements;
const withPayins = { ...table, choices: { ...table.choices, payments: 'payins' as const } };
const withGas = { ...table, choices: { ...table.choices, networkFee: 'operating' as const } };
const fromOperating = { ...table, choices: { ...table.choices, disputeRefund: 'operating' as const } };
const AT = Date.parse('2026-10-31T10:00:00Z');

type Given = Omit<MovementRecord, 'id' | 'fields'> & { fields: JsonObject };

const payment = (fields: JsonObject): Given => ({
  kind: 'payment_intent',
  fields: {
    assetCode: 'BTC',
    status: 'completed',
    irregularStatus: 'none',
    amountNetMerchant: '99',
    feeAmountTotal: '1',
    ...fields,
  },
});
const payin = (payinType: string, fields: JsonObject = {}): Given => ({
  kind: 'payin',
  fields: {
    assetCode: 'BTC',
    status: 'confirmed',
    payinType,
    amountGross: '100',
    amountNet: '99',
    feeAmount: '1',
    ...fields,
  },
});
const payout = (payoutType: string, about: Partial<Given> = {}, fields: JsonObject = {}): Given => ({
  kind: 'payout',
  accountId: null,
  ofDispute: false,
  ...about,
  fields: {
    assetCode: 'BTC',
    status: 'confirmed',
    payoutType,
    amount: '50',
    feeAmount: '1',
    feeBearer: 'merchant',
    ...fields,
  },
});
const moved = (type: string, amount: string, fields: JsonObject = {}): Given => ({
  kind: 'transaction',
  fields: {
    assetCode: 'BTC',
    type,
    accountId: 'acc1',
    amount,
    feeAmount: null,
    createdAt: '2026-10-31T10:00:00Z',
    ...fields,
  },
});

/** By the name of its row in docs/finance.md. */
const examples: Record<string, [Given, typeof table?]> = {
  'payment, 100 less a fee of 1': [payment({})],
  'payment in two payins': [
    payment({
      payins: [
        { id: 'p1', assetCode: 'BTC', status: 'confirmed', amountNet: '60', feeAmount: '0.6' },
        { id: 'p2', assetCode: 'BTC', status: 'confirmed', amountNet: '39', feeAmount: '0.4' },
      ],
    }),
  ],
  'dispute open, 20 of 120 in question': [payment({ irregularStatus: 'pending_decision', amountRejected: '20' })],
  'dispute encashed': [
    payment({ irregularStatus: 'encashed', amountRejected: '20', amountNetMerchant: '118.8', feeAmountTotal: '1.2' }),
  ],
  'dispute refunded': [payment({ irregularStatus: 'refunded', amountRejected: '20' })],
  'payin of a payment, by payins': [payin('blockchain', { paymentIntentId: 'pi' }), withPayins],
  'deposit of the merchant’s own': [payin('merchant_deposit')],
  'transfer from another merchant': [payin('internal_transfer')],
  'payout, the merchant bears the fee': [payout('withdrawal')],
  'payout, the recipient bears the fee': [payout('withdrawal', {}, { feeBearer: 'customer' })],
  'payout of nobody knows whom': [payout('withdrawal', { accountId: undefined as never })],
  'payout to another merchant': [payout('internal')],
  'refund, the merchant bears the fee': [payout('refund')],
  'refund, the customer bears the fee': [payout('refund', {}, { feeBearer: 'customer' })],
  'refund of a dispute, out of what was held': [payout('refund', { ofDispute: true })],
  'refund of a dispute, out of the operating balance': [payout('refund', { ofDispute: true }), fromOperating],
  'settlement, the crypto leg': [payout('settlement')],
  'network fee, nobody shows who bore it': [
    payout('withdrawal', {}, { networkFeeAmount: '3', networkFeeAssetCode: 'TRX' }),
  ],
  'network fee that the merchant bears': [
    payout('withdrawal', {}, { networkFeeAmount: '3', networkFeeAssetCode: 'TRX' }),
    withGas,
  ],
  'sub-wallet: deposit': [moved('deposit', '70')],
  'sub-wallet: payout': [moved('withdrawal', '-8.5', { feeAmount: '0.5' })],
  'sub-wallet: transfer to operating': [moved('transfer_out', '-10', { feeAmount: '1', counterpartyAccountId: null })],
  'sub-wallet: transfer from operating': [moved('transfer_in', '9', { feeAmount: '1', counterpartyAccountId: null })],
  'sub-wallet: transfer to another, sent': [
    moved('transfer_out', '-10', { feeAmount: '1', counterpartyAccountId: 'acc2' }),
  ],
  'sub-wallet: transfer to another, received': [
    moved('transfer_in', '9', { feeAmount: '1', counterpartyAccountId: 'acc2' }),
  ],
  'sub-wallet: closed': [moved('closure', '-5')],
};

function recordOf({ fields, ...given }: Given, contract: typeof table): BookRecord {
  const record: MovementRecord = { ...given, id: 'r1', fields };
  const effects = effectsOf(record, contract);
  return {
    kind: given.kind,
    id: 'r1',
    fields,
    firstSeenAt: AT,
    moved: effects.map((one) => ({ ...one, base: '0' })),
  };
}

/** `account amount; …` of all entries, as the table of docs/finance.md writes it. */
function written([given, contract = table]: [Given, typeof table?]): string {
  return entriesOf(recordOf(given, contract), contract.choices)
    .filter(({ lines }) => lines.length > 0)
    .map(({ lines }) =>
      lines
        .map(
          ({ account, amount, assetCode, memo }) =>
            `${account} ${amount}${assetCode === 'BTC' ? '' : ` ${assetCode}`}${memo ? ' (memo)' : ''}`,
        )
        .join('; '),
    )
    .join(' / ');
}

const rows = new Map(
  readFileSync(new URL('../../../docs/finance.md', import.meta.url), 'utf8')
    .split('\n')
    .map((row) => /^\| (.+?) \| `(.*?)` \|/.exec(row))
    .flatMap((match) => (match === null ? [] : [[match[1], match[2]] as const])),
);

test.each(Object.keys(examples))('docs/finance.md says what is posted of: %s', (name) => {
  expect(rows.get(name)).toBe(written(examples[name]!) || 'nothing');
});

test('and every operation of the contract’s table stands there', () => {
  const operations = Object.values(examples).flatMap(([given, contract = table]) =>
    recordOf(given, contract).moved.map(({ operation }) => operation),
  );
  // What moves nothing by itself, and what is shown by nothing.
  const silent = ['disputeEncash', 'autoSettlement'];
  expect(
    Object.keys(table.operations).filter((name) => !silent.includes(name) && !operations.includes(name as never)),
  ).toEqual([]);
});
