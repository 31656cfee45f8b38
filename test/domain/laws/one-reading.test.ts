import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MatchFacts } from '../../../src/domain/books/match/match-facts.js';
import { expectedOf, grossOf, sidesOf } from '../../../src/domain/books/match/match-sides.js';
import type { FamilyRecords } from '../../../src/domain/family/family.js';
import { type ShownRecord } from '../../../src/domain/family/links.js';
import type { Money } from '../../../src/domain/family/money.js';
import type { Json, JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { requested } from '../../../src/domain/orders/order.js';
import type { OrderFacts } from '../../../src/domain/orders/order-facts.js';
import {
  collectedOf,
  type Judged,
  type JudgedOrder,
  judge,
  judgeProofs,
  ordersOf,
  plain,
  recordsOf,
  saidOf,
  statesOf,
} from './judge.js';
import { references, runs, type World, world } from './worlds.js';

const matchFacts = (order: OrderFacts): MatchFacts => ({
  kind: 'order',
  id: order.reference,
  openedAt: 0,
  order,
  registeredAt: null,
  refunds: [],
  claims: [],
  elsewhere: [],
  moved: [],
  unclear: [],
  booked: [],
  opened: new Set(),
});

describe('L5 one reading of each fact', () => {
  it('the same for any order of rows, of records and of what was observed', () => {
    const shuffled = world.chain((world) =>
      fc.tuple(
        fc.constant(world),
        fc.shuffledSubarray([...world.proofs, ...world.reports], {
          minLength: world.proofs.length + world.reports.length,
        }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([world, observations]) => {
        const states = statesOf([...world.proofs, ...world.reports]);
        const records = recordsOf(states);
        const turned = Object.fromEntries(
          Object.entries(records).map(([kind, all]) => [kind, all.toReversed()]),
        ) as unknown as FamilyRecords;
        const expected = ordersOf(world, records, saidOf(world, states)).map(plain);
        expect(ordersOf(world, turned, saidOf(world, states)).map(plain)).toEqual(expected);
        expect(judge(world, observations).orders.map(plain)).toEqual(expected);
      }),
      runs(),
    );
  });

  it('the release and the match expect the same, and ask for it by what is due', () => {
    fc.assert(
      fc.property(world, (world) => {
        for (const { facts, order } of judge(world).orders) {
          for (const intent of facts.intents) agreeOnGross(intent);
          if (!order.release.safe) continue;
          const expected = facts.expected ?? requested(collectedOf(facts), facts).expected;
          expect(expectedOf(matchFacts(facts))).toEqual(expected);
          const [one, ...more] = collectedOf(facts);
          if (facts.expected !== null || one === undefined || more.length > 0) continue;
          const { amountCryptoExpected, amountRequested } = one.intent.fields;
          const fields: JsonObject = { ...one.intent.fields, assetCode: 'BTC' };
          const intents = facts.intents.map((intent) => (intent.id === one.intent.id ? { ...intent, fields } : intent));
          const asked = sidesOf(matchFacts({ ...facts, intents })).find(({ code }) => code === 'BTC')?.asked ?? '0';
          if (fields['requestedCurrencyType'] !== 'fiat') expect(asked).toBe(amountCryptoExpected ?? amountRequested);
          else expect(asked).toBe(amountCryptoExpected ?? '0');
        }
      }),
      runs(),
    );
  });

  it('what says the same in other words is the same', () => {
    fc.assert(
      fc.property(world, (world) => {
        const same = judge(world).orders.map(listed);
        const told = (change: (fields: JsonObject) => JsonObject) => judge(rewritten(world, change)).orders.map(listed);
        expect(told(withoutEmpty)).toEqual(same);
        expect(told(inUpperCase)).toEqual(same);
        expect(told(cryptoUnsaid)).toEqual(same);
        expect(told(cryptoDue)).toEqual(same);
      }),
      runs(),
    );
  });
});

function agreeOnGross(intent: ShownRecord): void {
  const { amountNetMerchant: net, feeAmountTotal: fee } = intent.fields;
  if (!intent.verified || net === undefined) return;
  const gross = Number(net) > 0 ? Number(net) + Number(fee) : 0;
  expect(Number(grossOf(intent))).toBe(gross);
}

/** Ids and verdicts, without the fields. */
function listed({ family, order }: JudgedOrder): unknown {
  const { intents, contested, elsewhere, payins, invoices, unlinked, refunds, refundReported, saysPaid } = family;
  const idsOf = (records: readonly ShownRecord[]) => records.map(({ id }) => id).sort();
  return {
    order,
    records: [intents, contested.map(({ intent }) => intent), elsewhere, payins, invoices, unlinked].map(idsOf),
    refunds: refunds.map((refund) => JSON.stringify(refund)).sort(),
    refundReported,
    saysPaid,
  };
}

function rewritten(world: World, change: (fields: JsonObject) => JsonObject): World {
  const each = (observations: Observation[]) =>
    observations.map((one) => ('fields' in one ? { ...one, fields: change(one.fields) } : one));
  const expected = Object.fromEntries(
    Object.entries(world.expected).map(([key, money]) => [key, money === null ? null : inCase(money, change)]),
  );
  return { ...world, proofs: each(world.proofs), reports: each(world.reports), expected };
}

const inCase = ({ amount, currency }: Money, change: (fields: JsonObject) => JsonObject): Money => ({
  amount,
  currency: textField(change({ currency }), 'currency') ?? '',
});

const map = (fields: JsonObject, change: (value: Json, name: string) => Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const after = change(value ?? null, name);
      return after === undefined ? [] : [[name, after]];
    }),
  );
