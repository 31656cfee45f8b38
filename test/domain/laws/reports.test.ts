import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { familyKinds } from '../../../src/domain/family/links.js';
import { grossOf, netOf } from '../../../src/domain/family/money.js';
import { sumAmounts } from '../../../src/domain/money.js';
import type { Observation } from '../../../src/domain/observation.js';
import { withoutReports } from '../../../src/domain/orders/hold-by-reports.js';
import { deriveOrder, requested } from '../../../src/domain/orders/order.js';
import { type JudgedOrder, judge, judgeProofs, plain, safe } from './judge.js';
import { runsWithRare } from './rare-worlds.js';
import { END, report, runs, type World, world } from './worlds.js';

/** Why a payin that the payment lists does not count: it is not there, or reports alone speak of it. */
const UNREAD = ['payins_unread', 'before_adoption', 'payin_not_verified'];
const shortened = ({ status, release }: JudgedOrder['order']) => ({
  status,
  safe: release.safe,
  provenAt: release.provenAt,
  reason: UNREAD.includes(release.reason) ? 'payins_unread' : release.reason,
});

/** What an order asks for, was paid and gave back, and how many records count towards its limits. */
function amountsOf({ facts, family }: JudgedOrder) {
  const { intents, invoices, contested = [], elsewhere = [], refunds } = facts;
  return {
    expected: requested([], facts),
    gross: sumAmounts(intents.map(({ fields }) => grossOf(fields))),
    net: sumAmounts(intents.map(({ fields }) => netOf(fields) ?? '0')),
    refunds: refunds.map(({ amount, status, paymentIntentId }) => `${paymentIntentId} ${status} ${amount}`).sort(),
    unlinked: family.unlinked.map(({ id }) => id).sort(),
    counts: [intents, invoices, contested, elsewhere].map((records) => records.map(({ id }) => id).sort()),
  };
}

describe('L1 reports raise nothing', () => {
  it('what is safe with them is safe without them, and amounts and limits are the same', () => {
    fc.assert(
      fc.property(world, (world) => {
        const [all, proven] = [judge(world), judgeProofs(world)];
        expect(safe(proven)).toEqual(expect.arrayContaining(safe(all)));
        expect(all.orders.map(amountsOf)).toEqual(proven.orders.map(amountsOf));
      }),
      runsWithRare(2),
    );
  });

  it('an order that heeds no reports is the order of the proofs', () => {
    fc.assert(
      fc.property(world, (world) => {
        const without = judge(world).orders.map(({ facts }) => shortened(deriveOrder(withoutReports(facts))));
        expect(without).toEqual(judgeProofs(world).orders.map(({ order }) => shortened(order)));
      }),
      runsWithRare(2),
    );
  });
});

/** Every record that the reports name is read as it stands, or is proven absent, after all of them. */
function settled({ proofs, reports }: World): Observation[] {
  const texts = JSON.stringify(reports.map((one) => [one.id, 'fields' in one ? one.fields : null]));
  const named = [...new Set([...texts.matchAll(/"([pdiox]\d)"/g)].map(([, id]) => id!))];
  return named.flatMap((id): Observation[] => {
    const kind = familyKinds[['p', 'd', 'i', 'o'].indexOf(id[0]!)]!;
    const base = { kind, id, from: END, to: END + 200, source: { type: 'poll', ref: 'settled' } } as const;
    const reading = proofs.findLast((one) => one.kind === kind && one.id === id && one.type === 'poll');
    return [
      reading?.type === 'poll' ? { ...base, type: 'poll', fields: reading.fields } : { ...base, type: 'absence' },
    ];
  });
}

describe('L2 reports do not last', () => {
  it('once every record that they name was read or is absent, and history was searched, they change nothing', () => {
    fc.assert(
      fc.property(world, (given) => {
        const searched = ['o1', 'o2', 'o3', 'o9'].map((id): [string, number] => [id, END]);
        const world = { ...given, searched };
        const proofs = [...world.proofs, ...settled(world)];
        const [all, proven] = [judge(world, [...proofs, ...world.reports]), judge(world, proofs)];
        expect(all.orders.map(settledOrder)).toEqual(proven.orders.map(settledOrder));
        for (const { order, facts } of all.orders) expect(deriveOrder(withoutReports(facts))).toEqual(order);
      }),
      runsWithRare(2),
    );
  });
});

/** Reports speak of a denied record for ever; that they call it paid is no part of what counts. */
const settledOrder = (one: JudgedOrder): unknown =>
  JSON.parse(JSON.stringify(plain(one)).replaceAll(String.raw`\"saysPaid\":true`, String.raw`\"saysPaid\":false`));

describe('L7 absence heals', () => {
  it('a record that reports alone spoke of, and that is denied, counts for nothing and withholds nothing', () => {
    fc.assert(
      fc.property(world, fc.array(report, { minLength: 1, maxLength: 4 }), (given, reports) => {
        const world = { ...given, reports: [] };
        const invented = reports.map((one) => ({ ...one, id: `x${one.kind}` }));
        const denials = invented.map(
          ({ kind, id }): Observation => ({
            kind,
            id,
            type: 'absence',
            from: END,
            to: END + 200,
            source: { type: 'poll', ref: '1' },
          }),
        );
        const healed = judge(world, [...world.proofs, ...invented, ...denials]);
        expect(healed.orders.map(plain)).toEqual(judgeProofs(world).orders.map(plain));
      }),
      runs(),
    );
  });
});
