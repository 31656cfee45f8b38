import * as fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../src/service-api/check-request.js';
import { InvalidRequestError } from '../../src/service-api/service-errors.js';
import { rejection, testClient } from './test-client.js';

type Body = Record<string, unknown>;

const direct: Body = { requestedCoin: 'USDT.TRON', amount: '10.5', customer: { email: 'ann@example.com' } };
const invoice: Body = { customerEmail: 'ann@example.com', customerName: 'Ann', amount: '30.3', currency: 'EUR' };
const payout: Body = { assetCode: 'USDT.TRON', amount: '1', destinationAddress: 'TAbc' };
const refund: Body = { paymentIntentId: 'pi_1' };
const transfer: Body = { assetCode: 'BTC', amount: '1', toOperating: true };
const item = { name: 'Tea', quantity: 3, unitPrice: '10.1' };

const text = (length: number) => 'x'.repeat(length);
const accepted = (operation: Parameters<typeof checkRequest>[0], body: unknown) =>
  expect(JSON.parse(checkRequest(operation, body) ?? '')).toEqual(JSON.parse(JSON.stringify(body)));
const refused = (operation: Parameters<typeof checkRequest>[0], body: unknown, says: string) => {
  const attempt = () => checkRequest(operation, body);
  expect(attempt).toThrow(InvalidRequestError);
  expect(attempt).toThrow(`${operation}: ${says}`);
};

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
    nock.disableNetConnect();
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
    ['updateAccount', {}, 'label', 1, 120, 'x'],
    ['updateAccount', {}, 'externalRef', 1, 120, 'x'],
    ['updateAccount', {}, 'email', 1, 200, 'x'],
    ['updateAccount', {}, 'phoneNumber', 1, 40, 'x'],
  ] as const)('%s of %j: %s has %i to %i', (operation, body, field, least, most, character) => {
    const given = (length: number) => ({ ...body, [field]: character.repeat(length) });
    accepted(operation, given(least));
    accepted(operation, given(most - 1));
    accepted(operation, given(most));
    refused(operation, given(least - 1), `${field} is to be`);
    refused(operation, given(most + 1), `${field} is to be`);
    refused(operation, { ...body, [field]: 7 }, `${field} is to be`);
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

describe('what goes together', () => {
  it('a fiat amount names its currency', () => {
    const fiat = { ...direct, requestedCurrencyType: 'fiat' };
    for (const currencyRequested of [undefined, '', 'EU', 'EURO', 'eur']) {
      refused(
        'createDirectPayment',
        { ...fiat, currencyRequested },
        'currencyRequested is to be a currency of ISO 4217',
      );
    }
    accepted('createDirectPayment', { ...fiat, currencyRequested: 'EUR' });
    accepted('createDirectPayment', { ...direct, currencyRequested: 'whatever, it is ignored' });
    refused('createPayout', { ...payout, amountType: 'fiat' }, 'fiatCurrency is required where amountType is fiat');
    accepted('createPayout', { ...payout, amountType: 'crypto', fiatCurrency: 'EUR' });
  });

  it('a direct payment has a customer', () => {
    const { customer: _, ...without } = direct;
    refused('createDirectPayment', without, 'customer is missing');
    for (const customer of [null, 'Ann', []]) {
      refused('createDirectPayment', { ...direct, customer }, 'customer is to be an object');
    }
    accepted('createDirectPayment', { ...direct, customer: {} });
    accepted('createDirectPayment', { ...direct, customer: { country: 'SN' } });
  });

  it('a transfer has one destination, unless it comes from the operating balance', () => {
    const { toOperating: _, ...none } = transfer;
    const modes = [{ toWalletAccountId: 'acc_2' }, { toEmail: 'bob@example.com' }, { toOperating: true }];
    refused('createTransfer', none, 'destination is to be exactly one of toWalletAccountId, toEmail and toOperating');
    refused('createTransfer', { ...none, toOperating: false }, 'destination is to be exactly one of');
    for (const mode of modes) {
      accepted('createTransfer', { ...none, ...mode });
      accepted('createTransfer', { ...none, ...mode, fromOperating: true });
      accepted('createTransfer', { ...none, ...mode, fromOperating: false });
      for (const other of modes.filter((one) => one !== mode)) {
        refused('createTransfer', { ...none, ...mode, ...other }, 'destination is to be exactly one of');
      }
    }
    accepted('createTransfer', { ...none, fromOperating: true });
  });

  it('the items of an invoice add up to its amount exactly', () => {
    const meta = (...items: unknown[]) => ({ ...invoice, meta: { items, notes: 'n' } });
    accepted('createInvoice', meta(item));
    expect(checkRequest('createInvoice', meta({ ...item, quantity: new LosslessNumber('3') }))).toContain(
      'quantity":3',
    );
    accepted('createInvoice', { ...invoice, meta: { notes: '' } });
    refused('createInvoice', { ...meta(item), amount: '30.300000000000000001' }, 'meta.items add up to 30.3');
    refused('createInvoice', meta(item, item), 'meta.items add up to 60.6, and are to add up to amount exactly');
    refused('createInvoice', meta(), 'meta.items add up to 0');
    refused('createInvoice', meta({ ...item, quantity: 1.5 }), 'meta.items[0].quantity is to be a whole number');
    refused('createInvoice', meta({ ...item, quantity: -3 }), 'meta.items[0].quantity is to be a whole number');
    refused('createInvoice', meta({ ...item, unitPrice: 10.1 }), 'meta.items[0].unitPrice is to be a decimal string');
    const tiny = { name: 'Tiny', quantity: 3, unitPrice: '0.000000000000000001' };
    accepted('createInvoice', { ...meta(tiny), amount: '0.000000000000000003' });
  });

  it('adds up without a rounding of its own, whatever the numbers', () => {
    const unit = fc.bigInt({ min: 1n, max: 10n ** 24n });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 999 })), { minLength: 1, maxLength: 8 }),
        (lines) => {
          const decimal = (units: bigint) => `${units / 10n ** 18n}.${String(units % 10n ** 18n).padStart(18, '0')}`;
          const items = lines.map(([units, quantity]) => ({ name: 'x', quantity, unitPrice: decimal(units) }));
          const sum = lines.reduce((total, [units, quantity]) => total + units * BigInt(quantity), 0n);
          checkRequest('createInvoice', { ...invoice, amount: decimal(sum), meta: { items } });
          refused('createInvoice', { ...invoice, amount: decimal(sum + 1n), meta: { items } }, 'meta.items add up to');
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(['2026-10-31', '2026-10-31T12:00:00Z', '2026-10-31T12:00:00.5+02:00'])('takes %s for a time', (expiresAt) => {
    accepted('createInvoice', { ...invoice, expiresAt });
  });

  it.each(['tomorrow', '31.10.2026', '2026-13-01', 1_700_000_000])('refuses %j as a time', (expiresAt) => {
    refused('createInvoice', { ...invoice, expiresAt }, 'expiresAt is to be a time of ISO 8601');
  });
});

describe('a body', () => {
  it.each(['requestedCoin', 'amount', 'customer'])('of a direct payment needs %s', (field) => {
    const { [field]: _, ...rest } = direct;
    refused('createDirectPayment', rest, field);
  });

  it('with a word that the specification does not know is refused, since it would do nothing', () => {
    refused(
      'createPayout',
      { ...payout, feebearer: 'customer' },
      'feebearer is not known; known are assetCode, amount',
    );
    refused('createPayout', JSON.parse('{"__proto__": {"amount": "1"}}'), '');
  });

  it.each([undefined, null, 'text', 7, []])('of %j is refused', (body) => {
    refused('createPayout', body, 'body is to be an object');
  });

  it('that can’t be written is refused', () => {
    const circle: Body = {};
    circle['self'] = circle;
    refused('createDirectPayment', { ...direct, metadata: circle }, 'body can’t be written as JSON');
  });

  it('is sent as it was given: nothing is added, what is undefined is left out, digits stay', () => {
    const body = { ...direct, merchantReference: undefined, metadata: { n: new LosslessNumber('1.10'), m: 2 } };
    expect(checkRequest('createDirectPayment', body)).toBe(
      '{"requestedCoin":"USDT.TRON","amount":"10.5","customer":{"email":"ann@example.com"},"metadata":{"n":1.10,"m":2}}',
    );
  });

  it('goes with no operation that has none', () => {
    refused('closeAccount', {}, 'body is not known; the operation has none');
    expect(checkRequest('archiveAccount', undefined)).toBeUndefined();
  });
});
