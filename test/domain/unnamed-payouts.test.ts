import { describe, expect, it } from 'vitest';
import { boundsAtOpening, type FoundAtOpening, findAtOpening } from '../../src/domain/balances/at-opening.js';
import { type BalanceSums, classifyBalance } from '../../src/domain/balances/balance-proof.js';
import {
  classifiedResidual,
  classifyUnnamed,
  holdResidual,
  type ShownDebit,
  type WithdrawalInDoubt,
} from '../../src/domain/balances/unnamed-payouts.js';

const payout = (id: string, more: Partial<WithdrawalInDoubt> = {}): WithdrawalInDoubt => {
  return { id, account: null, debit: '-9', createdAt: 1_000_000, when: 'under_way', ...more };
};
const debit = (more: Partial<ShownDebit> = {}): ShownDebit => {
  return { account: 'wa', delta: '-9', createdAt: 1_000_000, stood: false, names: [], ...more };
};

describe('payouts that a sub-wallet’s feed may debit before they are confirmed', () => {
  it('are known by a transaction that names them: what is under way counts already, what was at the opening no more', () => {
    expect(classifyUnnamed([payout('a')], [debit({ names: ['a'] })])).toMatchObject({
      correction: '-9',
      underWay: { ids: [] },
    });
    const opened = payout('a', { when: 'at_opening' });
    const found = classifyUnnamed([opened], [debit({ names: ['a'], stood: true })]);
    expect(found).toMatchObject({ correction: '9', atOpening: { ids: [], most: '0' } });
    // Debited since, or before and still under way: both sides count it alike.
    expect(classifyUnnamed([opened], [debit({ names: ['a'] })]).correction).toBe('0');
    expect(classifyUnnamed([payout('a')], [debit({ names: ['a'], stood: true })]).correction).toBe('0');
  });

  it('are known by sub-wallet, amount and time where it is known whose they are, and by an amount alone never', () => {
    expect(classifyUnnamed([payout('a', { account: 'wa' })], [debit()]).correction).toBe('-9');
    expect(classifyUnnamed([payout('a', { account: 'other' })], [debit()])).toMatchObject({
      correction: '0',
      underWay: { ids: ['a'], most: '9' },
    });
    expect(classifyUnnamed([payout('a')], [debit()])).toMatchObject({
      correction: '0',
      underWay: { ids: ['a'], most: '9' },
      likely: '9',
    });
    expect(classifyUnnamed([payout('a')], [debit({ createdAt: 1_600_001 })]).likely).toBe('0');
  });

  it('are known by the transaction alone where it is not known what they debit; nobody knows then what the others come to', () => {
    const unknown = (about: Partial<WithdrawalInDoubt> = {}) => payout('a', { debit: null, account: 'wa', ...about });
    expect(classifyUnnamed([unknown()], [debit({ names: ['a'], delta: '-7' })]).correction).toBe('-7');
    const opened = classifyUnnamed([unknown({ when: 'at_opening' }), payout('b', { when: 'at_opening' })], []);
    expect(opened).toEqual({
      correction: '0',
      underWay: { ids: [], most: null },
      atOpening: { ids: ['a', 'b'], amounts: ['0', '9'], most: '9' },
      likely: '0',
    });
    for (const payouts of [
      [unknown(), payout('b')],
      [payout('b'), unknown()],
    ])
      expect(classifyUnnamed(payouts, [debit()])).toMatchObject({ underWay: { most: null }, likely: '9' });
  });

  it.each<[string, Partial<WithdrawalInDoubt>, Partial<ShownDebit>, string]>([
    ['as far from it as a debit may be', {}, { createdAt: 1_600_000 }, '9'],
    ['before it', {}, { createdAt: 400_000 }, '9'],
    ['further before it', {}, { createdAt: 399_999 }, '0'],
    ['nobody knows when', {}, { createdAt: null }, '0'],
    ['nobody knows when it was made', { createdAt: null }, {}, '0'],
    ['of the same amount, written otherwise', {}, { delta: '-9.0' }, '9'],
    ['of another amount', {}, { delta: '-9.1' }, '0'],
    ['of another that it names', {}, { names: ['z'] }, '0'],
    ['of before the opening', {}, { stood: true }, '0'],
    ['of another sub-wallet', { account: 'wb' }, {}, '0'],
    ['of one that is confirmed since', { when: 'at_opening' }, { stood: true }, '0'],
  ])('a debit %s makes it likely by so much', (_name, about, shown, likely) => {
    const found = classifyUnnamed([payout('a', about)], [debit(shown)]);
    expect([found.likely, found.correction]).toEqual([likely, '0']);
  });

  it('each transaction names one', () => {
    const found = classifyUnnamed([payout('a'), payout('b')], [debit({ names: ['b'] })]);
    expect(found).toMatchObject({ correction: '-9', underWay: { ids: ['a'], most: '9' }, likely: '0' });
    const named = ['a', 'b'].map((id) => debit({ names: [id] }));
    expect(classifyUnnamed([payout('a'), payout('b')], named).correction).toBe('-18');
    expect(classifyUnnamed([payout('a'), payout('b')], [debit(), debit()]).likely).toBe('18');
  });
});

