import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import {
  AmountError,
  addAmounts,
  compareAmounts,
  divideAmounts,
  isAmount,
  isSignedAmount,
  isTotal,
  multiplyAmounts,
  normalizeAmount,
  type Rounding,
  shareOf,
  subtractAmounts,
  sumAmounts,
} from '../../src/domain/money.js';
import { sized } from '../support/sizes.js';

const Reference = Decimal.clone({ precision: 400, toExpNeg: -9e15, toExpPos: 9e15, rounding: Decimal.ROUND_DOWN });

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
const amount = fc
  .tuple(digits(18), fc.option(digits(18), { nil: undefined }))
  .map(([whole, fraction]) => (fraction === undefined ? whole : `${whole}.${fraction}`));
const signed = fc.tuple(fc.constantFrom('', '-'), amount).map(([sign, text]) => `${sign}${text}`);

describe('amounts', () => {
  it.each(['0', '1', '007', '0.000000000000000001', '999999999999999999.999999999999999999'])('%s is one', (text) => {
    expect(isAmount(text)).toBe(true);
    expect(isSignedAmount(`-${text}`)).toBe(true);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '+1',
    '-1',
    '1e3',
    '1E-18',
    '0x10',
    '1_000',
    '1,000',
    'NaN',
    'Infinity',
    '١',
    '1\n',
    '1234567890123456789',
    '0.1234567890123456789',
    1,
    1n,
    null,
    undefined,
    ['1'],
    parse('1'),
  ])('%o is none', (given) => {
    expect(isAmount(given)).toBe(false);
    if (given === '-1' || typeof given !== 'string') return;
    for (const text of [given, `-${given}`]) expect(isSignedAmount(text)).toBe(false);
  });

  it.each([1, -1n, null, undefined, ['1'], parse('1')])('%o is no text', (given) => {
    expect([isAmount(given), isSignedAmount(given), isTotal(given)]).toEqual([false, false, false]);
  });

  it('a total may have 60 digits before the point, and a sign', () => {
    const most = `${'9'.repeat(60)}.${'9'.repeat(18)}`;
    for (const text of [most, `-${most}`, '0', '-0.5']) expect([text, isTotal(text)]).toEqual([text, true]);
    for (const text of [`9${most}`, `${most}9`, '', '-', '+1', '1.', '--1'])
      expect([text, isTotal(text)]).toEqual([text, false]);
  });

  it.each([
    ['100.50', '100.5'],
    ['007', '7'],
    ['0.000', '0'],
    ['-0.0', '0'],
    ['-1.10', '-1.1'],
    ['0.000000000000000001', '0.000000000000000001'],
  ])('%s is written %s', (given, written) => {
    expect(normalizeAmount(given)).toBe(written);
  });
});

