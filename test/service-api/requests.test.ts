import * as fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../src/service-api/check-request.js';
import { accepted, type Body, direct, invoice, item, payout, refused, transfer } from './request-bodies.js';

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

  it('items are not added up where an amount or quantity among them is wrong: that is said instead', () => {
    const meta = (items: unknown[], amount = '30.3') => ({ ...invoice, amount, meta: { items } });
    refused('createInvoice', meta([item], 'abc'), 'amount is to be a decimal string');
    refused('createInvoice', meta([{ ...item, unitPrice: 'abc' }]), 'meta.items[0].unitPrice is to be');
    refused('createInvoice', meta([{ ...item, unitPrice: '0' }]), 'meta.items[0].unitPrice is to be');
    for (const quantity of ['3e0', '3.0', '-3', '9007199254740993'].map((digits) => new LosslessNumber(digits)))
      refused('createInvoice', meta([{ ...item, quantity }]), 'meta.items[0].quantity is to be a whole number');
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

  it.each([
    'tomorrow',
    '31.10.2026',
    '2026-13-01',
    '2026-02-30',
    '2026-02-29T10:00:00Z',
    '2026-04-31T10:00:00+02:00',
    '2026-10-31T24:30:00Z',
    1_700_000_000,
  ])('refuses %j as a time', (expiresAt) => {
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

  it('is checked as it will be written: what only looks like a field is missing', () => {
    const { amount, ...own } = payout;
    const inherited = Object.assign(Object.create({ amount }) as Body, own);
    refused('createPayout', inherited, 'amount is missing');
    const metadata = { toJSON: () => ['a list'] };
    refused('createDirectPayment', { ...direct, metadata }, 'metadata is to be an object');
    refused('createDirectPayment', { ...direct, customer: { toJSON: () => 'Ann' } }, 'customer is to be an object');
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
