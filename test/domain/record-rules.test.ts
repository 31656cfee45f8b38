import { LosslessNumber } from 'lossless-json';
import { expect, test } from 'vitest';
import {
  type Axis,
  amountViolations,
  mayVanish,
  type RecordKind,
  recordKinds,
  recordRules,
} from '../../src/domain/records.js';

/** States from the first to the last; `=` stands between those that do not follow one another, `*` for all that are not listed. */
function order({ ranks, unlisted }: Axis): string {
  const states = new Map<number, string[]>();
  for (const [state, rank] of [...ranks, ...(unlisted === null ? [] : [['*', unlisted] as const])])
    states.set(rank, [...(states.get(rank) ?? []), state]);
  const steps = [...states].sort(([a], [b]) => a - b).map(([, names]) => names.join(' = '));
  return steps.join(' < ');
}

/** The names of a list, in an order of their own: that of a definition is the order of the page. */
const sorted = (names: string | readonly string[], between = ' ') =>
  (typeof names === 'string' ? names.split(between) : names).toSorted();

test.each<[RecordKind, string]>([
  ['payment_intent', 'waiting_address_selection < pending < confirming < unmatched = expired = cancelled < completed'],
  ['payin', 'pending < confirming < * < confirmed = unmatched'],
  ['invoice', 'draft < sent < expired = cancelled < paid'],
  ['payout', 'pending < approved < * < failed < confirmed'],
  ['account', 'active = frozen = closed'],
])('the states of a %s, and how far on each stands: %s', (kind, states) => {
  expect(order(recordRules[kind].main)).toBe(states);
  expect(recordRules[kind].main.field).toBe('status');
});

test('no other kind has states, and only a payment has a second axis: its dispute, with the fields that move with it', () => {
  expect(recordKinds.filter((kind) => recordRules[kind].main.ranks.size > 0)).toEqual([
    'payment_intent',
    'payin',
    'invoice',
    'payout',
    'account',
  ]);
  expect(recordKinds.filter((kind) => recordRules[kind].side !== null)).toEqual(['payment_intent']);
  const { side } = recordRules.payment_intent;
  expect(side && order(side)).toBe('none < pending_decision < encashed = refunded');
  expect(side?.field).toBe('irregularStatus');
  expect(sorted(side?.travels ?? [])).toEqual(
    sorted(
      'irregularStatus irregularActionBy irregularActionAt irregularRefundPayoutId amountInRange amountRejected amountToRefund ' +
        'feeAmountOnRange feeAmountOnRejected',
    ),
  );
});

/** Decimal strings of the specification, section 2; of payments also those of their payins. */
const amounts: Partial<Record<RecordKind, string>> = {
  payment_intent:
    'amountRequested amountCryptoExpected totalAmountReceived amountNetMerchant feeAmountTotal amountInRange amountRejected ' +
    'amountToRefund feeAmountOnRange feeAmountOnRejected amountToSend payins/0/amountGross payins/0/amountNet payins/0/feeAmount',
  payin: 'amountGross amountNet feeAmount kytRiskScore',
  invoice: 'amount',
  payout: 'amount feeAmount networkFeeAmount networkFeeUsdEquivalent',
  transaction: 'amount feeAmount',
  balance: 'usdRate balance frozen available',
  product: 'amount',
};

test.each([...recordKinds])(
  'a number in place of an amount is seen in each amount of a %s, and in no other field',
  (kind) => {
    const names = Object.values(amounts).flatMap((all) => all.split(' '));
    const number = Object.fromEntries(names.map((name) => [name, new LosslessNumber('1')]));
    const payins = [Object.fromEntries(names.map((name) => [name.replace('payins/0/', ''), new LosslessNumber('1')]))];
    const found = amountViolations(kind, { ...number, payins }).map(({ path }) => path.slice(1));
    expect(sorted(found.join(' '))).toEqual(sorted(amounts[kind] ?? ''));
  },
);

test('an amount has no sign, but that of a transaction; a balance has one, and more digits', () => {
  const wrong = (kind: RecordKind, name: string, amount: string) =>
    amountViolations(kind, { [name]: amount }).length > 0;
  const long = '9'.repeat(19);
  expect([
    wrong('payout', 'amount', '-1'),
    wrong('transaction', 'amount', '-1'),
    wrong('balance', 'balance', '-1'),
  ]).toEqual([true, false, false]);
  expect([wrong('transaction', 'amount', long), wrong('balance', 'balance', long)]).toEqual([true, false]);
});

test.each<[RecordKind, string]>([
  ['payment_intent', 'metadata depositAddress memo memoType amountToSend expiryHours'],
  ['payin', 'accountId'],
  ['invoice', 'merchantReference metadata emailDelivery'],
  ['payout', 'paymentIntentId accountId merchantReference metadata'],
])('what some views of a %s lack is kept: %s', (kind, fields) =>
  expect(sorted(recordRules[kind].kept)).toEqual(sorted(fields)),
);

test('of no other kind anything is kept; what holds goods back is a dispute and a word of the screening', () => {
  expect(recordKinds.filter((kind) => recordRules[kind].kept.length > 0)).toHaveLength(4);
  const decisive = recordKinds.flatMap((kind) => recordRules[kind].decisive.map((name) => `${kind} ${name}`));
  expect(decisive).toEqual(['payment_intent irregularStatus', 'payin kytStatus']);
});

test.each<[RecordKind, string]>([
  [
    'payment_intent',
    'text status, text irregular_status, text merchant_reference, text invoice_id, text product_id, text irregular_refund_payout_id, ' +
      'text currency_requested, text asset_code, amount amount_requested, time created_at',
  ],
  ['payin', 'text payment_intent_id, text status, text kyt_status, text asset_code, text txid, time created_at'],
  [
    'invoice',
    'text status, text payment_intent_id, text currency, text merchant_reference, amount amount, time expires_at, time created_at',
  ],
  [
    'payout',
    'text status, text payout_type, text asset_code, text merchant_reference, text payment_intent_id, text txid, amount amount, ' +
      'time created_at, time updated_at',
  ],
  ['account', 'text status, text label, text external_ref, time created_at'],
  ['transaction', 'text account_id, text asset_code, text type, amount amount, amount fee_amount, time created_at'],
  ['balance', 'amount balance, amount frozen, amount available, time created_at'],
  ['endpoint', 'text url, time created_at'],
  ['settlement_account', 'time revoked_at, time matured_at, time created_at'],
  ['product', 'time created_at'],
  ['asset', 'text network, text category, time created_at'],
])('a %s is found by its columns: %s', (kind, columns) => {
  const own = recordRules[kind].columns;
  expect(sorted(own.map(({ type, name }) => `${type} ${name}`))).toEqual(sorted(columns, ', '));
  for (const { name, field } of own)
    expect(field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).toBe(name);
});

test('a record may vanish from the lists of the service where that means nothing: a closed account, what is no money', () => {
  const quiet = recordKinds.filter((kind) => mayVanish(kind, {}));
  expect(quiet).toEqual(['balance', 'endpoint', 'settlement_account', 'product', 'asset']);
  expect(['closed', 'frozen', 'active'].map((status) => mayVanish('account', { status }))).toEqual([
    true,
    false,
    false,
  ]);
  expect(recordKinds.filter((kind) => mayVanish(kind, { status: 'closed' }))).toEqual(['account', ...quiet]);
});