describe('arithmetic', () => {
  it('keeps the last of 36 digits, where decimal.js by default keeps 20', () => {
    expect(addAmounts('1000', '0.000000000000000001')).toBe('1000.000000000000000001');
    expect(subtractAmounts('1000', '0.000000000000000001')).toBe('999.999999999999999999');
    expect(compareAmounts('10', '9')).toBe(1);
    expect(compareAmounts('1.0', '1')).toBe(0);
  });

  it('sums beyond the 18 integer digits of an amount, and takes such a sum again', () => {
    const most = '999999999999999999.999999999999999999';
    const sum = sumAmounts(Array.from({ length: 1_001 }, () => most));
    expect(sum).toBe('1000999999999999999999.999999999999998999');
    expect(subtractAmounts(sum, sum)).toBe('0');
    expect(compareAmounts(sum, addAmounts(sum, '0.000000000000000001'))).toBe(-1);
    expect(sumAmounts([])).toBe('0');
  });

  it('agrees with exact arithmetic on any two amounts', () => {
    fc.assert(
      fc.property(signed, signed, (a, b) => {
        expect(addAmounts(a, b)).toBe(new Reference(a).plus(b).plus(0).toFixed());
        expect(subtractAmounts(a, b)).toBe(normalizeAmount(new Reference(a).minus(b).toFixed()));
        expect(compareAmounts(a, b)).toBe(new Reference(a).comparedTo(b));
        expect(addAmounts(subtractAmounts(a, b), b)).toBe(normalizeAmount(a));
      }),
      { numRuns: sized(400, 20_000) },
    );
  });

  it('rounds products and quotients once, the way it is asked', () => {
    const modes: Rounding[] = ['down', 'half_even'];
    const [half, least] = ['0.5', '0.000000000000000001'];
    expect(modes.map((mode) => multiplyAmounts(half, least, mode))).toEqual(['0', '0']);
    expect(modes.map((mode) => multiplyAmounts('1.5', least, mode))).toEqual([least, `${least.slice(0, -1)}2`]);
    expect(modes.map((mode) => divideAmounts(`-${least}`, '1.6', mode))).toEqual(['0', `-${least}`]);
    expect(divideAmounts('1', '3', 'down')).toBe('0.333333333333333333');
    const most = '999999999999999999.999999999999999999';
    expect(multiplyAmounts(most, most, 'down')).toBe('999999999999999999999999999999999998');
  });

  it('agrees with exact multiplication and division', () => {
    fc.assert(
      fc.property(signed, signed, (a, b) => {
        const product = new Reference(a).times(b).toFixed(18, Decimal.ROUND_HALF_EVEN);
        expect(multiplyAmounts(a, b, 'half_even')).toBe(normalizeAmount(product));
        fc.pre(!new Reference(b).isZero());
        const quotient = new Reference(a).dividedBy(b).toFixed(18, Decimal.ROUND_DOWN);
        expect(divideAmounts(a, b, 'down')).toBe(normalizeAmount(quotient));
        const share = new Reference(a).times(a).dividedBy(b).toFixed(18, Decimal.ROUND_DOWN);
        expect([shareOf(a, a, b), shareOf(a, b, b)]).toEqual([normalizeAmount(share), normalizeAmount(a)]);
      }),
      { numRuns: sized(200, 10_000) },
    );
  });

  it.each(['1e3', 'NaN', '', '0x10', '1_000', '--1', '0.1234567890123456789'])('refuses %j and names it', (given) => {
    expect(() => addAmounts('1', given)).toThrow(AmountError);
    const said = { name: 'AmountError', message: `Not an amount: ${JSON.stringify(given)}` };
    expect(() => compareAmounts(given, '1')).toThrow(expect.objectContaining(said));
    expect(() => multiplyAmounts(given, '1', 'down')).toThrow(JSON.stringify(given));
  });

  it('refuses what is not a string, whatever the caller believes', () => {
    expect(() => addAmounts(1 as unknown as string, '1')).toThrow('number 1');
    expect(() => normalizeAmount(parse('12.5') as string)).toThrow('12.5');
  });

  it('refuses division by zero, and factors too long to be exact', () => {
    expect(() => divideAmounts('1', '0.00', 'down')).toThrow('"1" by zero');
    expect(() => shareOf('2', '1', '0.00')).toThrow('"1" by zero');
    expect(() => multiplyAmounts('1'.repeat(31), '1', 'down')).toThrow(AmountError);
    expect(() => multiplyAmounts('1', '1'.repeat(31), 'down')).toThrow(AmountError);
    expect(() => divideAmounts('1'.repeat(61), '1', 'down')).toThrow(AmountError);
    expect(() => divideAmounts('1', '1'.repeat(61), 'down')).toThrow(AmountError);
  });

  it('is exact up to the longest factors and dividends', () => {
    const factor = `${'9'.repeat(30)}.${'9'.repeat(18)}`;
    const square = new Reference(factor).times(factor).toFixed(18, Decimal.ROUND_DOWN);
    expect(multiplyAmounts(factor, factor, 'down')).toBe(normalizeAmount(square));
    const dividend = `${'7'.repeat(60)}.${'7'.repeat(18)}`;
    const quotient = new Reference(dividend).dividedBy('3').toFixed(18, Decimal.ROUND_DOWN);
    expect(divideAmounts(dividend, '3', 'down')).toBe(normalizeAmount(quotient));
  });

  it('repeats at most 100 characters of what is no amount', () => {
    expect(() => normalizeAmount('x'.repeat(98))).toThrow(new AmountError(`Not an amount: "${'x'.repeat(98)}"`));
    expect(() => normalizeAmount('x'.repeat(99))).toThrow(`: "${'x'.repeat(99)}…`);
  });
});