describe('what is left over while they are under way', () => {
  const unnamed = (ids: string[], most: string | null = '20', likely = '0') => {
    return { correction: '0', underWay: { ids, most }, atOpening: { ids: [], amounts: [], most: '0' }, likely };
  };

  it('is held while it could be theirs: less than nothing, and no more than all of them', () => {
    expect(holdResidual('-8', unnamed(['a']), null)).toEqual({ unexplained: '-8', payouts: ['a'] });
    expect(holdResidual('-20.1', unnamed(['a']), null)).toBeNull();
    expect(holdResidual('-20.1', unnamed(['a'], null), null)).not.toBeNull();
    expect(holdResidual('8', unnamed(['a']), null)).toBeNull();
    expect(holdResidual('0', unnamed(['a']), null)).toBeNull();
    expect(holdResidual('-8', unnamed([]), null)).toBeNull();
  });

  it('is judged when all have ended that it was held for, whatever is under way then', () => {
    const first = holdResidual('-8', unnamed(['a', 'b']), null);
    expect(holdResidual('-8', unnamed(['b', 'c']), first)).toEqual(first);
    expect(holdResidual('-8.0', unnamed(['c', 'd']), first)).toBeNull();
    expect(holdResidual('-7', unnamed(['c']), first)).toEqual({ unexplained: '-7', payouts: ['c'] });
    // Just what sub-wallets show debits of is theirs.
    expect(holdResidual('-8', unnamed(['c'], '20', '8'), first)).toEqual({ unexplained: '0', payouts: ['c'] });
  });

  it('is judged though payouts keep coming: what their debits most likely make is no part of what is compared', () => {
    const first = holdResidual('-11', unnamed(['a'], '20', '3'), null);
    expect(first).toEqual({ unexplained: '-8', payouts: ['a'] });
    expect(holdResidual('-13', unnamed(['a', 'b'], '20', '5'), first)).toEqual(first);
    expect(holdResidual('-12', unnamed(['c'], '20', '4'), first)).toBeNull();
    // Nor is it held anew for those that come after it was judged.
    const judged = classifiedResidual('-12', unnamed(['c'], '20', '4'));
    expect(judged).toEqual({ unexplained: '-8', payouts: [] });
    expect(holdResidual('-15', unnamed(['d'], '20', '7'), judged)).toBeNull();
    expect(holdResidual('-9', unnamed(['d'], '20', '7'), judged)).toEqual({ unexplained: '-2', payouts: ['d'] });
    expect(classifiedResidual('0', unnamed(['d']))).toBeNull();
    expect(classifiedResidual('-8', null)).toEqual({ unexplained: '-8', payouts: [] });
  });
});

