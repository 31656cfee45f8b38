import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Money } from '../../src/domain/family/money.js';
import type { JsonObject } from '../../src/domain/json.js';
import { type RegistrationVerdict, registrationVerdict, showsMoney } from '../../src/domain/orders/registration.js';
import { fiat, order, paid, state } from '../support/order-lines.js';
import { sized } from '../support/sizes.js';

const EUR = (amount: string): Money => ({ amount, currency: 'EUR' });

const money = fc.constantFrom(EUR('10'), EUR('10.0'), EUR('12'), { amount: '10', currency: 'USD' });
const step = fc.oneof(
  fc.record({ type: fc.constant('put' as const), wanted: money, isCurrent: fc.constantFrom(null, true, false) }),
  fc.record({ type: fc.constant('delete' as const), isCurrent: fc.constantFrom(null, true, false) }),
  fc.constant({ type: 'money' as const }),
);
const DONE: readonly RegistrationVerdict[] = ['registered', 'changed', 'withdrawn'];

describe('registering, changing and withdrawing, in any order, with money in between', () => {
  it('never changes what is expected once money came, nor by who has not seen it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let expected: Money | null = null;
        let received = false;
        for (const one of steps) {
          if (one.type === 'money') {
            received = true;
            continue;
          }
          const wanted: Money | null = one.type === 'put' ? one.wanted : null;
          const verdict = registrationVerdict({ expected, wanted, isCurrent: one.isCurrent, received });
          if (DONE.includes(verdict)) {
            expect(one.isCurrent).not.toBe(false);
            if (expected !== null) expect(received).toBe(false);
            if (expected !== null && wanted !== null) expect(one.isCurrent).toBe(true);
            expected = wanted;
          } else if (verdict === 'unchanged') expect(wanted?.currency).toBe(expected?.currency);
        }
      }),
      { numRuns: sized(500, 20_000) },
    );
  });

  it('takes the first registration at any time, and the same again', () => {
    fc.assert(
      fc.property(money, fc.constantFrom(null, true), fc.boolean(), (wanted, isCurrent, received) => {
        expect(registrationVerdict({ expected: null, wanted, isCurrent, received })).toBe('registered');
        for (const seen of [isCurrent, false])
          expect(registrationVerdict({ expected: wanted, wanted, isCurrent: seen, received })).toBe('unchanged');
      }),
    );
  });
});

const [TEN, TWELVE] = [EUR('10'), EUR('12')];
test.each<[Money | null, Money | null, boolean | null, boolean, RegistrationVerdict]>([
  [null, null, false, true, 'unchanged'],
  [TEN, { amount: '10.0', currency: 'eur' }, false, true, 'unchanged'],
  [null, TEN, false, false, 'stale'],
  [null, TEN, null, true, 'registered'],
  [TEN, TWELVE, null, true, 'conflict'],
  [TEN, { ...TEN, currency: 'USD' }, null, false, 'conflict'],
  [TEN, TWELVE, false, true, 'received'],
  [TEN, TWELVE, true, true, 'received'],
  [TEN, null, null, true, 'received'],
  [TEN, TWELVE, false, false, 'stale'],
  [TEN, null, false, false, 'stale'],
  [TEN, TWELVE, true, false, 'changed'],
  [TEN, null, true, false, 'withdrawn'],
  [TEN, null, null, false, 'withdrawn'],
])('what stands at %j and is to be %j, seen: %s, paid: %s, is %s', (expected, wanted, isCurrent, received, verdict) => {
  expect(registrationVerdict({ expected, wanted, isCurrent, received })).toBe(verdict);
});

const shown = (fields: JsonObject, absent = false) => order({ intents: [{ fields, absent }], payins: [] });

test.each<[string, ReturnType<typeof order>, boolean]>([
  ['a payment that waits', shown(fiat), false],
  ['one that waits, and says nothing of a dispute', shown({ ...fiat, irregularStatus: null }), false],
  ['one that nobody paid in time', shown(state('expired')), false],
  ['one that was cancelled', shown(state('cancelled')), false],
  ['one that says nothing of what came, nor of its state', shown({}), false],
  ['one that waits for its asset to be chosen', shown(state('waiting_address_selection')), false],
  ['no payment', order({ payins: [] }), false],
  ['one that is completed', shown(paid), true],
  ['one that is completed, by what the service denies', shown(paid, true), false],
  ['one that confirms', shown(state('confirming')), true],
  ['one in a state that nobody knows', shown(state('settling')), true],
  ['something received', shown({ ...fiat, totalAmountReceived: '0.01' }), true],
  ['an amount received that can’t be read', shown({ ...fiat, totalAmountReceived: {} }), true],
  ['a payin that it lists', shown({ ...fiat, payins: [{ id: 'p' }] }), true],
  ['a payin', order({ intents: [{ fields: fiat }], payins: [{ fields: { status: 'pending' } }] }), true],
  [
    'a payin that the service denies',
    order({ intents: [{ fields: fiat }], payins: [{ fields: {}, absent: true }] }),
    false,
  ],
  ['a dispute', shown({ ...fiat, irregularStatus: 'pending_decision' }), true],
  ['a refund', { ...shown(fiat), refunds: [{ amount: '1', status: 'pending' }] }, true],
  ['a paid invoice', { ...order({ payins: [], invoices: [{ fields: { status: 'paid' } }] }) }, true],
  ['an invoice', { ...order({ payins: [], invoices: [{ fields: { status: 'sent' } }] }) }, false],
  ['too many payments to know', { ...shown(fiat), shared: true }, true],
])('money shows itself by %s: %#', (_, facts, expected) => {
  expect(showsMoney(facts)).toBe(expected);
});
