import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/service-api/service-errors.js';
import { withoutNetwork } from './no-network.js';
import { accepted, direct, invoice, payout, refund, refused, text, transfer } from './request-bodies.js';
import { rejection, testClient } from './test-client.js';

withoutNetwork();

/** Specification 4 and 8, at each limit and beyond it. */
const GOOD_AMOUNTS = [
  '1',
  '0.000000000000000001',
  text(18).replaceAll('x', '9'),
  '1.0',
  '001',
  `1.${text(18).replaceAll('x', '1')}`,
];
const ZEROS = ['0', '0.0', '0.000000000000000000'];
const BAD_AMOUNTS: unknown[] = [
  1,
  1.5,
  new LosslessNumber('1'),
  `1.${text(19).replaceAll('x', '1')}`,
  text(19).replaceAll('x', '9'),
  '-1',
  '+1',
  '1e3',
  '1E-3',
  ' 1',
  '1 ',
  '1 000',
  '1,5',
  '1.',
  '.5',
  '',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '١',
  '1\n',
  null,
  true,
  ['1'],
  {},
];

describe('amounts', () => {
  const places = [
    ['createDirectPayment', direct, 'amount'],
    ['createInvoice', invoice, 'amount'],
    ['createPayout', payout, 'amount'],
    ['createTransfer', transfer, 'amount'],
    ['createTransfer', transfer, 'feeAmount'],
  ] as const;

  it.each(places)('of %s are decimal strings greater than zero', (operation, body, field) => {
    for (const amount of GOOD_AMOUNTS) accepted(operation, { ...body, [field]: amount });
    for (const amount of [...ZEROS, ...BAD_AMOUNTS]) {
      refused(operation, { ...body, [field]: amount }, `${field} is to be a decimal string: 1 to 18 digits`);
    }
  });

  it('of a refund may be zero, and are the same otherwise', () => {
    for (const amount of [...GOOD_AMOUNTS, ...ZEROS]) accepted('createRefund', { ...refund, amount });
    for (const amount of BAD_AMOUNTS) refused('createRefund', { ...refund, amount }, 'amount is to be');
  });

  it('that are numbers are refused before anything is sent, by name and rule', async () => {
    const error = await rejection(
      testClient().createPayout('acc_1', { ...payout, amount: 1.5 } as never),
      InvalidRequestError,
    );
    expect(error.message).toBe(
      'createPayout: amount is to be a decimal string: 1 to 18 digits, then up to 18 decimals, greater than zero',
    );
    expect(error).toMatchObject({ retryable: false, status: null });
  });
});

describe('lengths and characters', () => {
  it.each([
    ['createPayout', payout, 'assetCode', 1, 32, 'A'],
    ['createTransfer', transfer, 'assetCode', 1, 32, 'A'],
    ['createPayout', payout, 'destinationAddress', 3, 255, 'x'],
    ['createRefund', refund, 'destinationAddress', 3, 255, 'x'],
    ['createPayout', { ...payout, amountType: 'fiat' }, 'fiatCurrency', 1, 8, 'x'],
    ['createPayout', payout, 'destinationMemo', 1, 120, 'x'],
    ['createPayout', payout, 'note', 1, 255, 'x'],
    ['createPayout', payout, 'merchantReference', 1, 255, 'x'],
    ['createPayout', payout, 'idempotencyKey', 1, 120, 'x'],
  ] as const)('%s of %j: %s has %i to %i', (operation, body, field, least, most, character) => {
    const given = (length: number) => ({ ...body, [field]: character.repeat(length) });
    accepted(operation, given(least));
    accepted(operation, given(most - 1));
    accepted(operation, given(most));
    refused(operation, given(least - 1), `${field} is to be`);
    refused(operation, given(most + 1), `${field} is to be`);
    refused(operation, { ...body, [field]: 7 }, `${field} is to be`);
  });

  it.each([
    ['label', 120],
    ['externalRef', 120],
    ['email', 200],
    ['phoneNumber', 40],
  ])('updateAccount: %s has up to %i; an empty one clears it', (field, most) => {
    for (const length of [0, 1, most - 1, most]) accepted('updateAccount', { [field]: text(length) });
    refused('updateAccount', { [field]: text(most + 1) }, `${field} is to be a text of 0 to ${most} characters`);
    refused('updateAccount', { [field]: 7 }, `${field} is to be`);
  });

  it.each(['usdt', 'USDT TRON', 'USDT/TRON', 'ÜSDT'])('refuses %j as an asset to pay out', (assetCode) => {
    refused('createPayout', { ...payout, assetCode }, 'assetCode is to be 1 to 32 of uppercase letters');
  });

  it.each(['a b', 'a/b', 'ä', 'a\n'])('refuses %j as a key of a payout or transfer', (idempotencyKey) => {
    refused('createPayout', { ...payout, idempotencyKey }, 'idempotencyKey is to be of letters');
    refused('createTransfer', { ...transfer, idempotencyKey }, 'idempotencyKey is to be of letters');
  });

  it('takes every character that a key may have', () => {
    accepted('createPayout', { ...payout, idempotencyKey: 'aZ0_.-:' });
    accepted('createDirectPayment', { ...direct, idempotencyKey: 'any text, größer' });
  });

  it.each(['12345', '1234567', '12345a', '', 123456])('refuses %j as a TOTP code', (totpCode) => {
    for (const [operation, body] of [
      ['createPayout', payout],
      ['createRefund', refund],
      ['createTransfer', transfer],
    ] as const) {
      refused(operation, { ...body, totpCode }, 'totpCode is to be exactly 6 digits');
      accepted(operation, { ...body, totpCode: '012345' });
    }
  });

  it.each([
    ['createDirectPayment', { ...direct, requestedCurrencyType: 'fiatt' }, 'requestedCurrencyType is to be one of'],
    ['createPayout', { ...payout, feeBearer: 'nobody' }, 'feeBearer is to be one of merchant, customer'],
    ['createPayout', { ...payout, amountType: 'FIAT' }, 'amountType is to be one of crypto, fiat'],
    ['createRefund', { ...refund, feeBearer: '' }, 'feeBearer is to be one of'],
    ['updateAccount', { status: 'open' }, 'status is to be one of active, frozen, closed'],
    ['updateMerchantAsset', { isActive: 'yes' }, 'isActive is to be true or false'],
    ['createTransfer', { ...transfer, fromOperating: 1 }, 'fromOperating is to be true or false'],
    ['createDirectPayment', { ...direct, metadata: [] }, 'metadata is to be an object'],
    ['createDirectPayment', { ...direct, autoSettlement: { enable: true } }, 'autoSettlement.enable is not known'],
  ] as const)('%s of %j: %s', (operation, body, says) => refused(operation, body, says));
});