const withoutEmpty = (fields: JsonObject) => map(fields, (value) => (value === '' ? null : value));
const inUpperCase = (fields: JsonObject) =>
  map(fields, (value, name) =>
    /currency(Requested)?$/.test(name) && typeof value === 'string' ? value.toUpperCase() : value,
  );
const cryptoUnsaid = (fields: JsonObject) =>
  map(fields, (value, name) => (name === 'requestedCurrencyType' && value !== 'fiat' ? undefined : value));
const cryptoDue = (fields: JsonObject) =>
  fields['amountCryptoExpected'] === null &&
  'requestedCurrencyType' in fields &&
  fields['requestedCurrencyType'] !== 'fiat' &&
  fields['amountRequested'] !== undefined
    ? { ...fields, amountCryptoExpected: fields['amountRequested'] }
    : fields;

const known = (records: readonly ShownRecord[]) => records.filter(({ unknown }) => unknown !== true);
const says = ({ fields }: ShownRecord, name: string, id: string) => fields[name] === id;
const named = ({ fields }: ShownRecord): string | null =>
  typeof fields['merchantReference'] === 'string' && fields['merchantReference'] !== ''
    ? fields['merchantReference']
    : null;
const linked = (intent: ShownRecord, invoice: ShownRecord) =>
  says(intent, 'invoiceId', invoice.id) || says(invoice, 'paymentIntentId', intent.id);
const listedIn = ({ fields }: ShownRecord): string[] =>
  (Array.isArray(fields['payins']) ? fields['payins'] : []).flatMap((one) =>
    typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? [one.id] : [],
  );

/** The table of docs/orders.md, said once more from each record's own side. */
describe('what belongs to an order', () => {
  it('payments by their own reference, else by the one of their invoices; invoices by theirs, or by a payment that has one', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { records, orders } = judge(world);
        const linking = known(records.invoice).filter(({ absent, ownCall }) => !absent || ownCall !== null);
        for (const intent of records.payment_intent) {
          const own = named(intent);
          const invoiced = linking.filter((invoice) => linked(intent, invoice)).map(named);
          const all = own === null ? [...new Set(invoiced.filter((one) => one !== null))] : [own];
          const possible = intent.unknown === true ? [] : all;
          for (const { reference, family } of orders) {
            const isPossible = possible.includes(reference);
            const has = (list: readonly ShownRecord[]) => list.some(({ id }) => id === intent.id);
            expect(has(family.intents)).toBe(isPossible && possible.length === 1);
            expect(has(family.contested.map((one) => one.intent))).toBe(isPossible && possible.length > 1);
            const isNear = family.invoices.some((invoice) => linked(intent, invoice));
            expect(has(family.elsewhere)).toBe(!isPossible && possible.length === 1 && isNear);
          }
        }
        for (const { reference, family } of orders) {
          const payments = family.intents.filter((intent) => named(intent) === reference);
          const own = known(records.invoice).filter(
            (invoice) => named(invoice) === reference || payments.some((intent) => linked(intent, invoice)),
          );
          expect(family.invoices).toEqual(own);
        }
      }),
      runs(),
    );
  });

  it('deposits and refunds are those of its payments', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { records, orders } = judge(world);
        for (const { family, reference } of orders) {
          const payments = [...family.intents, ...family.contested.map(({ intent }) => intent)];
          const own = records.payin.filter((payin) =>
            payments.some(
              (payment) => says(payin, 'paymentIntentId', payment.id) || listedIn(payment).includes(payin.id),
            ),
          );
          expect(family.payins).toEqual(own);
          const ids = payments.map(({ id }) => id);
          const given = records.payout.filter((payout) => {
            const owner = ownerOf(payout, records, world);
            return (
              owner !== null &&
              ids.includes(owner) &&
              (payout.unknown !== true || new Map(world.assigned).has(payout.id))
            );
          });
          const denied = ({ absent, unknown }: ShownRecord) => absent && unknown === true;
          expect(family.refunds).toHaveLength(given.filter((payout) => !denied(payout)).length);
          for (const payout of family.unlinked) {
            expect(named(payout)).toBe(reference);
            expect(ownerOf(payout, records, world)).toBe(null);
          }
          const listed = payments
            .map(({ fields }) => fields['irregularRefundPayoutId'] ?? '')
            .filter((id) => id !== '');
          expect(family.refundIds).toEqual(expect.arrayContaining(listed));
          expect(family.refundIds).toEqual([...new Set(family.refundIds)].sort());
        }
      }),
      runs(),
    );
  });
});

/** A person's word; else the first payment that names it, one that the service lists before others; else its own word. */
function ownerOf(payout: ShownRecord, records: FamilyRecords, { assigned }: World): string | null {
  const decided = new Map(assigned).get(payout.id);
  if (decided !== undefined) return decided;
  const naming = records.payment_intent.filter((intent) => says(intent, 'irregularRefundPayoutId', payout.id));
  const present = naming.filter(({ absent }) => !absent);
  const [first] = (present.length > 0 ? present : naming).map(({ id }) => id).sort();
  if (first !== undefined) return first;
  const { payoutType, paymentIntentId } = payout.fields;
  if (typeof payoutType === 'string' && payoutType.toLowerCase().includes('settle')) return null;
  return typeof paymentIntentId === 'string' && paymentIntentId !== '' ? paymentIntentId : null;
}

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
          for (const { fields } of requests) expect(isSame(fields['currencyRequested'], expected.currency)).toBe(true);
          const paid = collected.map(({ intent }) => Number(intent.fields['amountRequested']));
          expect(paid.reduce((sum, one) => sum + one, 0)).toBe(Number(expected.amount));
        }
      }),
      runs(),
    );
  });

  it('safe is only what was read whole: deposits final and passed, none unscreened where the account screens', () => {
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
      runs(),
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
  expect(references.length).toBe(3);
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
