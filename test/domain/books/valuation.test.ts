import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRate, type Rate, rateOfPayment } from '../../../src/domain/books/choose-rate.js';
import { exactValue, fiatReport } from '../../../src/domain/books/fiat-report.js';
import { assetsNamed, readRatesFile } from '../../../src/domain/books/rates-file.js';
import { sumAmounts } from '../../../src/domain/money.js';

const AT = Date.parse('2026-10-31T12:00:00Z');
const HOUR = 3_600_000;
const known = { assetCode: 'BTC', currency: 'USD', at: AT, file: null, payment: null, service: null };
const rate = (rate: string | null, ago = 0): Rate => ({ rate, at: AT - ago });

describe('the rate of an entry', () => {
  it('is that of finance before the payment’s own, and that before the service’s', () => {
    const all = { ...known, file: rate('3'), payment: rate('2'), service: rate('1') };
    expect(chooseRate(all)).toMatchObject({ rate: '3', source: 'file' });
    expect(chooseRate({ ...all, file: null })).toMatchObject({ rate: '2', source: 'payment' });
    expect(chooseRate({ ...all, file: null, payment: null })).toMatchObject({
      rate: '1',
      source: 'service',
      rateAt: AT,
    });
  });

  it.each([
    [{}, 'had shown no rate'],
    [{ service: rate(null) }, 'could not price'],
    [{ service: rate('0') }, 'could not price'],
    [{ service: rate('1', 25 * HOUR) }, 'more than a day old'],
    [{ service: rate('1'), currency: 'EUR' }, 'in EUR'],
    [{ assetCode: 'USDT.TRON' }, 'had shown no rate'],
  ])('is not guessed: %j', (about, reason) => {
    expect(chooseRate({ ...known, ...about })).toEqual({
      rate: null,
      source: null,
      rateAt: null,
      reason: expect.stringContaining(reason),
    });
  });

  it('of a payment is what it was asked for by what it came to, in its own currency and asset alone', () => {
    const fields = {
      requestedCurrencyType: 'fiat',
      currencyRequested: 'EUR',
      amountRequested: '10',
      amountCryptoExpected: '3',
      assetCode: 'BTC',
      createdAt: '2026-10-31T12:00:00Z',
    };
    expect(rateOfPayment(fields, 'BTC', 'EUR')).toEqual({ rate: '3.333333333333333333', at: AT });
    expect(rateOfPayment(fields, 'BTC', 'USD')).toBeNull();
    expect(rateOfPayment(fields, 'ETH', 'EUR')).toBeNull();
    for (const wrong of [
      { amountCryptoExpected: '0' },
      { amountCryptoExpected: null },
      { requestedCurrencyType: 'crypto' },
    ])
      expect(rateOfPayment({ ...fields, ...wrong }, 'BTC', 'EUR')).toBeNull();
  });
});

