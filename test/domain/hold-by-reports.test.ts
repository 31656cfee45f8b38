import { describe, expect, it } from 'vitest';
import { holdByReports, type ReportedHold, withoutReports } from '../../src/domain/orders/hold-by-reports.js';
import type { OrderFacts } from '../../src/domain/orders/order-facts.js';
import { gave, half, many, paid, want } from '../support/order-lines.js';

const HOUR = 3_600_000;
const NOW = 1_700_000_000_000;
const never: ReportedHold = { held: false, refutedAt: [] };
const good = many(paid);
const reported: OrderFacts = { ...good, refundReported: true };
const heard = (facts: OrderFacts, before: ReportedHold = never) => {
  const { status, release, reports } = holdByReports(facts, before, NOW);
  return { status, reason: release.reason, ...reports };
};
const proven = { status: 'paid', reason: 'proven' };
const withheld = { status: 'paid', reason: 'refund_reported' };

describe('what reports do to an order', () => {
  it('nothing where they are silent', () => {
    expect(withoutReports(good)).toBe(good);
    expect(heard(good)).toEqual({ ...proven, ...never });
    expect(heard(many(half))).toEqual({ status: 'underpaid', reason: 'underpaid', ...never });
  });

  it('they hold it, and what held it is refuted once they are silent', () => {
    expect(heard(reported)).toEqual({ ...withheld, held: true, refutedAt: [] });
    expect(heard(good, { held: true, refutedAt: [1] })).toEqual({ ...proven, held: false, refutedAt: [1, NOW] });
    expect(heard(good, { held: true, refutedAt: [1, 2] }).refutedAt).toEqual([2, NOW]);
    expect(heard(good, { held: false, refutedAt: [1, 2] })).toEqual({ ...proven, held: false, refutedAt: [1, 2] });
  });

  it('they never end a hold: a report that doubts one of two payments does not make the other enough', () => {
    const twice = many(paid, paid);
    const doubted = twice.intents.map((intent, n) => ({ ...intent, doubted: n === 1 }));
    const facts = { ...twice, intents: doubted };
    expect(heard(facts)).toEqual({ status: 'paid_twice', reason: 'paid_twice', ...never });
    expect(heard(facts, { held: true, refutedAt: [1] })).toMatchObject({ held: true, refutedAt: [1] });
    const both = { ...twice, intents: twice.intents.map((intent) => ({ ...intent, doubted: true })) };
    expect(heard(both)).toMatchObject({ status: 'paid_unverified', reason: 'not_verified', held: false });
  });

  it('what they held before is theirs still while something else holds it, as long as they speak', () => {
    const held = { held: true, refutedAt: [1] };
    const unpaid = want({ amount: '200', currency: 'EUR' }, paid);
    expect(heard({ ...unpaid, refundReported: true }, held)).toEqual({
      status: 'underpaid',
      reason: 'underpaid',
      ...held,
    });
    expect(heard(unpaid, held)).toMatchObject({ held: false, refutedAt: [1] });
  });

  it.each<[string, number[], boolean]>([
    ['none was refuted', [], false],
    ['one was', [NOW - 1], false],
    ['two were within an hour, just now', [NOW - 2, NOW - 1], true],
    ['three were, the first long ago', [1, NOW - 2, NOW - 1], true],
    ['two were, an hour ago', [NOW - HOUR - 1, NOW - HOUR], false],
    ['two were, nearly an hour ago', [NOW - HOUR, NOW - HOUR + 1], true],
    ['two were, an hour apart', [NOW - HOUR - 1, NOW - 1], false],
    ['two were, nearly an hour apart', [NOW - HOUR, NOW - 1], true],
  ])('they are not heeded for an hour after two that were refuted: %s', (_name, refutedAt, isDeaf) => {
    const expected = isDeaf ? { ...proven, held: false } : { ...withheld, held: true };
    expect(heard(reported, { held: false, refutedAt })).toEqual({ ...expected, refutedAt });
    // What they hold already they hold on, and a flood is heeded.
    expect(heard(reported, { held: true, refutedAt })).toMatchObject({ ...withheld, held: true });
    expect(heard({ ...reported, manyReported: true }, { held: false, refutedAt })).toMatchObject(withheld);
  });

  it.each<[string, OrderFacts]>([
    ['a refund', reported],
    ['many refunds', { ...good, manyReported: true }],
    ['money for the order', { ...good, saysPaid: true }],
    ['a payment', { ...good, intents: good.intents.map((intent) => ({ ...intent, doubted: true })) }],
    [
      'a payment that it calls paid',
      { ...good, intents: good.intents.map((intent) => ({ ...intent, saysPaid: true })) },
    ],
    ['a payin', { ...good, payins: good.payins.map((payin) => ({ ...payin, doubted: true })) }],
    ['a refund of its own', { ...good, refunds: [{ ...gave('1', 'failed'), doubted: true }] }],
  ])('without them it stands as it was: %s', (_name, facts) => {
    const plain = withoutReports(facts);
    expect(plain).not.toBe(facts);
    const quiet = { doubted: false, saysPaid: false };
    const of = <R extends object>(records: readonly R[]) => records.map((record) => ({ ...record, ...quiet }));
    expect(plain).toEqual({
      ...facts,
      intents: of(facts.intents),
      payins: of(facts.payins),
      refunds: of(facts.refunds),
      refundReported: false,
      manyReported: false,
      saysPaid: false,
    });
    expect(heard(plain)).toEqual({ ...proven, ...never });
  });
});
