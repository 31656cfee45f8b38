import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../../src/domain/family/links.js';
import type { Json } from '../../../src/domain/json.js';
import { requested } from '../../../src/domain/orders/order.js';
import type { OrderFacts } from '../../../src/domain/orders/order-facts.js';
import { textField } from '../../../src/domain/records.js';
import { collectedOf, type Judged, judge, judgeProofs, listedIn, says } from './judge.js';
import { runsWithRare } from './rare-worlds.js';
import { world } from './worlds.js';

const OFF = ['expired', 'cancelled'];
/** The service shows it, and it asks for something still. */
const asks = ({ absent, unknown, fields }: ShownRecord) =>
  !absent && unknown !== true && !OFF.includes(textField(fields, 'status') ?? '');
const isSame = (a: Json | undefined, b: string) => typeof a === 'string' && a.toUpperCase() === b.toUpperCase();

describe('L9 what is open counts', () => {
  it('without a registration an order expects no less than any open request or invoice of its family', () => {
    fc.assert(
      fc.property(world, (world) => {
        for (const { facts, order } of judge(world).orders) {
          const collected = collectedOf(facts);
          const { expected } = requested(collected, facts);
          const requests = facts.intents.filter(asks);
          if (requests.some(({ fields }) => fields['amountRequested'] && fields['currencyRequested']))
            expect(expected).not.toBe(null);
          if (expected === null) continue;
          const least = [
            ...requests.map(({ fields }) => [fields['amountRequested'], fields['currencyRequested']]),
            ...facts.invoices.filter(asks).map(({ fields }) => [fields['amount'], fields['currency']]),
          ].filter(([amount, currency]) => typeof amount === 'string' && isSame(currency, expected.currency));
          for (const [amount] of least) expect(Number(expected.amount)).toBeGreaterThanOrEqual(Number(amount));
          if (!order.release.safe || facts.expected !== null) continue;
          const isPaid = new Set(collected.map(({ intent }) => intent.id));
          for (const { id, fields } of requests) {
            expect(isSame(fields['currencyRequested'], expected.currency)).toBe(true);
            if (!isPaid.has(id)) expect(typeof fields['amountRequested']).toBe('string');
          }
          const paid = collected.map(({ intent }) => Number(intent.fields['amountRequested']));
          expect(paid.reduce((sum, one) => sum + one, 0)).toBe(Number(expected.amount));
        }
      }),
      runsWithRare(),
    );
  });

  it('safe is only what was read whole: payins final and passed, none unscreened where the account screens', () => {
    fc.assert(
      fc.property(world, (world) => {
        const judged = judge(world);
        for (const { facts, order } of judged.orders) {
          if (!order.release.safe) continue;
          for (const { intent } of collectedOf(facts)) wholeAndPassed(intent, judged, world.showsKyt);
          const counted = collectedOf(facts).map(({ intent }) => intent.id);
          for (const { status, paymentIntentId = null } of facts.refunds) {
            if (counted.includes(paymentIntentId ?? '')) expect(status).toBe('failed');
            else expect(['failed', 'confirmed']).toContain(status);
          }
          const times = readings(judgeProofs(world), facts);
          expect(order.release.provenAt).toBe(Math.min(...times));
        }
      }),
      runsWithRare(),
    );
  });
});

function wholeAndPassed(intent: ShownRecord, { records }: Judged, showsKyt: boolean): void {
  const { payins } = intent.fields;
  const items = Array.isArray(payins) ? payins : [];
  const own = records.payin.filter(({ id }) => listedIn(intent).includes(id));
  expect(own.length).toBe(items.length);
  expect([intent.verified, intent.doubted]).toEqual([true, false]);
  const naming = records.payin.filter((payin) => says(payin, 'paymentIntentId', intent.id));
  for (const { fields, verified, doubted } of [...own, ...naming]) {
    expect([verified, doubted]).toEqual([true, false]);
    expect(showsKyt ? ['approved'] : ['approved', null]).toContain(fields['kytStatus']);
    expect(['confirmed', 'unmatched']).toContain(fields['status']);
  }
}

function readings({ records }: Judged, facts: OrderFacts): number[] {
  return collectedOf(facts).flatMap(({ intent }) => {
    const payins = records.payin.filter(
      (payin) => says(payin, 'paymentIntentId', intent.id) || listedIn(intent).includes(payin.id),
    );
    return [intent, ...payins].map(({ verifiedAt }) => verifiedAt ?? 0);
  });
}

it('the worlds are worth it: each case that the laws speak of is among them', () => {
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const one of fc.sample(world, { numRuns: 250, seed: 3 })) {
    const [all, proven] = [judge(one), judgeProofs(one)];
    for (const [index, { family, order }] of all.orders.entries()) {
      see(order.release.reason);
      if (proven.orders[index]?.order.release.safe === true && !order.release.safe) see('held by reports');
      for (const name of ['contested', 'elsewhere', 'refunds', 'unlinked', 'invoices'] as const) {
        if (family[name].length > 0) see(name);
      }
    }
  }
  const wanted = [
    'proven',
    'held by reports',
    'contested',
    'elsewhere',
    'refunds',
    'unlinked',
    'invoices',
    'refund_reported',
    'two_orders',
  ];
  for (const what of wanted) expect([what, (seen.get(what) ?? 0) > 0]).toEqual([what, true]);
});
