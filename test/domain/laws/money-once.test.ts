import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { collectedOf, type Judged, judge, listedIn, safe } from './judge.js';
import { runsWithRare } from './rare-worlds.js';
import { END, runs, type World, world } from './worlds.js';

describe('L3 money counts once', () => {
  it('a payment counts for one order at most; one that two could have makes neither safe, and both name it', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { orders } = judge(world);
        const counted = orders.flatMap(({ facts }) => facts.intents.map(({ id }) => id));
        expect(new Set(counted).size).toBe(counted.length);
        for (const { family } of orders) {
          for (const { intent, references } of family.contested) {
            expect(references.length).toBeGreaterThan(1);
            expect(references).toEqual([...new Set(references)].sort());
            expect(counted).not.toContain(intent.id);
            for (const one of orders.filter(({ reference }) => references.includes(reference))) {
              expect(one.order.release.safe).toBe(false);
              expect(one.family.contested.map(({ intent }) => intent.id)).toContain(intent.id);
            }
          }
        }
      }),
      runsWithRare(),
    );
  });

  it('a payin that names no payment releases none of several payments that list it', () => {
    fc.assert(
      fc.property(world, fc.constantFrom(null, ''), (world, named) => {
        forSafe(world, (given) => {
          const { records } = given.before;
          const payment = records.payment_intent.find(({ id }) => id === given.payment)!;
          const payins = records.payin.filter(({ id }) => listedIn(payment).includes(id));
          if (payins.length === 0) return;
          const again = (id: string, kind: 'payin' | 'payment_intent', fields: JsonObject): Observation => {
            return { kind, id, fields, type: 'poll', from: END, to: END + 200, source: { type: 'poll', ref: '1' } };
          };
          const unnamed = payins.map(({ id, fields }) => again(id, 'payin', { ...fields, paymentIntentId: named }));
          const other = { ...payment.fields, id: FRESH, merchantReference: 'C', invoiceId: null };
          const isAlone = records.payment_intent.every(
            ({ id, fields }) =>
              id === payment.id || !payins.some((payin) => listedIn({ ...payin, fields }).includes(payin.id)),
          );
          (isAlone ? isAsBefore : () => undefined)(given, after(given, unnamed));
          const both = safe(after(given, [...unnamed, again(FRESH, 'payment_intent', other)]));
          expect(both).not.toContain(given.reference);
          expect(both).not.toContain('C');
        });
      }),
      runs(2),
    );
  });

  it('a refund is one payment’s, of one order, or of the orders that could have the payment', () => {
    fc.assert(
      fc.property(world, (world) => {
        for (const { facts } of judge(world).orders) {
          const own = [...facts.intents, ...(facts.contested ?? [])].map(({ id }) => id);
          expect(own).toEqual(expect.arrayContaining(facts.refunds.map(({ paymentIntentId }) => paymentIntentId)));
          expect(own).toEqual(expect.arrayContaining((facts.openCalls ?? []).map((call) => call.paymentIntentId)));
        }
      }),
      runsWithRare(),
    );
  });
});

const FRESH = 'x1';

/** A payout that no record of the world names, as the service's list shows it, after what own calls said of it. */
function payout(fields: JsonObject, operation: string | null): Observation[] {
  const base = { kind: 'payout', id: FRESH, from: END, to: END + 200 } as const;
  const whole = { id: FRESH, amount: '10', status: 'pending', ...fields };
  const made: Observation = {
    ...base,
    type: 'statement',
    fields: whole,
    source: { type: 'api_response', ref: operation ?? '' },
  };
  const read: Observation = { ...base, type: 'poll', fields: whole, source: { type: 'poll', ref: '1' } };
  return operation === null ? [read] : [made, { ...read, from: END + 5000, to: END + 5200 }];
}

const alive = fc.constantFrom('pending', 'approved', 'broadcast', 'confirmed');
const notRefunds = fc.constantFrom('withdrawal', 'PAYOUT', 'Internal', 'settlement');
const maybeRefunds = fc.constantFrom('refund', 'payment_refund', 'odd', null, '');
const anyType = fc.oneof(notRefunds, maybeRefunds);

