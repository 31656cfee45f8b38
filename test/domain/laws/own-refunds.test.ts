import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noFamily } from '../../../src/domain/family/family.js';
import type { ShownRecord } from '../../../src/domain/family/links.js';
import { madeByOthers, makerOf, type OpenCall } from '../../../src/domain/family/own-refunds.js';
import type { Json, JsonObject } from '../../../src/domain/json.js';
import { defaultKytWords } from '../../../src/domain/orders/kyt.js';
import { factsOf } from '../../../src/domain/orders/order-facts.js';
import { openCall } from '../../support/order-lines.js';
import { runs } from './worlds.js';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const minutes = (n: number) => new Date(NOON + n * 60_000);

const shared = {
  merchantReference: fc.constantFrom<Json>('A', 'A', 'B', null),
  assetCode: fc.constantFrom<Json>('BTC', 'BTC', 'ETH', null),
};
const createdAt = fc.oneof(
  fc.integer({ min: -11, max: 13 }).map((n): Json => minutes(n).toISOString()),
  fc.constantFrom<Json>(null, 'noon'),
);
const payouts = fc
  .subarray(['o1', 'o2', 'o3'])
  .chain((ids) =>
    fc.tuple(...ids.map((id) => fc.record({ id: fc.constant(id), fields: fc.record({ ...shared, createdAt }) }))),
  );
const payments = fc.record(shared).map((fields): Payment[] => [{ id: 'p1', fields }]);
const call = (key: string): fc.Arbitrary<OpenCall> =>
  fc
    .record({
      begunAt: fc.integer({ min: 0, max: 2 }).map(minutes),
      objectId: fc.constantFrom(null, null, 'o1', 'o9'),
      paymentIntentId: fc.constantFrom('p1', 'p1', 'p1', 'p_unread'),
    })
    .map(({ paymentIntentId, ...more }) => openCall(paymentIntentId, { key, ...more }));
const calls = fc.subarray(['a', 'b', 'c']).chain((keys) => fc.tuple(...keys.map(call)));

interface Payment {
  id: string;
  fields: JsonObject;
}

/** What its answer named. Without an answer: nothing that is known of the payout speaks against it. */
function mayHaveMade({ objectId, begunAt, paymentIntentId }: OpenCall, payout: Payment, payments: Payment[]): boolean {
  if (objectId !== null) return payout.id === objectId;
  const payment = payments.find(({ id }) => id === paymentIntentId)?.fields ?? {};
  const isOther = (name: string) => {
    const [here, there] = [payout.fields[name] ?? null, payment[name] ?? null];
    return here !== null && there !== null && here !== there;
  };
  const isBefore = timeOf(payout) < begunAt.getTime() - 10 * 60_000;
  return !isBefore && !isOther('merchantReference') && !isOther('assetCode');
}

/** When nobody knows, it may be later than all. */
function timeOf({ fields }: Payment): number {
  const at = fields['createdAt'];
  return typeof at === 'string' && at !== 'noon' ? Date.parse(at) : Infinity;
}

const first = <T>(all: readonly T[], isBefore: (a: T, b: T) => boolean): T | undefined =>
  all.find((one) => all.every((other) => other === one || isBefore(one, other)));
const begunFirst = (a: OpenCall, b: OpenCall) =>
  a.begunAt < b.begunAt || (a.begunAt.getTime() === b.begunAt.getTime() && a.key < b.key);
const madeFirst = (a: Payment, b: Payment) => timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && a.id < b.id);

describe('a payout that nothing links, and the calls of our own of which nobody knows what came', () => {
  it('is the first call’s that may have made it', () => {
    fc.assert(
      fc.property(payouts, calls, payments, (payouts, calls, payments) => {
        for (const payout of payouts) {
          const able = calls.filter((call) => mayHaveMade(call, payout, payments));
          expect(makerOf(payout, calls, payments)?.key).toBe(first(able, begunFirst)?.key);
        }
      }),
      runs(8),
    );
  });

  it('each call made one at most, the earliest: the others are somebody else’s and hold their order', () => {
    fc.assert(
      fc.property(payouts, calls, payments, (payouts, calls, payments) => {
        const others: string[] = [];
        let [left, free] = [payouts, calls];
        for (;;) {
          const payout = first(left, madeFirst);
          if (payout === undefined) break;
          left = left.filter((one) => one !== payout);
          const able = free.filter((call) => mayHaveMade(call, payout, payments));
          const maker = first(able, begunFirst);
          if (maker === undefined) others.push(payout.id);
          free = free.filter((call) => call !== maker);
        }
        const found = madeByOthers(payouts, calls, payments).map(({ id }) => id);
        expect(found).toEqual(others);
        expect(found.length).toBeGreaterThanOrEqual(payouts.length - calls.length);
        expect(madeByOthers(payouts.toReversed(), calls.toReversed(), payments).map(({ id }) => id)).toEqual(found);
      }),
      runs(8),
    );
  });
});

describe('what an order’s family says of it', () => {
  it('is nothing where nothing is known', () => {
    expect(Object.values(noFamily).filter((one) => one !== false && (one as unknown[]).length > 0)).toEqual([]);
    expect(Object.values(noFamily)).not.toContain(true);
  });

  it('a refund that nothing links holds it unless it failed or a call of ours made it; all else is shown as it is', () => {
    const shown = (records: readonly Payment[]): ShownRecord[] =>
      records.map((one) => ({ ...one, verified: true, verifiedAt: NOON, absent: false }));
    const ends = fc.constantFrom('pending', 'failed', 'failed', 'confirmed');
    const unlinked = payouts.chain((payouts) =>
      fc.tuple(
        ...shown(payouts).map((one) =>
          fc
            .tuple(ends, fc.boolean())
            .map(([status, doubted]) => ({ ...one, fields: { ...one.fields, status }, doubted })),
        ),
      ),
    );
    const given = fc.record({
      reference: fc.constantFrom('A', 'B'),
      expected: fc.constantFrom(null, { amount: '1', currency: 'EUR' }),
      history: fc.constantFrom(new Set<string>(), new Set(['p1'])),
      kytWords: fc.constantFrom(undefined, defaultKytWords),
      requiresRegistration: fc.boolean(),
    });
    const reported = fc.record({
      refundReported: fc.boolean(),
      manyReported: fc.boolean(),
      saysPaid: fc.boolean(),
      showsKyt: fc.boolean(),
      shared: fc.boolean(),
    });
    fc.assert(
      fc.property(
        unlinked,
        calls,
        payments,
        fc.boolean(),
        given,
        reported,
        (unlinked, calls, payments, own, given, reported) => {
          const [payment] = shown(payments);
          const lists = own ? { intents: [payment!] } : { contested: [{ intent: payment!, references: ['A', 'B'] }] };
          const facts = factsOf({ ...noFamily, ...lists, ...reported, unlinked, openCalls: calls }, given);
          const others = madeByOthers(unlinked, calls, payments).map(
            (one) => unlinked.find(({ id }) => id === one.id)!,
          );
          const hasFailed = ({ fields }: ShownRecord) => fields['status'] === 'failed';
          const isDoubted = others.some((one) => hasFailed(one) && one.doubted);
          expect(facts).toMatchObject({
            ...reported,
            ...given,
            intents: own ? [payment] : [],
            contested: own ? [] : [payment],
            openCalls: calls,
            refundUnlinked: others.some((one) => !hasFailed(one)),
            refundReported: reported.refundReported || isDoubted,
          });
        },
      ),
      runs(4),
    );
  });
});
