import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { holdByReports } from '../../../src/domain/orders/hold-by-reports.js';
import { collectedOf, type JudgedOrder, judge, saidOf, statesOf } from './judge.js';
import { END, runs, type World, world } from './worlds.js';

const FRESH = 'x1';

function reportOf(kind: 'payout' | 'payment_intent', fields: JsonObject, from = END): Observation {
  const source = { type: 'webhook', ref: 'event' } as const;
  return { kind, id: FRESH, from, to: from + 999, source, type: 'statement', fields: { id: FRESH, ...fields } };
}

function read(kind: 'payout' | 'payment_intent', fields: JsonObject | null): Observation {
  const base = { kind, id: FRESH, from: END + 5_000, to: END + 5_200, source: { type: 'poll', ref: '1' } } as const;
  return fields === null ? { ...base, type: 'absence' } : { ...base, type: 'poll', fields: { id: FRESH, ...fields } };
}

const plainWorld = world.map((world): World => ({ ...world, reports: [], searched: [] }));

function after(world: World, more: Observation[], also: Partial<World> = {}): JudgedOrder[] {
  return judge({ ...world, ...also }, [...world.proofs, ...more]).orders;
}

const reasonOf = (orders: JudgedOrder[], reference: string) =>
  orders.find((one) => one.reference === reference)?.order.release.reason;

