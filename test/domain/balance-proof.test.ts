import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attributedPart,
  type BalanceSums,
  classifyBalance,
  isAttributable,
  isIdentityKept,
} from '../../src/domain/balances/balance-proof.js';
import type { MovementRecord } from '../../src/domain/balances/movement-table.js';
import { effectsOf } from '../../src/domain/balances/movements.js';
import { addAmounts, subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { defaultContract } from '../../src/service-api/contract.js';

const sums = (given: Partial<BalanceSums> = {}): BalanceSums => ({
  explained: '0',
  known: '0',
  attributed: '0',
  limit: '0',
  unclear: null,
  ...given,
});
const signed = fc
  .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 18n), fc.bigInt(0n, 10n ** 18n - 1n))
  .map(([minus, whole, part]) => sumAmounts([`${minus ? '-' : ''}${whole}.${String(part).padStart(18, '0')}`]));
const positive = signed.map((amount) => amount.replace('-', ''));

describe('a balance', () => {
  it('is opening, explained, unobservable and unexplained, to the last digit', () => {
    fc.assert(
      fc.property(
        signed,
        signed,
        signed,
        signed,
        signed,
        positive,
        (opening, balance, explained, known, said, limit) => {
          const judged = classifyBalance(opening, balance, sums({ explained, known, attributed: said, limit }));
          expect(sumAmounts([opening, explained, judged.residual])).toBe(balance);
          expect(sumAmounts([judged.unobservable, judged.unexplained])).toBe(judged.residual);
          expect(sumAmounts([known, said, judged.unknownAmount])).toBe(judged.unobservable);
        },
      ),
    );
  });

  it('that no record accounts for is unexplained, whatever else there may be', () => {
    fc.assert(
      fc.property(signed, signed, signed, (opening, explained, missing) => {
        const balance = sumAmounts([opening, explained, missing]);
        expect(classifyBalance(opening, balance, sums({ explained })).unexplained).toBe(missing);
        expect(classifyBalance(opening, balance, sums({ explained, attributed: missing })).unexplained).toBe('0');
      }),
    );
  });

  it('has what known settlements of unknown amount may have taken as unobservable, and no more; that is no proof', () => {
    expect(classifyBalance('0', '-90', sums({ limit: '99' }))).toMatchObject({
      unknownAmount: '-90',
      unexplained: '0',
    });
    expect(classifyBalance('0', '-90', sums({ limit: '99' })).unproven).toContain('attribute it');
    expect(classifyBalance('0', '-99', sums({ limit: '99' }))).toMatchObject({
      unknownAmount: '-99',
      unexplained: '0',
    });
    expect(classifyBalance('0', '-100', sums({ limit: '99' }))).toMatchObject({
      unknownAmount: '0',
      unexplained: '-100',
    });
    expect(classifyBalance('0', '90', sums({ limit: '99' }))).toMatchObject({ unexplained: '90' });
    expect(classifyBalance('0', '0', sums({ unclear: 'payout p: why' })).unproven).toBe('payout p: why');
  });

  it('is balance less frozen, exactly', () => {
    expect(isIdentityKept({ balance: '10.000000000000000001', frozen: '0.5', available: '9.500000000000000001' })).toBe(
      true,
    );
    expect(isIdentityKept({ balance: '10.000000000000000001', frozen: '0.5', available: '9.5' })).toBe(false);
    expect(isIdentityKept({ balance: '10', frozen: null, available: '9.5' })).toBe(null);
  });

  it('is attributed a part of what is open, of its own sign, never more', () => {
    fc.assert(
      fc.property(signed, signed, (amount, open) => {
        const left = subtractAmounts(open, amount);
        const fits = open !== '0' && amount !== '0' && amount.startsWith('-') === open.startsWith('-');
        const within = left === '0' || left.startsWith('-') === open.startsWith('-');
        expect(isAttributable(amount, open)).toBe(fits && within);
      }),
    );
    expect(isAttributable('-1', addAmounts('-1', '0'))).toBe(true);
  });

  it('is attributed in parts: what may be payouts and a loss are not shown as their sum', () => {
    const both = { unexplained: '-0.5', unknownAmount: '2' };
    expect(attributedPart('-0.5', both)).toBe('unexplained');
    expect(attributedPart('2.0', both)).toBe('unknownAmount');
    expect(attributedPart('1.5', both)).toBe('unknownAmount');
    expect(attributedPart('2.5', both)).toBeNull();
    expect(attributedPart('2', { unexplained: '5', unknownAmount: '2' })).toBe('unknownAmount');
    expect(attributedPart('3', { unexplained: '5', unknownAmount: '2' })).toBe('unexplained');
  });
});

describe('a payout of which nobody says whose it is', () => {
  const payout = (fields: object, known: Partial<MovementRecord> = {}): MovementRecord => ({
    kind: 'payout',
    id: 'po_1',
    fields: {
      payoutType: 'withdrawal',
      status: 'confirmed',
      assetCode: 'BTC',
      amount: '5',
      feeAmount: '1',
      feeBearer: 'merchant',
      ...fields,
    },
    ...known,
  });
  const shownEffects = (record: MovementRecord) =>
    effectsOf(record, defaultContract.movements).map(({ part, account, delta }) => [part, account, delta]);

  it('is kept unplaced, with its debit; one of a known sub-wallet beside it; one of the operating balance is explained', () => {
    expect(shownEffects(payout({}))).toEqual([['unplaced', null, '-6']]);
    expect(shownEffects(payout({}, { accountId: 'acc_1' }))).toEqual([['unplaced', 'acc_1', '-6']]);
    expect(shownEffects(payout({}, { accountId: null }))).toEqual([['explained', null, '-6']]);
  });

  it('has done nothing while it is on its way', () => {
    expect(shownEffects(payout({ status: 'pending' }))).toEqual([]);
  });

  it('is unclear where not even its debit is known', () => {
    expect(shownEffects(payout({ feeBearer: 'bank' }))).toEqual([['unclear', null, null]]);
  });
});
