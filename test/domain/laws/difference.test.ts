import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Money } from '../../../src/domain/family/money.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { differenceOf, withoutReports } from '../../../src/domain/orders/hold-by-reports.js';
import { deriveOrder } from '../../../src/domain/orders/order.js';
import type { OrderFacts } from '../../../src/domain/orders/order-facts.js';
import { textField } from '../../../src/domain/records.js';
import { eur, fiat, gave, many, order, paid, ruled, state, under, want } from '../../support/order-lines.js';
import { sized } from '../../support/sizes.js';
import { judge } from './judge.js';
import { runsWithRare } from './rare-worlds.js';
import { world } from './worlds.js';

const Exact = Decimal.clone({ precision: 300, toExpNeg: -9e15, toExpPos: 9e15 });
const differenceIn = (facts: OrderFacts): Money | null => differenceOf(deriveOrder(facts).status, facts);

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
const amount = fc
  .tuple(digits(7), digits(18))
  .map(([whole, fraction]) => `${whole}.${fraction}`)
  .filter((text) => /[1-9]/.test(text));

interface Payment {
  fields: JsonObject;
  /** What it counts for, reckoned here once more. */
  counts: string;
}

/** A payment that came in whole, in part or with too much, and was kept; or one that ended with a part of it. */
const payment: fc.Arbitrary<Payment> = fc
  .record({
    requested: amount,
    due: fc.option(amount, { nil: null }),
    received: amount,
    end: fc.constantFrom('in range', 'in range', 'encashed', 'off range'),
    currency: fc.constantFrom('EUR', 'eur'),
  })
  .map(({ requested, due, received, end, currency }) => {
    const isInRange = end === 'in range';
    const share = new Exact(requested).times(received).dividedBy(due ?? requested);
    const fields = {
      ...paid,
      amountRequested: requested,
      currencyRequested: currency,
      requestedCurrencyType: due === null ? 'crypto' : 'fiat',
      amountCryptoExpected: due,
      totalAmountReceived: received,
      amountNetMerchant: null,
      amountRejected: isInRange ? '0' : received,
      amountInRange: isInRange ? received : '0',
    };
    const counts = isInRange ? requested : share.toFixed(18, Decimal.ROUND_DOWN);
    return { fields: end === 'encashed' ? ruled(fields, 'encashed') : fields, counts };
  });

const registered = fc.option(amount.map(eur), { nil: null });
const open = amount.map((requested): JsonObject => ({ ...fiat, amountRequested: requested }));

const worlds = fc.record({
  payments: fc.array(payment, { minLength: 1, maxLength: 4 }),
  opened: fc.array(open, { maxLength: 2 }),
  expected: registered,
});
type Given = typeof worlds extends fc.Arbitrary<infer G> ? G : never;

function factsOf({ payments, opened, expected }: Given): OrderFacts {
  return { ...many(...payments.map(({ fields }) => fields), ...opened), expected };
}

function askedOf({ payments, opened, expected }: Given): Decimal {
  const requests = [...payments.map(({ fields }) => fields), ...opened].map(
    (fields) => textField(fields, 'amountRequested') ?? '0',
  );
  return expected === null ? Exact.max(...requests) : new Exact(expected.amount);
}

const runs = { numRuns: sized(400, 20_000) };

