import { Decimal } from 'decimal.js';
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
import { collectedOf, type JudgedOrder, judge, ordersOf, plain, recordsOf, saidOf, statesOf } from './judge.js';
import { runsWithRare } from './rare-worlds.js';
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
  currency: 'USD',
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
      runsWithRare(),
    );
  });

  it('what says the same in other words is the same', () => {
    fc.assert(
      fc.property(world, (world) => {
        const same = judge(world).orders.map(listed);
        const judgedAfter = (change: (fields: JsonObject) => JsonObject) =>
          judge(rewritten(world, change)).orders.map(listed);
        expect(judgedAfter(withoutEmpty)).toEqual(same);
        expect(judgedAfter(inUpperCase)).toEqual(same);
        expect(judgedAfter(cryptoUnsaid)).toEqual(same);
        expect(judgedAfter(cryptoDue)).toEqual(same);
      }),
      runsWithRare(),
    );
  });
});

function agreeOnGross(intent: ShownRecord): void {
  const { fields, verified } = intent;
  if (!verified || fields['amountNetMerchant'] === undefined) return;
  const [net = '0', fee = '0'] = ['amountNetMerchant', 'feeAmountTotal'].map((name) => textField(fields, name) ?? '0');
  const gross = new Decimal(net).gt(0) ? new Decimal(net).plus(fee) : new Decimal(0);
  expect(gross.equals(grossOf(intent))).toBe(true);
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
