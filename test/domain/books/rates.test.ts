import { describe, expect, it } from 'vitest';
import { chartSchema, nameIn, subWalletAccount } from '../../../src/domain/books/chart.js';
import { chooseRate, rateOfPayment } from '../../../src/domain/books/choose-rate.js';
import { beancountCommodity, hledgerCommodity } from '../../../src/domain/books/commodities.js';
import { exactValue, fiatReport, roundedValue, sumExactValues } from '../../../src/domain/books/fiat-report.js';
import { dayIn, isDay, monthAfter, periodOf, startOfDay } from '../../../src/domain/books/posting-month.js';
import { assetsNamed, readRatesFile } from '../../../src/domain/books/rates-file.js';
import type { Json } from '../../../src/domain/json.js';

const AT = Date.parse('2026-10-31T12:00:00Z');
const DAY = 86_400_000;

describe('a rate', () => {
  const known = { assetCode: 'BTC', currency: 'USD', at: AT, file: null, payment: null, service: null };
  const rate = (value: string | null, ago = 0) => ({ rate: value, at: AT - ago });
  const because = (given: Partial<Parameters<typeof chooseRate>[0]>) => chooseRate({ ...known, ...given }).reason;

  it('says where it is from and of when; of a currency in itself it is one', () => {
    const priced = { rate: '2', rateAt: AT - DAY, reason: null };
    const [two, none] = [rate('2', DAY), rate('0')];
    expect(chooseRate({ ...known, service: two })).toEqual({ ...priced, source: 'service' });
    expect(chooseRate({ ...known, payment: two, file: none })).toEqual({ ...priced, source: 'payment' });
    expect(chooseRate({ ...known, file: two, currency: 'EUR' })).toEqual({ ...priced, source: 'file' });
    const own = { ...known, assetCode: 'USD', file: two };
    expect(chooseRate(own)).toEqual({ rate: '1', source: 'payment', rateAt: AT, reason: null });
  });

  it('is none, and it is said why', () => {
    expect(because({ currency: 'EUR', service: rate('1') })).toBe('no rate of BTC in EUR was given for that day');
    expect(because({})).toBe('the service had shown no rate of BTC by then');
    expect(because({ service: rate(null) })).toBe('the service could not price BTC then');
    expect(because({ service: rate('1', DAY + 1) })).toBe('the newest rate of BTC was more than a day old');
    expect(because({ service: rate('1', DAY) })).toBeNull();
  });

  it('of a payment is cut to 18 decimals, half to even, and none where anything of it is not shown', () => {
    const fields = {
      requestedCurrencyType: 'fiat',
      currencyRequested: 'EUR',
      amountRequested: '10',
      amountCryptoExpected: '6',
      assetCode: 'BTC',
      createdAt: '2026-10-31T12:00:00Z',
    };
    const of = (about: Record<string, Json>) => rateOfPayment({ ...fields, ...about }, 'BTC', 'EUR');
    expect(of({})).toEqual({ rate: '1.666666666666666667', at: AT });
    expect(of({ amountRequested: '0.000000000000000001', amountCryptoExpected: '2' })).toBeNull();
    expect(of({ amountRequested: '0.000000000000000003', amountCryptoExpected: '2' })?.rate).toBe(
      '0.000000000000000002',
    );
    for (const about of [
      { amountRequested: '0' },
      { amountRequested: null },
      { amountCryptoExpected: '0' },
      { amountCryptoExpected: null },
      { createdAt: null },
      { requestedCurrencyType: null },
      { currencyRequested: 'USD' },
      { assetCode: 'ETH' },
    ])
      expect(of(about)).toBeNull();
  });
});

