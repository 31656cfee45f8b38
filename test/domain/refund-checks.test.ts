import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkKinds } from '../../src/domain/breaks/breaks.js';
import type { CheckedRecord, CheckFacts, RefundFacts } from '../../src/domain/breaks/check-facts.js';
import { defaultPayoutWords, ownerOfRefund } from '../../src/domain/family/links.js';
import type { OpenCall } from '../../src/domain/family/own-refunds.js';
import type { JsonObject } from '../../src/domain/json.js';
import { checked, checkFacts, HOUR, NOW, sourceOf } from '../support/checked-facts.js';
import { sized } from '../support/sizes.js';

const checkPayoutWords = (facts: CheckFacts) => {
  const { open, resolve } = checkKinds(['contract_violation'], facts);
  const isWord = ({ entity }: { entity: { id: string } }) => entity.id.startsWith('payoutType=');
  return { open: open.filter(isWord), resolve: resolve.filter(isWord) };
};
const checkLostRefunds = (facts: CheckFacts) => checkKinds(['refund_without_order'], facts);
const checkReassigned = (facts: CheckFacts) => checkKinds(['refund_assigned_otherwise'], facts);
const checkRefunds = (facts: CheckFacts) => checkKinds(['refund_exceeds_net'], facts);

const factsOf = (intents: CheckedRecord[], payouts: CheckedRecord[], refunds: Partial<RefundFacts> = {}): CheckFacts =>
  checkFacts([...intents, ...payouts], { refunds });

const payment = fc.constantFrom('pi_1', 'pi_2', 'pi_3', 'pi_4');
const refund = fc.constantFrom('po_1', 'po_2', 'po_3', 'po_4');
const amount = fc.constantFrom('1', '5', '10', '20');

const world = fc.record({
  intents: fc.uniqueArray(
    fc.record({ id: payment, names: fc.option(refund), net: amount, received: amount, absent: fc.boolean() }),
    { selector: ({ id }) => id, maxLength: 4 },
  ),
  payouts: fc.uniqueArray(
    fc.record({
      id: refund,
      of: fc.option(payment),
      amount,
      status: fc.constantFrom('confirmed', 'pending', 'failed'),
    }),
    { selector: ({ id }) => id, maxLength: 4 },
  ),
  assigned: fc.uniqueArray(fc.tuple(refund, fc.option(payment)), { selector: ([id]) => id, maxLength: 2 }),
});

/** The same rows, in an order of their own. */
const shuffled = world.chain((given) =>
  fc.record({
    given: fc.constant(given),
    intents: fc.shuffledSubarray(given.intents, { minLength: given.intents.length }),
    naming: fc.shuffledSubarray(given.intents, { minLength: given.intents.length }),
    payouts: fc.shuffledSubarray(given.payouts, { minLength: given.payouts.length }),
  }),
);

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

function intentsOf(intents: World['intents']): CheckedRecord[] {
  return intents.map(({ id, names, net, received, absent }) =>
    checked(
      'payment_intent',
      id,
      { irregularRefundPayoutId: names, amountNetMerchant: net, totalAmountReceived: received },
      { absent },
    ),
  );
}

function payoutsOf(payouts: World['payouts']): CheckedRecord[] {
  return payouts.map(({ id, of, amount: sent, status }) =>
    checked('payout', id, { paymentIntentId: of, amount: sent, status, payoutType: 'refund' }),
  );
}

test('whether more was given back than came in hangs on no order of rows', () => {
  const found = (intents: World['intents'], naming: World['intents'], payouts: World['payouts'], world: World) => {
    const refunds = { naming: intentsOf(naming), assigned: new Map(world.assigned) };
    const { open, resolve } = checkRefunds(factsOf(intentsOf(intents), payoutsOf(payouts), refunds));
    const byId = <T extends { entity: { id: string } }>(list: readonly T[]) =>
      list.toSorted((a, b) => (a.entity.id < b.entity.id ? -1 : 1));
    return { open: byId(open), resolve: byId(resolve) };
  };
  fc.assert(
    fc.property(shuffled, ({ given, intents, naming, payouts }) => {
      expect(found(intents, naming, payouts, given)).toEqual(found(given.intents, given.intents, given.payouts, given));
    }),
    { numRuns: sized(400, 20_000) },
  );
});

test('a refund is counted with the one payment that owns it, and with no other', () => {
  fc.assert(
    fc.property(world, ({ intents, payouts, assigned }) => {
      const facts = factsOf(intentsOf(intents), payoutsOf(payouts), { assigned: new Map(assigned) });
      const counted = checkRefunds(facts).open.flatMap(({ entity, evidence }) =>
        (evidence['refunds'] as { ours: { id: string }[] }).ours.map(({ id }) => [id, entity.id]),
      );
      for (const [id = '', owner] of counted) {
        const payout = facts.payouts.get(id);
        if (payout === undefined) throw new Error(`${id} is not known`);
        expect(ownerOfRefund(payout, facts.refunds.naming, facts.refunds.words, facts.refunds.assigned).payment).toBe(
          owner,
        );
      }
    }),
    { numRuns: sized(400, 20_000) },
  );
});

