import { describe, expect, it, test } from 'vitest';
import type { CheckedRecord } from '../../src/domain/breaks/check-facts.js';
import {
  checkFees,
  type Identity,
  type IdentityEvidence,
  identitiesOf,
  RECORDS_FOR_PROOF,
} from '../../src/domain/breaks/fee-identity.js';
import type { JsonObject } from '../../src/domain/json.js';
import { checked, NOW, sourceOf } from '../support/checked-facts.js';

type About = Partial<CheckedRecord>;
const payin = (fields: JsonObject = {}, about: About = {}) =>
  checked(
    'payin',
    'pay_1',
    { status: 'confirmed', amountGross: '10', feeAmount: '1', amountNet: '9', ...fields },
    about,
  );
const brought = (gross: string, fee: string, net: string, more: JsonObject = {}): JsonObject => {
  const amounts = { amountGross: gross, feeAmount: fee, amountNet: net };
  return { status: 'confirmed', assetCode: 'BTC', ...amounts, ...more };
};
const AMOUNTS: JsonObject = {
  totalAmountReceived: '10',
  amountInRange: '10',
  amountRejected: '0',
  feeAmountTotal: '1',
  feeAmountOnRange: '0.7',
  feeAmountOnRejected: '0.3',
  amountNetMerchant: '9',
  payins: [brought('4', '0.4', '3.6'), brought('6', '0.6', '5.4')],
};
const payment = (fields: JsonObject = {}, about: About = {}) =>
  checked('payment_intent', 'pi_1', { status: 'completed', assetCode: 'BTC', ...AMOUNTS, ...fields }, about);

const FIELD: Record<Identity, string> = {
  payin_net: 'amountNet',
  intent_net: 'amountNetMerchant',
  intent_fees: 'feeAmountTotal',
  intent_range: 'totalAmountReceived',
  payins_gross: 'totalAmountReceived',
  payins_net: 'amountNetMerchant',
  payins_fee: 'feeAmountTotal',
};
const OF_PAYMENTS = (Object.keys(FIELD) as Identity[]).filter((name) => name !== 'payin_net');
const names = (record: CheckedRecord) => identitiesOf(record).map(({ identity }) => identity);
const broken = (record: CheckedRecord) =>
  identitiesOf(record).flatMap(({ identity, holds }) => (holds ? [] : [identity]));

describe('what the specification suggests of amounts', () => {
  it('is known of each record by the field that the service shows', () => {
    expect(identitiesOf(payin({ amountNet: '8' }))).toEqual([
      { identity: 'payin_net', holds: false, field: 'amountNet', ours: '9', theirs: '8' },
    ]);
    const ours: JsonObject = { amountNetMerchant: '9', feeAmountTotal: '1', totalAmountReceived: '10' };
    expect(identitiesOf(payment())).toEqual(
      OF_PAYMENTS.map((identity) => {
        const field = FIELD[identity];
        return { identity, holds: true, field, ours: ours[field], theirs: AMOUNTS[field] };
      }),
    );
  });

  it.each<[string, JsonObject, Identity[]]>([
    ['the net of the payment', { amountNetMerchant: '9.01' }, ['intent_net', 'payins_net']],
    ['what came in', { totalAmountReceived: '10.01' }, ['intent_net', 'intent_range', 'payins_gross']],
    ['the fee', { feeAmountTotal: '1.01' }, ['intent_net', 'intent_fees', 'payins_fee']],
    ['a part of the fee', { feeAmountOnRange: '0.71' }, ['intent_fees']],
    ['the other part of it', { feeAmountOnRejected: '0.31' }, ['intent_fees']],
    ['what was in range', { amountInRange: '10.01' }, ['intent_range']],
    ['its payins', { payins: [brought('4', '0.4', '3.6')] }, ['payins_gross', 'payins_net', 'payins_fee']],
  ])('one amount may be wrong: %s', (_name, fields, expected) => expect(broken(payment(fields))).toEqual(expected));

  it.each<[string, JsonObject, Identity[]]>([
    ['a part was rejected', { amountRejected: '0.5', amountInRange: '9.5' }, ['intent_net']],
    ['it shows no net', { amountNetMerchant: null }, ['intent_net', 'payins_net']],
    ['it shows no part of the fee', { feeAmountOnRange: null }, ['intent_fees']],
    ['it shows not the other part', { feeAmountOnRejected: null }, ['intent_fees']],
    ['it shows nothing of the range', { amountInRange: null }, ['intent_range']],
    ['it shows no fee', { feeAmountTotal: null }, ['intent_net', 'intent_fees', 'payins_fee']],
    ['it shows nothing received', { totalAmountReceived: null }, ['intent_net', 'intent_range', 'payins_gross']],
  ])('nothing is said where %s', (_name, fields, silent) => {
    expect(names(payment(fields))).toEqual(OF_PAYMENTS.filter((name) => !silent.includes(name)));
  });

  it('takes a rejected part that is not shown for none', () => {
    expect(names(payment({ amountRejected: null }))).toEqual(OF_PAYMENTS.filter((name) => name !== 'intent_range'));
  });

  it.each<[string, JsonObject['payins']]>([
    ['are not shown', null],
    ['are none', []],
    ['are only named', ['pay_1']],
    ['are not all final', [brought('4', '0.4', '3.6'), brought('6', '0.6', '5.4', { status: 'confirming' })]],
    ['came in another asset', [brought('4', '0.4', '3.6', { assetCode: 'ETH' })]],
    ['show no amounts', [{ status: 'confirmed', assetCode: 'BTC' }]],
  ])('nothing is said of the payins of a payment that %s', (_name, payins = null) => {
    expect(names(payment({ payins }))).toEqual(['intent_net', 'intent_fees', 'intent_range']);
  });

  it.each<[string, CheckedRecord]>([
    ['a payin that is not final', payin({ status: 'confirming' })],
    ['a payin that only an event shows', payin({}, { verified: false })],
    ['a payin that is denied', payin({}, { absent: true })],
    ['a payin without a net', payin({ amountNet: null })],
    ['a payin without a fee', payin({ feeAmount: null })],
    ['a payin without what came in', payin({ amountGross: null })],
    ['a payment that is not final', payment({ status: 'pending' })],
    ['a payment that is disputed', payment({ irregularStatus: 'pending_decision' })],
    ['any other record', { ...payment(), kind: 'invoice' }],
  ])('nothing is said of %s', (_name, record) => expect(names(record)).toEqual([]));
});