describe('what reports alone say withholds until it is decided', () => {
  it('a refund: by its payment, or by its reference unless it is no refund; until it is denied, read, searched for, or a person’s', () => {
    const types = fc.constantFrom(
      'refund',
      null,
      'odd',
      'withdrawal_return',
      'resettled',
      'withdrawal',
      'internal',
      'SETTLEMENT',
    );
    fc.assert(
      fc.property(plainWorld, types, (world, payoutType) => {
        for (const { reference, order, facts } of judge(world).orders) {
          if (!order.release.safe) continue;
          const isOther = ['withdrawal', 'internal', 'SETTLEMENT'].includes(payoutType ?? '');
          const paymentIntentId = collectedOf(facts)[0]!.intent.id;
          for (const link of [{ merchantReference: reference }, { paymentIntentId }]) {
            const report = reportOf('payout', { payoutType, status: 'confirmed', ...link });
            const reason = (more: Observation[], also: Partial<World> = {}) =>
              reasonOf(after(world, [report, ...more], also), reference);
            const bare = read('payout', { payoutType: null, status: 'pending', merchantReference: null });
            const held = isOther && 'merchantReference' in link ? 'proven' : 'refund_reported';
            expect(reason([])).toBe(held);
            expect(reason([read('payout', null)])).toBe('proven');
            expect(reason([], { assigned: [...world.assigned, [FRESH, null]] })).toBe('proven');
            expect(reason([], { disproved: ['event'] })).toBe('proven');
            expect(reason([bare], { searched: [[FRESH, END + 999]] })).toBe('proven');
            expect(reason([bare], { searched: [[FRESH, END + 998]] })).toBe('refund_reported');
            // The list shows no type: it may be a refund after all.
            expect(reason([bare])).toBe('refund_reported');
            const elsewhere = read('payout', {
              payoutType: 'refund',
              status: 'pending',
              paymentIntentId: 'p_of_nobody',
            });
            expect(reason([elsewhere])).toBe('proven');
            const withdrawal = read('payout', { payoutType: 'withdrawal', status: 'pending', paymentIntentId: null });
            if ('merchantReference' in link) expect(reason([withdrawal])).toBe('proven');
            // Nor does a report that links it elsewhere, or calls it something else, end what another holds.
            const moved = { paymentIntentId: 'p_of_nobody', merchantReference: 'nobody', payoutType: 'withdrawal' };
            for (const status of ['failed', 'confirmed'])
              expect(reason([reportOf('payout', { status, ...moved }, END + 2_000)])).toBe(held);
            const later = reportOf('payout', { status: 'pending', ...link }, END + 2_000);
            expect(reason([bare, later], { searched: [[FRESH, END + 999]] })).toBe('refund_reported');
          }
        }
      }),
      runs(),
    );
  });

  it('a refund that failed holds no order by its reference, until a report says otherwise', () => {
    fc.assert(
      fc.property(plainWorld, fc.constantFrom('confirmed', 'pending'), (world, status) => {
        for (const { reference, order } of judge(world).orders) {
          if (!order.release.safe) continue;
          const fields = { payoutType: 'refund', merchantReference: reference, paymentIntentId: null };
          const failed = read('payout', { ...fields, status: 'failed' });
          expect(reasonOf(after(world, [failed]), reference)).toBe('proven');
          const doubting = reportOf('payout', { ...fields, status }, END + 9_000);
          const reason = reasonOf(after(world, [failed, doubting], { searched: [[FRESH, END + 60_000]] }), reference);
          expect(reason).toBe(status === 'confirmed' ? 'refund_reported' : 'proven');
        }
      }),
      runs(),
    );
  });

  it('more than three at once, or any amid a flood, are heeded whatever was refuted before; each that is undecided counts', () => {
    const ids = ['x1', 'x2', 'x3', 'x4', 'x5'];
    fc.assert(
      fc.property(plainWorld, fc.subarray(ids), fc.boolean(), fc.nat(), (world, ids, polledLate, turn) => {
        for (const { reference, order, facts } of judge(world).orders) {
          if (!order.release.safe) continue;
          const { id, fields } = collectedOf(facts)[0]!.intent;
          const links = [{ paymentIntentId: id }, { merchantReference: reference, payoutType: 'refund' }, {}];
          const said = ids.map((payout, nth) => ({ ...reportOf('payout', links[(nth + turn) % 3]!), id: payout }));
          // What the payment itself names needs no link: its name is enough.
          const isNamed = said.map((_, nth) => (nth + turn) % 3 === 2);
          const named = isNamed.indexOf(true);
          const naming = { ...read('payment_intent', { ...fields, irregularRefundPayoutId: ids[named] ?? null }), id };
          const counted = isNamed.filter((one, nth) => !one || nth === named).length;
          const orders = after(world, [...said, { ...naming, from: END - 400, to: END - 200 }], { polledLate });
          const found = orders.find((one) => one.reference === reference)!;
          expect(found.family.refundReported).toBe(counted > 0);
          expect(found.family.manyReported).toBe(counted > 3 || (polledLate && counted > 0));
          const deaf = { held: false, refutedAt: [END - 2, END - 1] };
          const isHeld = !holdByReports(found.facts, deaf, END).release.safe;
          // A refund that the service itself names is no report.
          expect(isHeld).toBe(found.family.manyReported || named >= 0);
        }
      }),
      runs(),
    );
  });

  it('a payment that nothing else shows: its order shows it as not verified, where it has nothing better, until it is denied', () => {
    const paid = fc.constantFrom<JsonObject>(
      { status: 'completed' },
      { irregularStatus: 'encashed' },
      { status: 'pending' },
    );
    fc.assert(
      fc.property(plainWorld, paid, (world, said) => {
        const before = judge(world).orders;
        for (const { reference, order } of before) {
          const report = reportOf('payment_intent', { merchantReference: reference, ...said });
          const found = after(world, [report]);
          const saysPaid = said['status'] !== 'pending';
          expect(found.flatMap(({ family, reference }) => (family.saysPaid ? [reference] : []))).toEqual(
            saysPaid ? [reference] : [],
          );
          if (saysPaid && order.status === 'awaiting_payment') expect(reasonOf(found, reference)).toBe('not_verified');
          const denied = after(world, [report, read('payment_intent', null)]);
          expect(denied.map(({ order }) => order)).toEqual(before.map(({ order }) => order));
          expect(denied.some(({ family }) => family.saysPaid)).toBe(false);
          const known = read('payment_intent', { status: 'pending', merchantReference: 'D' });
          const later = reportOf('payment_intent', { merchantReference: reference, ...said }, END + 9_000);
          const states = statesOf([...world.proofs, known, later]);
          expect([...saidOf(world, states).saysPaid]).toEqual([]);
        }
      }),
      runs(),
    );
  });
});