const paid = (id: string, fields: JsonObject = {}, about: Partial<CheckedRecord> = {}) =>
  checked(
    'payment_intent',
    id,
    { status: 'completed', assetCode: 'USDT', amountNetMerchant: '10', totalAmountReceived: '10', ...fields },
    about,
  );
const lost = (fields: JsonObject = {}, about: Partial<CheckedRecord> = {}) =>
  checked(
    'payout',
    'po',
    { payoutType: 'refund', status: 'confirmed', assetCode: 'USDT', amount: '5', ...fields },
    about,
  );
const kinds = (facts: CheckFacts) =>
  [checkLostRefunds(facts), checkReassigned(facts), checkPayoutWords(facts)].flatMap(({ open }) =>
    open.map(({ kind, entity }) => `${kind} ${entity.id}`),
  );

test('candidates: five at most, the customer’s address first, then what is given back whole, then the newest; in no other order', () => {
  const candidates = [
    paid('pi_old', {}, { createdAt: NOW - 9 * HOUR }),
    paid('pi_new', {}, { createdAt: NOW - 2 * HOUR }),
    paid('pi_whole', { amountNetMerchant: '5.0' }),
    paid('pi_address', { customerRefundAddress: 'TCus****0001' }),
    paid('pi_twin_b', {}, { createdAt: NOW - 3 * HOUR }),
    paid('pi_twin_a', {}, { createdAt: NOW - 3 * HOUR }),
    paid('pi_less', { amountNetMerchant: '4.99' }),
    paid('pi_other', { assetCode: 'BTC' }),
    paid('pi_unpaid', { status: 'expired' }),
  ];
  const payout = lost({ destinationAddress: 'TCustomer0000000001' });
  fc.assert(
    fc.property(fc.shuffledSubarray(candidates, { minLength: candidates.length }), (order) => {
      const facts = factsOf([], [payout], { candidates: new Map([['po', order]]) });
      const [found] = checkLostRefunds(facts).open;
      const named = found?.evidence['candidates'] as { paymentIntentId: string; sameAddress: boolean }[];
      expect(named.map(({ paymentIntentId }) => paymentIntentId)).toEqual([
        'pi_address',
        'pi_whole',
        'pi_new',
        'pi_twin_a',
        'pi_twin_b',
      ]);
      expect(named.map(({ sameAddress }) => sameAddress)).toEqual([true, false, false, false, false]);
    }),
  );
});

test.each([
  ['nothing says whose it is', {}, {}, {}, true],
  ['its word is no refund’s', { payoutType: 'withdrawal' }, {}, {}, false],
  ['its word is unknown', { payoutType: 'gift' }, {}, {}, false],
  ['our own call made it, under any word', { payoutType: 'gift' }, { ownCall: 'createRefund' }, {}, true],
  [
    'another word of the contract',
    { payoutType: 'GIFT' },
    {},
    { words: { ...defaultPayoutWords, refund: ['gift'] } },
    true,
  ],
  ['only webhooks speak of it', {}, { unknown: true }, {}, false],
  ['it is from before adoption', {}, { history: true }, {}, false],
  ['the service denies it', {}, { absent: true }, {}, false],
  ['it failed', { status: 'failed' }, {}, {}, false],
  ['it was made just now', {}, { createdAt: NOW - 60_000 }, {}, false],
  ['it names its payment', { paymentIntentId: 'pi_1' }, {}, {}, false],
  ['a payment names it', {}, {}, { naming: [paid('pi_1', { irregularRefundPayoutId: 'po' })] }, false],
  ['a person said so', {}, {}, { assigned: new Map([['po', null]]) }, false],
  ['its reference names an order', { merchantReference: 'A-1' }, {}, { ordered: new Set(['A-1']) }, false],
  ['its reference names none', { merchantReference: 'A-2' }, {}, { ordered: new Set(['A-1']) }, true],
] as const)('a refund without an order, where %s', (_, fields, about, refunds, isBreak) => {
  const facts = factsOf([], [lost(fields, about)], { candidates: new Map([['po', []]]), ...refunds });
  expect(kinds(facts).includes('refund_without_order po')).toBe(isBreak);
});

test('records that name another payment than a person said open a break; those that they named when it was said don’t', () => {
  const payout = lost({ paymentIntentId: 'pi_1' });
  const assigned = (payment: string | null) => new Map([['po', payment]]);
  const of = (refunds: Partial<RefundFacts>) => kinds(factsOf([], [payout], refunds));
  expect(of({ assigned: assigned('pi_2') })).toEqual(['refund_assigned_otherwise po']);
  expect(of({ assigned: assigned(null) })).toEqual(['refund_assigned_otherwise po']);
  expect(of({ assigned: assigned('pi_1') })).toEqual([]);
  expect(of({ assigned: assigned('pi_2'), namedThen: new Map([['po', ['pi_1']]]) })).toEqual([]);
  const named = [paid('pi_3', { irregularRefundPayoutId: 'po' })];
  expect(of({ assigned: assigned('pi_2'), namedThen: new Map([['po', ['pi_1']]]), naming: named })).toHaveLength(1);
});