describe('whether it holds is observed', () => {
  const heldBy = Array.from({ length: RECORDS_FOR_PROOF }, (_, index) => `payin p${index}`);
  const known = (about: Partial<IdentityEvidence>): IdentityEvidence[] => [
    { identity: 'payin_net', heldBy: [], failedBy: [], provenAt: null, ...about },
  ];
  const wrong = (id: string, about: About = {}) => ({ ...payin({ amountNet: '8' }, about), id });
  const check = (records: CheckedRecord[], about: Partial<IdentityEvidence> = {}) =>
    checkFees(records, known(about), NOW);

  test('each record counts once, and one of which it does not hold begins anew', () => {
    const nearly = heldBy.slice(1);
    expect(checkFees([payin()], [], NOW).evidence).toEqual(known({ heldBy: ['payin pay_1'] }));
    expect(check([payin()], { heldBy: ['payin pay_1'] }).evidence).toEqual(known({ heldBy: ['payin pay_1'] }));
    const proven = { heldBy: [...nearly, 'payin pay_1'], provenAt: NOW };
    expect(check([payin()], { heldBy: nearly }).evidence).toEqual(known(proven));
    expect(check([payin()], { heldBy: heldBy.slice(2) }).evidence).toMatchObject([{ provenAt: null }]);
    expect(check([wrong('a')], { heldBy: nearly, failedBy: ['payin a', 'payin b'] }).evidence).toEqual(
      known({ failedBy: ['payin b', 'payin a'] }),
    );
    const many = check([wrong('z')], { failedBy: heldBy }).evidence;
    expect(many).toEqual(known({ failedBy: [...heldBy.slice(1), 'payin z'] }));
  });

  test('what was proven stays so, and then a record that breaks it is a break that says since when', () => {
    const proven = { heldBy, provenAt: NOW - 1_000 };
    const { checked, evidence } = check([wrong('a'), wrong('b', { history: true }), payin()], proven);
    expect(evidence).toEqual(known(proven));
    expect(checked).toMatchObject([
      { entity: { kind: 'payin', id: 'a' }, found: {} },
      { entity: { id: 'b' }, found: null },
      { entity: { id: 'pay_1' }, found: null },
    ]);
    expect(checked[0]?.found?.evidence).toEqual({
      'amountNet (payin_net)': { ours: '9', theirs: '8', source: sourceOf('payin', 'a') },
      identities: 'payin_net',
      heldSince: { payin_net: '2026-03-01T23:59:59.000Z' },
    });
  });
});