describe('payouts that were under way when the books were opened', () => {
  const sums = (before: BalanceSums['before']): BalanceSums => {
    return { explained: '-9', known: '0', attributed: '0', limit: '0', unclear: null, ...(before ? { before } : {}) };
  };
  const before = { least: '0', most: '9', found: '0', why: 'may be payouts' };

  it('may be what is more than explained, up to what they came to: unproven, to be attributed, and no break', () => {
    expect(classifyBalance('100', '100', sums(before))).toMatchObject({
      unexplained: '0',
      unknownAmount: '9',
      unobservable: '9',
    });
    expect(classifyBalance('100', '100', sums(before)).unproven).toBe('9 may be payouts: attribute it');
    expect(classifyBalance('100', '100', { ...sums(before), attributed: '9' })).toMatchObject({
      unproven: null,
      unexplained: '0',
    });
  });

  it('are not what is less, or more than they came to', () => {
    expect(classifyBalance('100', '91', sums(before))).toMatchObject({ unexplained: '0', unproven: null });
    expect(classifyBalance('100', '90', sums(before))).toMatchObject({ unexplained: '-1', unknownAmount: '0' });
    expect(classifyBalance('100', '101', sums(before))).toMatchObject({ unexplained: '10', unknownAmount: '0' });
  });

  it('hide nothing that comes after what they made was found', () => {
    const found = (amount: string) => ({ payouts: ['a'], most: '9', amount });
    const same = { ids: ['a'], amounts: ['9'], most: '9' };
    const judged = (balance: string, known: FoundAtOpening) =>
      classifyBalance('100', balance, sums({ ...boundsAtOpening(same, known, '0'), why: 'may be payouts' }));
    // A part of their amount, once it was found that none of them made the balance more.
    expect(judged('95', found('0'))).toMatchObject({ unexplained: '4', unknownAmount: '0' });
    // A loss beside one that did: each is said by itself.
    expect(judged('100', found('9'))).toMatchObject({ unexplained: '0', unknownAmount: '9' });
    expect(judged('99.5', found('9'))).toMatchObject({ unexplained: '-0.5', unknownAmount: '9' });
    expect(judged('99.5', found('9')).unproven).toBe('9 may be payouts: attribute it');
  });

  it('may be more once another is confirmed, and less once one is distinguished', () => {
    const known = { payouts: ['a', 'b'], most: '12', amount: '9' };
    const bounds = (ids: string[], amounts: string[], most: string) =>
      boundsAtOpening({ ids, amounts, most }, known, '0');
    expect(bounds(['a', 'b'], ['9', '3'], '12')).toEqual({ least: '9', most: '9', found: '9' });
    expect(bounds(['c', 'a', 'b'], ['5', '9', '3'], '17')).toEqual({ least: '9', most: '14', found: '9' });
    expect(bounds(['a'], ['9'], '9')).toEqual({ least: '6', most: '9', found: '9' });
    expect(bounds(['b'], ['3'], '3')).toEqual({ least: '0', most: '3', found: '3' });
    expect(boundsAtOpening({ ids: ['a'], amounts: ['9'], most: '9' }, null, '2')).toMatchObject({ most: '7' });
  });

  it('are found by a classification that nothing else is a part of', () => {
    const unnamed = (ids: string[], likely = '0') => {
      const atOpening = { ids: ['a'], amounts: ['9'], most: '9' };
      return { correction: '0', underWay: { ids, most: '20' }, atOpening, likely };
    };
    const find = (balance: string, about = unnamed([]), limit = '0') => {
      const all = { ...sums(before), limit };
      return findAtOpening(all, about, classifyBalance('100', balance, all));
    };
    expect(find('91')).toEqual({ payouts: ['a'], most: '9', amount: '0' });
    expect(find('100')).toEqual({ payouts: ['a'], most: '9', amount: '9' });
    expect(find('101')).toBeNull();
    expect(find('95', unnamed(['u']))).toBeNull();
    expect(find('95', unnamed([]), '50')).toBeNull();
    expect(find('91', unnamed(['u']), '50')).not.toBeNull();
    expect(find('91', unnamed(['u'], '9'))).toBeNull();
    // Nothing of them, and yet an amount that nobody knows.
    const judged = { ...classifyBalance('100', '91', sums(before)), unknownAmount: '5' };
    expect(findAtOpening({ ...sums(before), limit: '50' }, unnamed([]), judged)).toBeNull();
  });
});
