import { describe, expect, it } from 'vitest';
import { type BalanceSums, judgeBalance } from '../../src/domain/balances/balance-proof.js';
import {
  holdResidual,
  type ShownDebit,
  tellPayouts,
  type WithdrawalInDoubt,
} from '../../src/domain/balances/untold-payouts.js';

const payout = (id: string, more: Partial<WithdrawalInDoubt> = {}): WithdrawalInDoubt => {
  return { id, account: null, debit: '-9', createdAt: 1_000_000, when: 'under_way', ...more };
};
const debit = (more: Partial<ShownDebit> = {}): ShownDebit => {
  return { account: 'wa', delta: '-9', createdAt: 1_000_000, stood: false, names: [], ...more };
};

describe('payouts that a sub-wallet’s feed may debit before they are confirmed', () => {
  it('are told by a movement that names them: what is under way counts already, what was at the opening no more', () => {
    expect(tellPayouts([payout('a')], [debit({ names: ['a'] })])).toMatchObject({
      correction: '-9',
      underWay: { ids: [] },
    });
    const opened = payout('a', { when: 'at_opening' });
    const told = tellPayouts([opened], [debit({ names: ['a'], stood: true })]);
    expect(told).toMatchObject({ correction: '9', atOpening: { ids: [], most: '0' } });
    // Debited since, or before and still under way: both sides count it alike.
    expect(tellPayouts([opened], [debit({ names: ['a'] })]).correction).toBe('0');
    expect(tellPayouts([payout('a')], [debit({ names: ['a'], stood: true })]).correction).toBe('0');
  });

  it('are told by sub-wallet, amount and time where it is known whose they are, and by an amount alone never', () => {
    expect(tellPayouts([payout('a', { account: 'wa' })], [debit()]).correction).toBe('-9');
    expect(tellPayouts([payout('a', { account: 'other' })], [debit()])).toMatchObject({
      correction: '0',
      underWay: { ids: ['a'], most: '9' },
    });
    expect(tellPayouts([payout('a')], [debit()])).toMatchObject({
      correction: '0',
      underWay: { ids: ['a'], most: '9' },
      likely: '9',
    });
    expect(tellPayouts([payout('a')], [debit({ createdAt: 1_600_001 })]).likely).toBe('0');
  });

  it('each movement tells of one', () => {
    const told = tellPayouts([payout('a'), payout('b')], [debit({ names: ['b'] })]);
    expect(told).toMatchObject({ correction: '-9', underWay: { ids: ['a'], most: '9' }, likely: '0' });
  });
});

describe('what is left over while they are under way', () => {
  const untold = (ids: string[], most: string | null = '20', likely = '0') => {
    return { correction: '0', underWay: { ids, most }, atOpening: { ids: [], most: '0' }, likely };
  };

  it('is held while it could be theirs: less than nothing, and no more than all of them', () => {
    expect(holdResidual('-8', untold(['a']), null)).toEqual({ unexplained: '-8', payouts: ['a'] });
    expect(holdResidual('-20.1', untold(['a']), null)).toBeNull();
    expect(holdResidual('-20.1', untold(['a'], null), null)).not.toBeNull();
    expect(holdResidual('8', untold(['a']), null)).toBeNull();
    expect(holdResidual('0', untold(['a']), null)).toBeNull();
    expect(holdResidual('-8', untold([]), null)).toBeNull();
  });

  it('is judged when all have ended that it was held for, whatever is under way then', () => {
    const first = holdResidual('-8', untold(['a', 'b']), null);
    expect(holdResidual('-8', untold(['b', 'c']), first)).toEqual(first);
    expect(holdResidual('-8.0', untold(['c', 'd']), first)).toBeNull();
    expect(holdResidual('-7', untold(['c']), first)).toEqual({ unexplained: '-7', payouts: ['c'] });
    // Just what sub-wallets show debits of is theirs.
    expect(holdResidual('-8', untold(['c'], '20', '8'), first)).toEqual({ unexplained: '-8', payouts: ['c'] });
  });
});

describe('payouts that were under way when the books were opened', () => {
  const sums = (before: BalanceSums['before']): BalanceSums => {
    return { explained: '-9', known: '0', attributed: '0', limit: '0', unclear: null, ...(before ? { before } : {}) };
  };
  const before = { most: '9', why: 'may be payouts' };

  it('may be what is more than explained, up to what they came to: unproven, to be attributed, and no break', () => {
    expect(judgeBalance('100', '100', sums(before))).toMatchObject({
      unexplained: '0',
      unknownAmount: '9',
      unobservable: '9',
    });
    expect(judgeBalance('100', '100', sums(before)).unproven).toBe('9 may be payouts: attribute it');
    expect(judgeBalance('100', '100', { ...sums(before), attributed: '9' })).toMatchObject({
      unproven: null,
      unexplained: '0',
    });
  });

  it('are not what is less, or more than they came to', () => {
    expect(judgeBalance('100', '91', sums(before))).toMatchObject({ unexplained: '0', unproven: null });
    expect(judgeBalance('100', '90', sums(before))).toMatchObject({ unexplained: '-1', unknownAmount: '0' });
    expect(judgeBalance('100', '101', sums(before))).toMatchObject({ unexplained: '10', unknownAmount: '0' });
  });
});