interface Given {
  world: World;
  before: Judged;
  reference: string;
  /** A payment whose money the order counts. */
  payment: string;
}

/** Of every order that is safe, with each of its collected payments. */
function forSafe(world: World, check: (given: Given) => void): void {
  const before = judge(world);
  for (const { reference, order, facts } of before.orders) {
    if (!order.release.safe) continue;
    for (const { intent } of collectedOf(facts)) check({ world, before, reference, payment: intent.id });
  }
}

function after({ world }: Given, more: Observation[], assigned: World['assigned'] = []): Judged {
  const decided = { ...world, assigned: [...world.assigned, ...assigned] };
  return judge(decided, [...world.proofs, ...world.reports, ...more]);
}

const isHeld = (given: Given, judged: Judged) => expect(safe(judged)).not.toContain(given.reference);
const isAsBefore = (given: Given, judged: Judged) => expect(safe(judged)).toEqual(safe(given.before));

describe('L4 money given back is seen', () => {
  it('a refund takes its order from safe: linked, by the payment, by a person; one that failed does not', () => {
    fc.assert(
      fc.property(world, alive, anyType, (world, status, payoutType) => {
        forSafe(world, (given) => {
          const link = { paymentIntentId: given.payment };
          const isSettlement = payoutType === 'settlement';
          const linked = after(given, payout({ status, payoutType, ...link }, null));
          (isSettlement ? isAsBefore : isHeld)(given, linked);
          isHeld(given, after(given, payout({ status, payoutType }, null), [[FRESH, given.payment]]));
          isHeld(given, after(given, [...payout({ status, payoutType }, null), ...naming(given, [given.payment])]));
          isAsBefore(given, after(given, payout({ status: 'failed', payoutType, ...link }, null)));
          isAsBefore(given, after(given, payout({ status, payoutType, ...link }, null), [[FRESH, null]]));
        });
      }),
      runs(2),
    );
  });

  it('a refund by reference alone holds its order wholly; withdrawals, settlements and what a person put aside do not', () => {
    fc.assert(
      fc.property(
        world,
        alive,
        anyType,
        fc.constantFrom('createPayout', 'createRefund', null),
        (world, status, payoutType, operation) => {
          forSafe(world, (given) => {
            const { reference: merchantReference } = given;
            const isRefund =
              ['refund', 'payment_refund', 'odd', null, ''].includes(payoutType) && operation !== 'createPayout';
            const seen = after(given, payout({ status, payoutType, merchantReference }, operation));
            const found = seen.orders.find(({ reference }) => reference === merchantReference);
            expect(found?.order.release.reason).toBe(isRefund ? 'refund_unlinked' : 'proven');
            isAsBefore(given, after(given, payout({ status: 'failed', payoutType, merchantReference }, operation)));
            isAsBefore(
              given,
              after(given, payout({ status, payoutType, merchantReference }, operation), [[FRESH, null]]),
            );
            if (isRefund)
              isHeld(
                given,
                after(
                  given,
                  payout({ status, payoutType, merchantReference, paymentIntentId: given.payment }, operation),
                ),
              );
          });
        },
      ),
      runs(2),
    );
  });

  it('what a person said wins over every record', () => {
    fc.assert(
      fc.property(world, (world) => {
        forSafe(world, (given) => {
          const refund = payout({ status: 'pending', payoutType: 'refund', paymentIntentId: given.payment }, null);
          isAsBefore(given, after(given, [...refund, ...naming(given, [given.payment])], [[FRESH, null]]));
          isAsBefore(given, after(given, refund, [[FRESH, 'p_of_nobody']]));
        });
      }),
      runsWithRare(),
    );
  });
});

/** The payments, read again: each names the payout as the refund of a dispute. */
function naming({ world }: Given, payments: string[]): Observation[] {
  return payments.flatMap((id) => {
    const reading = world.proofs.findLast(
      (one) => one.kind === 'payment_intent' && one.id === id && one.type === 'poll',
    );
    if (reading?.type !== 'poll') return [];
    const { fields } = judge(world).records.payment_intent.find((one) => one.id === id)!;
    return [{ ...reading, fields: { ...fields, irregularRefundPayoutId: FRESH }, from: END, to: END + 200 }];
  });
}
