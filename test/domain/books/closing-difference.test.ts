import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AssetAtEnd,
  closingDifference,
  closingDifferences,
} from '../../../src/domain/books/closing-difference.js';
import { isSignedAmount, sumAmounts } from '../../../src/domain/money.js';

const amount = fc
  .tuple(fc.boolean(), fc.bigInt(1n, 10n ** 12n), fc.bigInt(0n, 10n ** 18n - 1n))
  .map(([minus, whole, part]) => sumAmounts([`${minus ? '-' : ''}${whole}.${String(part).padStart(18, '0')}`]));
const assetAtEnd: fc.Arbitrary<AssetAtEnd> = fc.record({
  assetCode: fc.constantFrom('BTC', 'USDC.POLYGON'),
  closing: amount,
  later: fc.array(
    fc.record({
      assetCode: fc.constant('BTC'),
      recordKind: fc.constantFrom('attribution', 'payment_intent'),
      recordId: fc.constantFrom('18', 'pi_1'),
      amount,
      day: fc.constant('2026-11-03'),
    }),
    { maxLength: 7 },
  ),
  unexplained: fc.oneof(fc.constant('0'), fc.constant(null), amount),
  unproven: fc.option(fc.constant('not compared with the records since 2026-10-30T00:00:00.000Z')),
  breaks: fc.array(
    fc.record({
      id: fc.constantFrom('1215', '7'),
      kind: fc.constant('balance_residual'),
      status: fc.constantFrom('open', 'acknowledged'),
    }),
    { maxLength: 2 },
  ),
});

describe('the end of a month', () => {
  it('is what the service held only where all of the balance is explained, proven and of the month, and no break is left', () => {
    fc.assert(
      fc.property(assetAtEnd, (asset) => {
        const { later, unexplained, unproven, breaks } = asset;
        const isHeld = later.length === 0 && unexplained === '0' && unproven === null && breaks.length === 0;
        expect(closingDifference('2026-10', asset) === null).toBe(isHeld);
      }),
      {
        numRuns: 500,
        examples: [
          [
            {
              assetCode: 'BTC',
              closing: '1',
              later: [],
              unexplained: '842.5',
              unproven: null,
              breaks: [{ id: '1215', kind: 'balance_residual', status: 'acknowledged' }],
            },
          ],
        ],
      },
    );
  });

  it('is said of each asset once, with what the books hold of it, and of those that one cause keeps from being proven together', () => {
    const some = fc
      .array(assetAtEnd, { maxLength: 6 })
      .map((all) => all.map((one, n) => ({ ...one, assetCode: `A${n}.` })));
    fc.assert(
      fc.property(some, (all) => {
        const found = closingDifferences('2026-10', all);
        for (const asset of all) {
          const own = found.filter(({ told }) => told.includes(`${asset.closing} ${asset.assetCode}`));
          expect(own.length).toBe(closingDifference('2026-10', asset) === null ? 0 : 1);
        }
        const isAlone = ({ later, unexplained, breaks }: AssetAtEnd) =>
          later.length + breaks.length === 0 && (unexplained === null || unexplained === '0');
        const alike = all.filter((one) => one.unproven !== null && isAlone(one)).length;
        expect(found.filter(({ assetCode }) => assetCode === null).length).toBe(alike > 1 ? 1 : 0);
      }),
      { numRuns: 300 },
    );
  });

  it('says in one sentence the asset, what the books end with, and what the service may have held, to the last digit', () => {
    fc.assert(
      fc.property(assetAtEnd, (asset) => {
        const told = closingDifference('2026-10', asset);
        if (told === null) return;
        expect(told).toContain(`the books end 2026-10 with ${asset.closing} ${asset.assetCode}, and `);
        const held = sumAmounts([asset.closing, asset.unexplained ?? '0', ...asset.later.map((one) => one.amount)]);
        expect(isSignedAmount(held)).toBe(true);
        expect(told.includes(`may have held ${held}:`)).toBe(held !== asset.closing);
        for (const { id, status } of asset.breaks) expect(told).toContain(`break ${id} is ${status}: balance residual`);
        for (const one of asset.later.slice(0, 5)) expect(told).toContain(`${one.amount} of it on 2026-11-03`);
        if (asset.unexplained !== null && asset.unexplained !== '0')
          expect(told).toContain(`${asset.unexplained} is unexplained`);
        if (asset.unproven !== null) expect(told).toContain(asset.unproven);
      }),
      { numRuns: 500 },
    );
  });
});
