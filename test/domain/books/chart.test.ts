import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accounts,
  beancountName,
  chartSchema,
  defaultChart,
  isEarned,
  nameIn,
  numberIn,
  rootChange,
  subWalletAccount,
} from '../../../src/domain/books/chart.js';
import { momentInHistory } from '../../../src/domain/books/payment-dating.js';
import { dayIn, fiscalYearStart, periodOf } from '../../../src/domain/books/posting-month.js';
import { momentOf } from '../../../src/domain/service-time.js';
import { anyCharacter } from '../../support/any-character.js';

describe('the account of a sub-wallet', () => {
  const id = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.stringMatching(/^[-u2dw_aA]{1,8}$/));

  it('is one that hledger and beancount can carry, whatever its id', () => {
    fc.assert(
      fc.property(id, (given) => {
        const account = subWalletAccount(accounts.subWallets, given);
        expect(account).toMatch(/^assets:sub-wallets:[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/);
        expect(beancountName(account)).toMatch(/^Assets(:[A-Z0-9][A-Za-z0-9-]*)+$/);
      }),
    );
  });

  it('is no other’s', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        fc.pre(a !== b);
        const [one, other] = [a, b].map((given) => subWalletAccount(accounts.customers, given));
        expect(one).not.toBe(other);
        expect(beancountName(one ?? '')).not.toBe(beancountName(other ?? ''));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a chart of the merchant’s own', () => {
  it('names what it names, sub-wallets below theirs, and leaves the rest', () => {
    const chart = chartSchema.parse({
      accounts: { 'assets:operating': 'assets:crypto:Operating', 'assets:sub-wallets': 'assets:custody' },
    });
    expect(nameIn(chart, 'assets:operating')).toBe('assets:crypto:Operating');
    expect(nameIn(chart, 'assets:sub-wallets:acc1')).toBe('assets:custody:acc1');
    expect(nameIn(chart, 'income:payments')).toBe('income:payments');
    for (const account of [...Object.values(accounts), 'assets:sub-wallets:acc1'])
      expect(nameIn(defaultChart, account)).toBe(account);
  });

  it('may put an account under another root, and says what that changes', () => {
    const chart = chartSchema.parse({
      accounts: {
        'equity:withdrawals': 'assets:clearing:withdrawals',
        'income:refunds': 'expenses:refunds',
        'equity:deposits': 'income:deposits',
      },
    });
    expect(Object.values(accounts).flatMap((account) => rootChange(chart, account) ?? [])).toEqual([
      'income to expenses: on the same statement',
      'equity to income: from the balance sheet to the income statement',
      'equity to assets: on the same statement',
    ]);
    expect(['equity:deposits', 'income:refunds', 'equity:withdrawals'].map((one) => isEarned(chart, one))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('has for DATEV a number for each account, all of one length', () => {
    const datev = { consultant: 1001, client: 1, other: '1590', accounts: { 'assets:sub-wallets': '1371' } };
    const chart = chartSchema.parse({ datev });
    expect(['assets:sub-wallets:acc1', 'income:payments'].map((one) => numberIn(chart.datev!, one))).toEqual([
      '1371',
      '1590',
    ]);
    for (const wrong of [
      { ...datev, accounts: { 'income:payments': '84000' } },
      { ...datev, other: '0590' },
      { ...datev, consultant: 1 },
    ])
      expect(chartSchema.safeParse({ datev: wrong }).success).toBe(false);
  });

  it.each([
    [{ 'assets:operating': 'assets:held:disputes' }, 'no other account'],
    [{ 'assets:sub-wallets': 'assets' }, 'an account such as'],
    [{ 'assets:operating': 'assets:a b' }, 'an account such as'],
    [{ 'assets:unheard-of': 'assets:a' }, 'Unrecognized key'],
  ])('is refused where two accounts would be one, or a name is none: %j', (given, problem) => {
    const parsed = chartSchema.safeParse({ accounts: given });
    expect(parsed.error?.issues.map(({ message }) => message).join()).toContain(problem);
  });
});

describe('when an entry is', () => {
  it('is a day of the books’ zone, at the end of a month and when clocks change too', () => {
    expect(dayIn('UTC', Date.parse('2026-10-31T23:59:59.999Z'))).toBe('2026-10-31');
    expect(dayIn('Asia/Tokyo', Date.parse('2026-10-31T15:00:00Z'))).toBe('2026-11-01');
    expect(dayIn('America/New_York', Date.parse('2026-11-01T03:59:59Z'))).toBe('2026-10-31');
    expect(dayIn('America/New_York', Date.parse('2026-11-01T04:00:00Z'))).toBe('2026-11-01');
    expect(dayIn('Europe/Berlin', Date.parse('2026-10-24T22:00:00Z'))).toBe('2026-10-25');
    expect(dayIn('Europe/Berlin', Date.parse('2026-10-25T22:59:59Z'))).toBe('2026-10-25');
  });

  it('is in a fiscal year that begins after its last month', () => {
    expect(fiscalYearStart('2026-10', 12)).toBe('2026-01');
    expect(fiscalYearStart('2026-12', 12)).toBe('2026-01');
    expect([fiscalYearStart('2026-03', 3), fiscalYearStart('2026-04', 3)]).toEqual(['2025-04', '2026-04']);
    const months = fc.tuple(fc.integer({ min: 1, max: 9998 }), fc.integer({ min: 1, max: 12 }));
    fc.assert(
      fc.property(months, fc.integer({ min: 1, max: 12 }), ([year, number], end) => {
        const month = `${String(year).padStart(4, '0')}-${String(number).padStart(2, '0')}`;
        const start = fiscalYearStart(month, end);
        expect(start <= month).toBe(true);
        expect(Number(start.slice(5))).toBe((end % 12) + 1);
        expect(fiscalYearStart(start, end)).toBe(start);
        const behind = year * 12 + number - (Number(start.slice(0, 4)) * 12 + Number(start.slice(5)));
        expect(behind).toBeLessThan(12);
      }),
    );
  });

  it('goes into the next month that is open', () => {
    expect(periodOf('2026-11-30', new Set(['2026-10']))).toEqual({
      month: '2026-11',
      date: '2026-11-30',
      adjusts: null,
    });
    expect(periodOf('2026-11-30', new Set(['2026-11', '2026-12']))).toEqual({
      month: '2027-01',
      date: '2027-01-01',
      adjusts: '2026-11',
    });
  });

  it('is read out of a history whatever its entries are called, and not guessed where it can’t be', () => {
    const history = (...statusHistory: object[]) => ({ statusHistory: statusHistory as never });
    const at = '2026-10-31T10:00:00Z';
    expect(
      momentInHistory(history({ status: 'pending', at: '2026-10-01' }, { status: 'confirmed', at }), ['confirmed']),
    ).toBe(Date.parse(at));
    expect(momentInHistory(history({ from: 'pending', to: 'confirmed', timestamp: at }), ['confirmed'])).toBe(
      Date.parse(at),
    );
    expect(
      momentInHistory(history({ status: 'confirmed', at: 'yesterday' }, { status: 'confirmed' }), ['confirmed']),
    ).toBeNull();
    expect(momentInHistory({ statusHistory: 'confirmed' }, ['confirmed'])).toBeNull();
    expect(momentOf('2026-10-31T10:00:00')).toBe(Date.parse(at));
    expect(momentOf('31/10/2026')).toBeNull();
    expect(['0001-01-01T00:00:00+01:00', '9999-12-31T23:59-14:00', '9999-12-31T23:59:59Z'].map(momentOf)).toEqual([
      null,
      null,
      null,
    ]);
    expect(momentOf('9999-12-30')).toBe(Date.parse('9999-12-30'));
  });
});