describe('a file of rates', () => {
  const settings = { today: '2026-10-31', currency: 'USD', seen: new Set(['BTC', 'ETH']) };
  const read = (...lines: string[]) => readRatesFile(['date,asset,currency,rate', ...lines].join('\n'), settings);

  it('may give a rate for today, and many of different days, assets and currencies', () => {
    const lines = ['2026-10-31,BTC,USD,1', '2026-10-30,BTC,USD,1', ' 2026-10-31 , "ETH" ,USD, 1.50 ', '   '];
    expect(read(...lines).problems).toEqual([]);
    expect(read(...lines).rates.at(-1)).toEqual({
      date: '2026-10-31',
      assetCode: 'ETH',
      currency: 'USD',
      rate: '1.5',
      line: 4,
    });
    expect(readRatesFile(' "date",asset,currency,rate\r\n2026-10-31,BTC,USD,1\r\n', settings).rates).toHaveLength(1);
  });

  it('names each line that is wrong, twenty at most', () => {
    const { problems } = read('2026-10-31,BTC,USD,1', 'x', '2026-10-31,BTC,USD,2', '2026-10-31,BTC,USD,3');
    expect(problems).toEqual([
      'line 3: 1 cells; date,asset,currency,rate are four',
      'line 4: the same day, asset and currency as line 2',
      'line 5: the same day, asset and currency as line 4',
    ]);
    expect(read(...Array.from({ length: 19 }, () => 'x')).problems).toHaveLength(19);
    const many = read(...Array.from({ length: 30 }, () => 'x'));
    expect([many.problems.length, many.problems.at(-1)?.slice(0, 8), many.rates]).toEqual([20, 'line 21:', []]);
    expect(read('', '2026-10-31,BTC,USD,-1.5').problems).toEqual(['line 3: the rate -1.5 is negative']);
    expect(read('2026-10-31,BTC,XUSDX,1').problems[0]).toContain('is no currency');
    expect(readRatesFile('', settings).problems).toEqual(['line 1: the header is date,asset,currency,rate']);
  });

  it('names each asset once, without its header', () => {
    expect(assetsNamed('2026-10-31,ADA,USD,1\n2026-10-31,BTC,USD,1\n"x","BTC"\n,ETH')).toEqual(['BTC', 'ETH']);
  });
});

describe('values', () => {
  it('are rounded once, half to even, to two decimals', () => {
    expect(
      ['0.005', '0.015', '0.0051', '-0.005', '-0.015', '-1.234'].map((value) => roundedValue(value, 'USD')),
    ).toEqual(['0.00', '0.02', '0.01', '0.00', '-0.02', '-1.23']);
    expect(['0.025', '0.035', '-0.125', '0.004', '12.345'].map((value) => roundedValue(value, 'USD'))).toEqual([
      '0.02',
      '0.04',
      '-0.12',
      '0.00',
      '12.34',
    ]);
    for (const odd of ['1e5', '', '.5', `0.${'1'.repeat(37)}`, '+1'])
      expect(() => roundedValue(odd, 'USD')).toThrow(TypeError);
  });

  it('have as many decimals as money of the currency', () => {
    const value = '1234.5678';
    expect(['USD', 'EUR', 'JPY', 'KWD'].map((currency) => roundedValue(value, currency))).toEqual([
      '1234.57',
      '1234.57',
      '1235',
      '1234.568',
    ]);
    const { accounts, total } = fiatReport([{ account: 'a', value: '0.4', unpriced: 0 }], 'JPY');
    expect([accounts, total]).toEqual([[{ account: 'a', value: '0' }], '0']);
  });

  it('are exact until then', () => {
    expect([exactValue('0.1', '0.2'), exactValue('-3', '10'), exactValue('0', '5')]).toEqual(['0.02', '-30', '0']);
    expect(() => exactValue('x', '1')).toThrow(TypeError);
    expect(() => exactValue('1', '1e5')).toThrow(TypeError);
    expect([sumExactValues(['0.5', '-0.75', '100']), sumExactValues([]), sumExactValues(['1', '-1'])]).toEqual([
      '99.75',
      '0',
      '0',
    ]);
    const least = `0.${'0'.repeat(35)}1`;
    expect(sumExactValues([least, '-1'])).toBe(`-0.${'9'.repeat(36)}`);
  });

  it('of one account are added up before they are rounded', () => {
    const report = fiatReport(
      [
        { account: 'b', value: '3', unpriced: 0 },
        { account: 'a', value: '-1.005', unpriced: 2 },
        { account: 'b', value: '0.25', unpriced: 0 },
        { account: 'c', value: null, unpriced: 3 },
        { account: 'd', value: null, unpriced: 1 },
      ],
      'USD',
    );
    const accounts = [
      { account: 'a', value: '-1.00' },
      { account: 'b', value: '3.25' },
    ];
    expect(report).toEqual({ accounts, total: '2.24', residual: '-0.01', unpriced: 6 });
  });
});

