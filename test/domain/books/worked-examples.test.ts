import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { MovementRecord } from '../../../src/domain/balances/movement-table.js';
import { effectsOf } from '../../../src/domain/balances/movements.js';
import { attributionLines, openingEntry, placementEntries } from '../../../src/domain/books/balance-entries.js';
import { entriesOf } from '../../../src/domain/books/entries-of.js';
import type { BookRecord, Line } from '../../../src/domain/books/entry.js';
import { grouped } from '../../../src/domain/grouped.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { compareAmounts, negated, sumAmounts } from '../../../src/domain/money.js';
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

const FINANCE = new URL('../../../docs/finance.md', import.meta.url);
const rows = new Map(
  readFileSync(FINANCE, 'utf8')
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

const linesOf = (name: string): Line[] => {
  const [given, contract = table] = examples[name]!;
  return entriesOf(recordOf(given, contract), contract.choices).flatMap(({ lines }) => lines);
};

/** A month with every kind of record, in BTC. */
const month: [what: string, lines: Line[]][] = [
  [
    'opening: the service showed 500 when the books began',
    openingEntry({ assetCode: 'BTC', balance: '500', at: AT }).lines,
  ],
  ...[
    'payment, 100 less a fee of 1',
    'dispute open, 20 of 120 in question',
    'refund, the merchant bears the fee',
    'deposit of the merchant’s own',
    'transfer from another merchant',
    'payout, the merchant bears the fee',
    'payout of nobody knows whom',
    'settlement, the crypto leg',
    'sub-wallet: deposit',
    'sub-wallet: transfer to operating',
    'sub-wallet: closed',
    'network fee, nobody shows who bore it',
  ].map((name): [string, Line[]] => [name, linesOf(name)]),
  [
    'the month’s end: no sub-wallet shows payout 7, so the operating balance paid it',
    placementEntries('BTC', [{ key: '2026-10-31', amount: '-51', day: '2026-10-31', lastAt: AT }], {
      isPlaced: true,
      correction: '0',
    }).flatMap(({ lines }) => lines),
  ],
  ['attribution: 2 came that no list shows, and finance says what it was', attributionLines('BTC', '2', null)],
];

/** Debits and credits of each account, each amount behind the number of what it comes from. */
function tAccounts(): string {
  const numbered = month.flatMap(([, lines], n) => lines.map((one) => ({ n, ...one })));
  const counted = numbered.filter(({ memo }) => !memo);
  const side = (some: typeof counted, isDebit: boolean) =>
    some
      .filter(({ amount }) => compareAmounts(amount, '0') > 0 === isDebit)
      .map(({ n, amount }) => `(${n}) ${isDebit ? amount : negated(amount)}`)
      .join(', ');
  const sums = (some: typeof counted, isDebit: boolean) =>
    sumAmounts(
      some.flatMap(({ amount }) =>
        compareAmounts(amount, '0') > 0 === isDebit ? [isDebit ? amount : negated(amount)] : [],
      ),
    );
  const accounts = [...grouped(counted, ({ account }) => account)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const held = accounts.map(([account, some]) => {
    const balance = sumAmounts(some.map(({ amount }) => amount));
    return `| \`${account}\` | ${side(some, true)} | ${side(some, false)} | ${balance} |`;
  });
  const memos = numbered
    .filter(({ memo }) => memo)
    .map(({ n, account, amount, assetCode }) => `(${n}) \`${account}\` ${amount} ${assetCode}`);
  return [
    ...month.map(([what], n) => `${n}. ${what}`),
    '',
    '| account | debit | credit | balance |',
    '|---|---|---|---|',
    ...held,
    `| all | ${sums(counted, true)} | ${sums(counted, false)} | ${sumAmounts(counted.map(({ amount }) => amount))} |`,
    '',
    `Memos, in no balance: ${memos.join(', ')}.`,
  ].join('\n');
}

test('the worked month of docs/finance.md is what is posted (UPDATE_DOCS=1 writes it anew)', () => {
  const text = readFileSync(FINANCE, 'utf8');
  const [begin, end] = ['<!-- worked month -->\n\n', '\n\n<!-- end of the worked month -->'];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  expect([from, to]).not.toContain(-1);
  const wanted = `${text.slice(0, from)}${begin}${tAccounts()}${text.slice(to)}`;
  if (process.env['UPDATE_DOCS']) writeFileSync(FINANCE, wanted);
  else expect(text).toBe(wanted);
});
