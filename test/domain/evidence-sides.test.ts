import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BreakKind, breakKinds } from '../../src/domain/breaks/breaks.js';
import { evidenceLabel, evidenceSides, sideAmounts, unsaidWords } from '../../src/domain/breaks/evidence-sides.js';
import type { Json, JsonObject } from '../../src/domain/json.js';

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, 'open', 'paid', true),
  fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  fc.constantFrom<Json>({ a: '1', b: '2' }, { b: '2', a: '1' }),
);
const side = fc.oneof(value, fc.dictionary(fc.constantFrom('status', 'amount', 'source'), value, { maxKeys: 3 }));
const both = fc.record({ ours: value, theirs: value, source: value });
const held = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), amount: value }), { maxLength: 4 });
const evidence: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('ours', 'theirs', 'source', 'fee', 'since', 'payments'),
  fc.oneof(side, both, held),
);

test('law: nothing of the evidence is lost, no column is empty, and nothing is marked of which a side says nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...breakKinds), evidence, (kind, given) => {
      const { fields, alone, records, besides } = evidenceSides(kind, given);
      const shown = JSON.stringify([fields, alone, records, besides]);
      for (const [name, said] of Object.entries(given))
        for (const part of partsOf(name, said)) expect(shown).toContain(JSON.stringify(part));
      for (const { ours, theirs, differs } of fields) if (ours === null || theirs === null) expect(differs).toBe(false);
      for (const side of ['ours', 'theirs'] as const)
        expect(fields.length === 0 || fields.some((field) => field[side] !== null)).toBe(true);
    }),
  );
});

/** What has to stand somewhere. The source of both sides stands with the service's, where that has none of its own. */
function partsOf(name: string, said: Json): Json[] {
  if (name === 'source') return [];
  const isField = said !== null && typeof said === 'object' && !Array.isArray(said);
  if (name !== 'ours' && name !== 'theirs')
    return isField && 'ours' in said && said['ours'] === null && said['theirs'] === null ? [] : [name];
  return (isField ? Object.values(said) : [said]).flatMap((one = null) => (one === null ? [] : [one]));
}

test('what the service sent and what is here are one row, under one plain name; empty fields are left out', () => {
  const given = {
    class: 'phantom',
    ours: { held: false, eventId: null, source: { type: 'inbox', ref: null } },
    theirs: { status: 'succeeded', httpStatus: '200', source: { type: 'poll', ref: '7' } },
  };
  const { fields, alone, besides } = evidenceSides('phantom_delivery', given);
  expect(fields).toMatchObject([{ name: 'delivery', ours: false, theirs: 'succeeded', differs: true }]);
  expect(alone).toEqual({
    ours: { source: given.ours.source },
    theirs: { httpStatus: '200', source: given.theirs.source },
  });
  expect(besides).toEqual({ class: 'phantom' });
  expect(['httpStatus', 'lastAttemptAt', 'payin_net', 'endpointId'].map(evidenceLabel)).toEqual([
    'HTTP status',
    'last attempt',
    'payin net',
    'endpoint',
  ]);
});

test('the order of names inside a value makes no difference; two sides of which one is not said differ in nothing', () => {
  const { fields } = evidenceSides('stale_record', {
    ours: { a: { x: '1', y: '2' }, b: '1', c: null },
    theirs: { a: { y: '2', x: '1' }, b: '2', c: '3' },
  });
  expect(fields.map(({ name, differs }) => [name, differs])).toEqual([
    ['a', false],
    ['b', true],
    ['c', false],
  ]);
});

test('records that a field names two or three of stand beside one another, and what differs is marked', () => {
  const payment = (id: string, received: Json) => ({ id, status: 'completed', totalAmountReceived: received });
  const { records, besides } = evidenceSides('duplicate_payment', {
    expected: null,
    payments: [payment('pi_1', '10'), { ...payment('pi_2', '12'), kyt: 'approved' }],
  });
  expect(besides).toEqual({ expected: null });
  expect(records).toEqual([
    {
      name: 'payments',
      ids: ['pi_1', 'pi_2'],
      fields: [
        { name: 'status', values: ['completed', 'completed'], differs: false },
        { name: 'totalAmountReceived', values: ['10', '12'], differs: true },
        { name: 'kyt', values: [null, 'approved'], differs: false },
      ],
    },
  ]);
  expect(unsaidWords('expected')).toBe('not registered by the store');
  const numbers = [0, 1, 2, 3, 4].map((n) => payment(`pi_${n}`, '1'));
  for (const payments of [numbers.slice(0, 1), numbers.slice(0, 4), [payment('pi_1', '1'), payment('pi_1', '2')]])
    expect(evidenceSides('duplicate_payment', { payments })).toMatchObject({ records: [], besides: { payments } });
});

test('what the sides say in money stands with its asset: of several fields the first that differs', () => {
  const source = { type: 'poll', ref: '7' };
  const sides = (ours: Json, theirs: Json) => ({ ours, theirs, source });
  const about = (kind: BreakKind, entityKind: string) => ({ kind, entity: { kind: entityKind, id: 'BTC' } });
  const payment = { status: 'completed', amountRequested: '10', currencyRequested: 'EUR', assetCode: 'BTC' };
  const expected = { amount: '10', currency: 'EUR' };
  expect(
    [
      sideAmounts(about('balance_residual', 'balance'), {
        ours: { explained: '1.5', source },
        theirs: { balance: '-2', source },
      }),
      sideAmounts(about('order_overpaid', 'order'), {
        'paymentIntent pi_1': sides(expected, { ...payment, totalAmountReceived: '0.1' }),
      }),
      sideAmounts(about('order_amount_mismatch', 'order'), {
        'paymentIntent pi_1': sides(expected, { ...payment, totalAmountReceived: '0' }),
      }),
      sideAmounts(about('refund_without_order', 'payout'), {
        amount: sides(null, '3'),
        assetCode: sides(null, 'USDT.TRON'),
      }),
      sideAmounts(about('balance_identity', 'payout'), { net: sides('1', '1'), fee: sides('2', '3') }),
      sideAmounts(about('product_count', 'product'), {
        ours: { totalIntents: '3' },
        theirs: { totalIntents: '4' },
      }),
      sideAmounts(about('phantom_delivery', 'delivery'), { ours: { held: false }, theirs: { status: 'succeeded' } }),
    ].map(({ ours, theirs }) => [ours, theirs].map((one) => one && `${one.amount} ${one.asset}`)),
  ).toEqual([
    ['1.5 BTC', '-2 BTC'],
    ['10 EUR', '0.1 BTC'],
    ['10 EUR', '10 EUR'],
    [null, '3 USDT.TRON'],
    ['2 null', '3 null'],
    [null, null],
    [null, null],
  ]);
});