describe('a file of rates', () => {
  const read = (...lines: string[]) => readRatesFile(lines.join('\n'), settings);
  const settings = { today: '2026-10-31', currency: 'USD', seen: new Set(['BTC', 'ETH', 'USDT.TRON']) };
  const HEADER = 'date,asset,currency,rate';

  it('is read whole, as spreadsheets write it', () => {
    expect(
      read(`\uFEFF${HEADER}`, '2026-10-31,BTC,USD,065000.50\r', '"2026-10-30","USDT.TRON",USD,0.92', '').rates,
    ).toEqual([
      { date: '2026-10-31', assetCode: 'BTC', currency: 'USD', rate: '65000.5', line: 2 },
      { date: '2026-10-30', assetCode: 'USDT.TRON', currency: 'USD', rate: '0.92', line: 3 },
    ]);
  });

  it.each([
    ['2026-10-31,BTC,USD,0', 'line 3: the rate is zero'],
    ['2026-10-31,BTC,USD,0.000', 'line 3: the rate is zero'],
    ['2026-10-31,BTC,USD,-1', 'line 3: the rate -1 is negative'],
    ['2026-11-01,BTC,USD,1', 'line 3: 2026-11-01 is in the future'],
    ['2026-02-30,BTC,USD,1', 'line 3: "2026-02-30" is no day'],
    ['31.10.2026,BTC,USD,1', 'line 3: "31.10.2026" is no day'],
    ['2026-10-31,btc,USD,1', 'line 3: "btc" is no asset'],
    ['2026-10-31,BTC,dollars,1', 'line 3: "dollars" is no currency'],
    ['2026-10-31,BTC,USD,1e5', 'line 3: "1e5" is no decimal number'],
    ['2026-10-31,BTC,USD,"1', 'line 3: ""1" is no decimal number'],
    ['2026-10-31,BTC,USD,1,5', 'line 3: 5 cells'],
    ['2026-10-31,USTD.TRC20,USD,1', 'line 3: USTD.TRC20 was never seen here'],
    ['2026-10-31,BTC,GBP,1', 'line 3: GBP is not the currency of the books: REPORTING_CURRENCY is USD'],
    ['2026-10-01,ETH,USD,2', 'line 3: the same day, asset and currency as line 2'],
  ])('with %s is refused whole, naming the line', (line, problem) => {
    const { rates, problems } = read(HEADER, '2026-10-01,ETH,USD,1', line);
    expect(rates).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it('names assets, which are searched for before it is read', () => {
    const text = [HEADER, '2026-10-31,BTC,USD,1', '', 'no line', '2026-10-30,"BTC",USD,1', '2026-10-30,ET H,USD,1'];
    expect(assetsNamed(text.join('\n'))).toEqual(['BTC']);
  });

  it('without its header, or without a rate, is none', () => {
    expect(read('asset,date,currency,rate').problems).toEqual(['line 1: the header is date,asset,currency,rate']);
    expect(read(HEADER).problems).toEqual(['line 2: there is no rate']);
  });
});

describe('a report in fiat', () => {
  const valued = ({ account, amount, rate }: { account: string; amount: string; rate: string | null }) => ({
    account,
    value: rate === null ? null : exactValue(amount, rate),
    unpriced: rate === null ? 1 : 0,
  });

  it('rounds once, half to even, and shows what that leaves over as a line of its own', () => {
    const lines = ['a', 'b', 'c'].map((account) => ({ account, amount: '0.005', rate: '1' }));
    const others = [
      { account: 'd', amount: '-0.015', rate: '1' },
      { account: 'e', amount: '9', rate: null },
    ];
    const report = fiatReport([...lines, ...others].map(valued), 'USD');
    expect(report).toEqual({
      accounts: [
        { account: 'a', value: '0.00' },
        { account: 'b', value: '0.00' },
        { account: 'c', value: '0.00' },
        { account: 'd', value: '-0.02' },
      ],
      residual: '0.02',
      total: '0.00',
      unpriced: 1,
    });
  });

  it('loses nothing: rows and residual are the total', () => {
    const amount = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map((units) => {
      const text = (units < 0n ? -units : units).toString().padStart(19, '0');
      return `${units < 0n ? '-' : ''}${text.slice(0, -18)}.${text.slice(-18)}`;
    });
    const line = fc.record({
      account: fc.constantFrom('a', 'b', 'c'),
      amount,
      rate: fc.constantFrom('0.333333333333333333', '65000.5'),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const { accounts, residual, total } = fiatReport(lines.map(valued), 'USD');
        expect(Number(sumAmounts([...accounts.map(({ value }) => value), residual]))).toBe(Number(total));
        expect(Math.abs(Number(residual))).toBeLessThan(0.02);
      }),
    );
    expect(exactValue('-0.000000000000000001', '0.000000000000000001')).toBe(`-0.${'0'.repeat(35)}1`);
    expect(exactValue('100', '2')).toBe('200');
  });
});