describe('what is owed, and what is to be given back', () => {
  it('received and owed are asked, received without the surplus is; else nothing is said', () => {
    const seen = { underpaid: 0, overpaid: 0 };
    fc.assert(
      fc.property(worlds, (given) => {
        const facts = factsOf(given);
        const { status } = deriveOrder(facts);
        const difference = differenceOf(status, facts);
        const received = Exact.sum(0, ...given.payments.map(({ counts }) => counts));
        const missing = askedOf(given).minus(received);
        if (difference === null) {
          expect(status === 'underpaid' ? missing.lte(0) : status !== 'overpaid' || missing.gte(0)).toBe(true);
          return;
        }
        expect(difference.currency.toUpperCase()).toBe('EUR');
        expect(difference.amount).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
        const signed = status === 'underpaid' ? new Exact(difference.amount) : new Exact(difference.amount).neg();
        expect(received.plus(signed).toFixed()).toBe(askedOf(given).toFixed());
        seen[status as keyof typeof seen] += 1;
      }),
      runs,
    );
    expect(Math.min(seen.underpaid, seen.overpaid)).toBeGreaterThan(runs.numRuns / 50);
  });

  it('one more payment of what is owed makes the order paid', () => {
    fc.assert(
      fc.property(worlds, (given) => {
        const facts = factsOf(given);
        const owed = differenceIn(facts);
        fc.pre(deriveOrder(facts).status === 'underpaid' && owed !== null && given.opened.length === 0);
        const rest = { ...paid, amountRequested: owed?.amount ?? null, currencyRequested: owed?.currency ?? null };
        const after = { ...many(...given.payments.map(({ fields }) => fields), rest), expected: facts.expected };
        expect(deriveOrder(after).status).toBe('paid');
        expect(differenceIn(after)).toBeNull();
      }),
      runs,
    );
  });

  it('of a payment that ended with too little it is what is owed once the service keeps it', () => {
    fc.assert(
      fc.property(payment, registered, fc.constantFrom('expired', 'cancelled'), ({ fields }, expected, status) => {
        const ended = { ...many({ ...fields, status, irregularStatus: 'none' }), expected };
        fc.pre(deriveOrder(ended).status === 'underpaid');
        const kept = { ...many(ruled(fields, 'encashed')), expected };
        if (deriveOrder(kept).status === 'underpaid') expect(differenceIn(ended)).toEqual(differenceIn(kept));
        else expect(differenceIn(ended)).toBeNull();
      }),
      runs,
    );
  });

  it('is nothing that reports bring about, and of no other state of an order', () => {
    fc.assert(
      fc.property(world, (world) => {
        for (const { order: shown, facts } of judge(world).orders) {
          const difference = differenceOf(shown.status, facts);
          expect(difference).toEqual(differenceOf(shown.status, withoutReports(facts)));
          if (difference !== null) expect(['underpaid', 'overpaid']).toContain(shown.status);
        }
      }),
      runsWithRare(),
    );
  });

  const short = { ...state('expired'), totalAmountReceived: '20' };
  const dollars = { ...under, currencyRequested: 'USD' };
  it.each([
    ['too little, not registered', many(under), eur('20')],
    ['less than registered', want(eur('100.50'), paid), eur('0.5')],
    ['more than registered', want(eur('99.5'), paid), eur('0.5')],
    ['ended with too little', many(short), eur('60')],
    ['ended with too little, beside another try', many(short, fiat), eur('60')],
    [
      'an invoice of more',
      order({
        intents: [{ fields: paid }],
        invoices: [{ fields: { status: 'sent', amount: '150', currency: 'EUR' } }],
      }),
      eur('50'),
    ],
    ['paid', many(paid), null],
    ['paid twice', many(paid, paid), null],
    ['off its own range alone', want(eur('80'), under), null],
    ['another currency', want(eur('100'), dollars), null],
    ['an amount that is not shown', want(eur('100'), { ...under, totalAmountReceived: null }), null],
    ['a request that is not shown', many({ ...paid, amountRequested: null }, under), null],
    ['given back, or on its way', { ...many(under), refunds: [gave('40', 'pending')] }, null],
    ['a refund that failed', { ...many(under), refunds: [gave('40', 'failed')] }, eur('20')],
    ['ended with too little, and not polled', order({ intents: [{ fields: short, verified: false }] }), null],
    ['a refund without a link', { ...many(under), refundUnlinked: true }, null],
    ['money that another order could have', { ...many(under), contested: many(paid).intents }, null],
  ] as const)('%s', (_name, facts, difference) => expect(differenceIn(facts)).toEqual(difference));
});
