import * as fc from 'fast-check';
import type { FamilyKind } from '../../../src/domain/family/links.js';
import type { Json, JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';

/** Few records, each linked with the others in every way there is: what is rare among many is the rule here. */
const reference = fc.constantFrom<Json>('A', 'A', 'B', 'B', null, '');
const one = (...values: Json[]) => fc.constantFrom<Json>(...values, null);
const paid = {
  status: 'completed',
  irregularStatus: 'none',
  amountRequested: '100',
  currencyRequested: 'EUR',
  requestedCurrencyType: 'fiat',
  amountCryptoExpected: '50',
  totalAmountReceived: '50',
  amountNetMerchant: '49.5',
  feeAmountTotal: '0.5',
};

const unlinked = { merchantReference: null, paymentIntentId: null };

/** How a record came to be known, the last word last. */
const standings = [
  ...Array.from({ length: 7 }, () => 'read' as const),
  ...([
    'reported',
    'reported besides',
    'reported besides',
    'denied',
    'reported and denied',
    'made and denied',
  ] as const),
];

function stood(kind: FamilyKind, id: string, fields: JsonObject, standing: (typeof standings)[number], at: number) {
  const base = { kind, id, from: at, to: at + 200 };
  const whole = { id, ...fields };
  const read: Observation = { ...base, source: { type: 'poll', ref: '1' }, type: 'poll', fields: whole };
  const reported: Observation = {
    ...base,
    source: { type: 'webhook', ref: `${at}` },
    type: 'statement',
    fields: whole,
  };
  const ref = kind === 'payout' ? 'createRefund' : 'createInvoice';
  const made: Observation = { ...base, source: { type: 'api_response', ref }, type: 'statement', fields: whole };
  const later = { from: at + 5_000, to: at + 5_200 };
  const denied: Observation = { ...base, ...later, source: { type: 'poll', ref: '1' }, type: 'absence' };
  const all = {
    read: [read],
    reported: [reported],
    // The list shows it without its links: reports alone say them.
    'reported besides': [
      { ...read, fields: { ...whole, ...unlinked } },
      { ...reported, ...later },
    ],
    denied: [read, denied],
    'reported and denied': [reported, denied],
    'made and denied': [made, denied],
  };
  return all[standing];
}

function known(kind: FamilyKind, id: string, fields: fc.Arbitrary<JsonObject>, at: number) {
  return fc
    .tuple(fields, fc.constantFrom(...standings))
    .map(([fields, standing]) => stood(kind, id, fields, standing, at));
}

const payment = (id: string, nth: number, at: number) => {
  const links = fc.record({
    merchantReference: fc.constantFrom<Json>('A', 'B', null, ''),
    invoiceId: one('i1', 'i2', ''),
    irregularRefundPayoutId: one('o1', 'o2', 'o9'),
    payins: fc.constantFrom<Json>(
      [{ id: `d${nth}` }],
      [{ id: 'd1' }, { id: 'd2' }],
      [{ id: 'd1' }, { id: '' }],
      '',
      null,
    ),
  });
  return known(
    'payment_intent',
    id,
    links.map((some) => ({ ...paid, ...some })),
    at,
  );
};

const invoice = (id: string, at: number) => {
  const status = fc.constantFrom('sent', 'paid', 'expired');
  const links = fc.record({ merchantReference: reference, paymentIntentId: one('p1', 'p1', 'p2', ''), status });
  return known(
    'invoice',
    id,
    links.map((some) => ({ amount: '100', currency: 'EUR', ...some })),
    at,
  );
};

const payout = (id: string, at: number) =>
  known(
    'payout',
    id,
    fc.record({
      merchantReference: reference,
      paymentIntentId: one('p1', 'p2', ''),
      payoutType: one('refund', 'withdrawal', 'settlement'),
      amount: fc.constant('10'),
      status: fc.constantFrom('pending', 'failed', 'confirmed'),
    }),
    at,
  );

const payin = (id: string, at: number) =>
  known(
    'payin',
    id,
    fc.record({
      paymentIntentId: one('p1', 'p2', ''),
      status: fc.constantFrom('confirmed', 'confirmed', 'pending'),
      kytStatus: one('approved'),
    }),
    at,
  );

/** Its observations, those of reports apart. */
export const closeRecords = (start: number): fc.Arbitrary<Record<'proofs' | 'reports', Observation[]>> =>
  fc
    .tuple(
      payment('p1', 1, start + 1_000),
      payment('p2', 2, start + 2_000),
      invoice('i1', start + 3_000),
      invoice('i2', start + 4_000),
      invoice('i3', start + 5_000),
      payout('o1', start + 6_000),
      payout('o2', start + 7_000),
      payin('d1', start + 8_000),
      payin('d2', start + 9_000),
    )
    .map((all) => {
      const observations = all.flat();
      const isReport = ({ source }: Observation) => source.type === 'webhook';
      return {
        proofs: observations.filter((each) => !isReport(each)),
        reports: observations.filter(isReport),
      };
    });