test('a word of no class is one finding for the word, whichever payout shows it, and none once it has one', () => {
  const payouts = ['po_1', 'po_2'].map((id) => checked('payout', id, { payoutType: id === 'po_1' ? 'Gift' : 'gift' }));
  const names = (refunds: Partial<RefundFacts> = {}) => checkPayoutWords(factsOf([], payouts, refunds));
  expect(new Set(names().open.map(({ entity }) => entity.id))).toEqual(new Set(['payoutType=gift']));
  const classed = names({ words: { ...defaultPayoutWords, withdrawal: ['gift'] } });
  expect([classed.open.length, classed.resolve[0]?.entity.id]).toEqual([0, 'payoutType=gift']);
  const old = factsOf([], [checked('payout', 'po_1', { payoutType: 'gift' }, { history: true })]);
  expect(checkPayoutWords(old)).toEqual({ open: [], resolve: [] });
});

test.each([
  ['TCus****0001', 'TCustomer0001', true],
  ['TCus…0001', 'TCustomer0001', true],
  ['TCus..0001', 'TCustomer0001', true],
  ['TCus****0001', 'TCustomer0002', false],
  ['TCus****0001', 'XCustomer0001', false],
  ['TCus****s0001', 'TCus0001', false],
  ['TC.us', 'TC.us', true],
  ['TCus', 'TCustomer0001', false],
  ['TCus****', 'TCustomer0001', false],
  ['****0001', 'TCustomer0001', false],
  ['', '', false],
  [null, null, false],
  ['TCus****0001', null, false],
])('an address that is shown as %s is that of a refund to %s: %s', (shown, to, isSame) => {
  const candidates = new Map([['po', [paid('pi', { customerRefundAddress: shown })]]]);
  const [found] = checkLostRefunds(factsOf([], [lost({ destinationAddress: to })], { candidates })).open;
  expect(found?.evidence['candidates']).toMatchObject([{ paymentIntentId: 'pi', sameAddress: isSame }]);
});

test('no payment is a candidate that is not collected, of another asset, of less, or of which that is not known', () => {
  const candidatesOf = (refund: CheckedRecord, payment: CheckedRecord) => {
    const candidates = new Map([['po', [payment]]]);
    return checkLostRefunds(factsOf([], [refund], { candidates })).open[0]?.evidence['candidates'];
  };
  for (const [refund, payment] of [
    [lost(), paid('pi', { status: 'pending' })],
    [lost(), paid('pi', {}, { verified: false })],
    [lost(), paid('pi', { assetCode: 'BTC' })],
    [lost({ assetCode: null }), paid('pi', { assetCode: null })],
    [lost({ amount: '10.1' }), paid('pi')],
    [lost({ amount: null }), paid('pi')],
    [lost(), paid('pi', { amountNetMerchant: null })],
  ] as const)
    expect(candidatesOf(refund, payment)).toEqual([]);
  expect(candidatesOf(lost({ amount: '10' }), paid('pi'))).toHaveLength(1);
});

test('a refund without an order says all that is known of it', () => {
  const maker = { key: 'k', paymentIntentId: 'pi' } as OpenCall;
  const candidates = new Map([['po', [paid('pi', { merchantReference: 'A-1' }), paid('pj')]]]);
  const [found] = checkLostRefunds(factsOf([], [lost()], { candidates, makers: new Map([['po', maker]]) })).open;
  const theirs = (value: string | null) => ({ ours: null, theirs: value, source: sourceOf('payout', 'po') });
  const candidate = { amountNetMerchant: '10', sameAddress: false };
  const evidence = {
    payment: theirs(null),
    amount: theirs('5'),
    assetCode: theirs('USDT'),
    merchantReference: theirs(null),
    payoutType: 'refund',
    status: 'confirmed',
    ownCall: maker,
    candidates: [
      { paymentIntentId: 'pi', merchantReference: 'A-1', ...candidate },
      { paymentIntentId: 'pj', merchantReference: null, ...candidate },
    ],
  };
  expect(found?.evidence).toEqual(evidence);
  const [alone] = checkLostRefunds(factsOf([], [lost()], { candidates: new Map([['po', []]]) })).open;
  const { ownCall: _, ...rest } = evidence;
  expect(alone?.evidence).toEqual({ ...rest, candidates: [] });
});

test('it may take ten minutes to hear whose refund it is, and is asked for again where no payments were searched for', () => {
  const entity = { kind: 'payout', id: 'po' };
  const about = { createdAt: null, firstSeenAt: NOW - HOUR / 6 + 1 };
  const young = checkLostRefunds(factsOf([], [lost({}, about)]));
  expect(young).toEqual({ open: [], resolve: [], again: [{ entity, at: NOW + 1 }] });
  const due = lost({}, { createdAt: NOW - HOUR / 6, firstSeenAt: NOW });
  expect(checkLostRefunds(factsOf([], [due]))).toEqual({ open: [], resolve: [], again: [{ entity, at: NOW }] });
  expect(checkLostRefunds(factsOf([], [due], { candidates: new Map([['po', []]]) })).open).toHaveLength(1);
});