describe('days and months', () => {
  it('a day is one of the calendar', () => {
    const days = ['2026-02-28', '2028-02-29', '2026-12-31', '0999-01-01'];
    const others = ['2026-02-29', '2026-13-01', '2026-1-01', '2026-01-01T', 'x2026-01-01', '2026-00-10', ''];
    expect([...days, ...others].map(isDay)).toEqual([...days.map(() => true), ...others.map(() => false)]);
  });

  it('a month is after another, and a period goes to the first day of the next that is open', () => {
    expect(['2026-01', '2026-09', '2026-12', '0998-12', '0998-01'].map(monthAfter)).toEqual([
      '2026-02',
      '2026-10',
      '2027-01',
      '0999-01',
      '0998-02',
    ]);
    expect(periodOf('2026-12-31', new Set(['2026-12']))).toEqual({
      month: '2027-01',
      date: '2027-01-01',
      adjusts: '2026-12',
    });
  });

  it('a day begins when the clocks of its zone say so', () => {
    const start = (zone: string, day: string) => new Date(startOfDay(zone, day)).toISOString();
    expect(start('UTC', '2026-03-01')).toBe('2026-03-01T00:00:00.000Z');
    expect(start('Europe/Berlin', '2026-10-25')).toBe('2026-10-24T22:00:00.000Z');
    expect(start('Europe/Berlin', '2026-10-26')).toBe('2026-10-25T23:00:00.000Z');
    expect(start('Pacific/Kiritimati', '2026-01-01')).toBe('2025-12-31T10:00:00.000Z');
    expect(start('Pacific/Pago_Pago', '2026-01-01')).toBe('2026-01-01T11:00:00.000Z');
    expect(dayIn('UTC', Date.parse('0099-01-02T00:00:00Z'))).toBe('0099-01-02');
  });
});

describe('names that other programs read', () => {
  it('an asset is in quotes for hledger, and no two become one', () => {
    expect(['USDT.TRON', 'A B-C_1', 'a-u2', 'ü"', '-U'].map(hledgerCommodity)).toEqual([
      '"USDT.TRON"',
      '"A B-C_1"',
      '"a-u2d-u2"',
      '"-ufc--u22-"',
      '"-U"',
    ]);
  });

  it('an asset that beancount would not take keeps what fits, and a part of its hash', () => {
    const kept = ['USDT.TRON', 'BT', 'A1', `A${'B'.repeat(23)}`];
    expect(kept.map(beancountCommodity)).toEqual(kept);
    expect(
      ['B', '1INCH', 'btc', 'ü', 'A-X0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'A.'].map(beancountCommodity),
    ).toEqual([
      'B-XDF7E70E502',
      'A1INCH-X7A19D7A97F',
      'BTC-XE40605E6A2',
      'A-X607474CA47',
      'A-X012345678-X503A46B6D1',
      'ABCDEFGHIJKL-XD6EC6898DE',
      'A.-XE53657178C',
    ]);
  });

  it('a sub-wallet is called by its id as far as that can be', () => {
    const account = (id: string) => subWalletAccount('assets:sub-wallets', id).slice('assets:sub-wallets:'.length);
    expect(['acc1', 'a-b', 'acc_1', 'a-u5', 'Acc', 'a-', '', 'a\nb', '😀'].map(account)).toEqual([
      'acc1',
      'a-b',
      'acc-u5f-1',
      'a-u2d-u5',
      'w-u-Acc-w',
      'w-u-a--w',
      'w-u--w',
      'a-ua-b',
      'w-u--u1f600--w',
    ]);
  });

  it.each<[Record<string, string>, boolean]>([
    [{ 'assets:operating': 'assets:Operating' }, true],
    [{ 'assets:operating': 'assets:sub-wallets' }, false],
    [{ 'assets:sub-wallets': 'assets:In-transit' }, false],
    [{ 'assets:operating': 'assets:x', 'assets:in-transit:payouts': 'assets:x' }, false],
    [{ 'assets:operating': 'assets:X', 'assets:in-transit:payouts': 'assets:x' }, false],
    [{ 'assets:sub-wallets': 'assets:x', 'assets:operating': 'assets:x:y' }, false],
    [{ 'assets:operating': 'assets:x', 'assets:in-transit:payouts': 'assets:x:y' }, true],
    [{ 'assets:operating': 'assets:x', 'assets:in-transit:payouts': 'assets:operating' }, true],
    [{ 'assets:operating': 'assets:-x' }, false],
    [{ 'assets:operating': 'assets:x-' }, false],
    [{ 'assets:operating': 'money:x' }, false],
  ])('a chart of %j is taken: %s', (accounts, isTaken) => {
    const parsed = chartSchema.safeParse({ accounts });
    expect(parsed.success).toBe(isTaken);
    if (!isTaken) expect(parsed.error?.issues[0]?.path.slice(0, 1)).toEqual(['accounts']);
    if (parsed.data) expect(nameIn(parsed.data, 'assets:operating')).toBe(accounts['assets:operating']);
  });
});
