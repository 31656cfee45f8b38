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
import { textField } from '../../../src/domain/records.js';
import {
  collectedOf,
  type JudgedOrder,
  judge,
  listedIn,
  ordersOf,
  plain,
  recordsOf,
  saidOf,
  says,
  statesOf,
} from './judge.js';
import { runs, type World, world } from './worlds.js';

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
  currency: textField(change({ currency }), 'currency') ?? currency,
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
const named = ({ fields }: ShownRecord): string | null =>
  typeof fields['merchantReference'] === 'string' && fields['merchantReference'] !== ''
    ? fields['merchantReference']
    : null;
const linked = (intent: ShownRecord, invoice: ShownRecord) =>
  says(intent, 'invoiceId', invoice.id) || says(invoice, 'paymentIntentId', intent.id);
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
            const isNear = family.invoices.some((invoice) => named(invoice) === reference && linked(intent, invoice));
            expect(has(family.elsewhere)).toBe(!isPossible && possible.length === 1 && isNear);
          }
        }
        for (const { reference, family } of orders) {
          const payments = family.intents.filter((intent) => named(intent) === reference);
          const own = known(records.invoice).filter(
            (invoice) => named(invoice) === reference || payments.some((intent) => linked(intent, invoice)),
          );
          expect(byId(family.invoices)).toEqual(byId(own));
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
          expect(byId(family.payins)).toEqual(byId(own));
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

function byId(records: readonly ShownRecord[]): ShownRecord[] {
  return records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

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
