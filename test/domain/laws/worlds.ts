import * as fc from 'fast-check';
import type { FamilyKind } from '../../../src/domain/family/links.js';
import type { Money } from '../../../src/domain/family/money.js';
import type { OpenCall } from '../../../src/domain/family/own-refunds.js';
import type { Json, JsonObject } from '../../../src/domain/json.js';
import type { Observation, SourceType } from '../../../src/domain/observation.js';
import { openCall } from '../../support/order-lines.js';
import { sized } from '../../support/sizes.js';
import { closeRecords } from './close-worlds.js';
import { onceEach } from './once-each.js';

/** What may be known of a few orders. `proofs`: polls, own calls, deliveries; `reports`: webhooks. */
export interface World {
  proofs: Observation[];
  reports: Observation[];
  /** By persons, of payouts. */
  assigned: [payout: string, payment: string | null][];
  /** Until when the delivery history was searched for payouts. */
  searched: [payout: string, at: number][];
  /** Reports that the service did not send, as its delivery history proves. */
  disproved: string[];
  expected: Record<string, Money | null>;
  calls: OpenCall[];
  history: string[];
  showsKyt: boolean;
  /** More waits to be polled than the truth among it can wait for. */
  polledLate: boolean;
}

/** In which nobody said anything. */
export const nothing: World = {
  proofs: [],
  reports: [],
  assigned: [],
  searched: [],
  disproved: [],
  expected: {},
  calls: [],
  history: [],
  showsKyt: false,
  polledLate: false,
};

export const references = ['A', 'B', 'C'] as const;
const ids = {
  payment_intent: ['p1', 'p2', 'p3', 'p4'],
  payin: ['d1', 'd2', 'd3', 'd4'],
  invoice: ['i1', 'i2', 'i3'],
  payout: ['o1', 'o2', 'o3'],
} as const satisfies Record<FamilyKind, readonly string[]>;
/** Records that nobody but a report ever spoke of, or names. */
const ghosts = { payment_intent: 'p9', payin: 'd9', invoice: 'i9', payout: 'o9' } as const;

export const START = 1_700_000_000_000;
/** After all that a world holds. */
export const END = START + 60_000;
const LAST_STEP = 20;

type Fields = fc.Arbitrary<JsonObject>;

/** Mostly the first, else any of the others. */
function mostly<T>(value: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const reference = fc.constantFrom<Json>('A', 'A', 'B', 'B', null, null, '', 'C');
const anyone = [...Object.values(ids).flat(), '', ...Object.values(ghosts)];
/** An id of that kind, now and then of another, itself, or none. */
const link = (kind: FamilyKind): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Json>(...ids[kind]) },
    { weight: 2, arbitrary: fc.constantFrom<Json>(...anyone) },
    { weight: 1, arbitrary: fc.constant<Json>('') },
  );
const seldom = (kind: FamilyKind) =>
  fc.oneof({ weight: 1, arbitrary: fc.constant<Json>(null) }, { weight: 1, arbitrary: link(kind) });
const often = (id: string, kind: FamilyKind) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant<Json>(id) }, { weight: 1, arbitrary: link(kind) });

const fieldsOf = onceEach((kind: FamilyKind, id: string): Fields => {
  const nth = Number(id.slice(1));
  switch (kind) {
    case 'payment_intent':
      return fc.record({
        id: fc.constant(id),
        status: mostly('completed', 'completed', 'pending', 'confirming', 'expired', 'cancelled', 'unmatched'),
        irregularStatus: mostly('none', 'pending_decision', 'encashed', 'refunded'),
        merchantReference: reference,
        invoiceId: seldom('invoice'),
        irregularRefundPayoutId: fc.oneof(
          { weight: 5, arbitrary: seldom('payout') },
          { weight: 5, arbitrary: fc.constant<Json>(null) },
        ),
        amountRequested: mostly('100', '60', '160', '50'),
        currencyRequested: mostly('EUR', 'eur', 'USD'),
        requestedCurrencyType: mostly<Json>('fiat', 'crypto', null),
        amountCryptoExpected: mostly<Json>('50', null, '100'),
        totalAmountReceived: mostly('50', '0', '40', '60', '100'),
        amountNetMerchant: mostly('49.5', '0', '39.5'),
        feeAmountTotal: fc.constant('0.5'),
        amountInRange: mostly<Json>(null, '50', '0'),
        amountRejected: mostly<Json>(null, '0', '10'),
        payins: payinsOf(nth),
      });
    case 'payin':
      return fc.record({
        id: fc.constant(id),
        paymentIntentId: often(`p${nth}`, 'payment_intent'),
        status: mostly('confirmed', 'unmatched', 'pending', 'broadcast'),
        kytStatus: mostly<Json>('approved', null, 'pending', 'rejected', 'amber'),
        amountGross: fc.constant('50'),
      });
    case 'invoice':
      return fc.record({
        id: fc.constant(id),
        merchantReference: reference,
        paymentIntentId: fc.oneof(link('payment_intent'), seldom('payment_intent')),
        status: fc.constantFrom('sent', 'paid', 'expired', 'cancelled', 'draft'),
        amount: mostly('100', '50', '160'),
        currency: mostly('EUR', 'eur', 'USD'),
      });
    case 'payout':
    default:
      return fc.record({
        id: fc.constant(id),
        merchantReference: fc.oneof(
          { weight: 3, arbitrary: fc.constant<Json>(null) },
          { weight: 1, arbitrary: reference },
        ),
        paymentIntentId: seldom('payment_intent'),
        payoutType: fc.constantFrom<Json>('refund', 'Withdrawal', 'SETTLEMENT', 'internal', 'odd', null, 'Refund'),
        amount: mostly('10', '49.5', '0'),
        status: fc.constantFrom('confirmed', 'failed', 'failed', 'pending', 'approved', 'broadcast'),
      });
  }
});

function payinsOf(nth: number): fc.Arbitrary<Json> {
  return mostly<Json>(
    [{ id: `d${nth}`, amountGross: '50', status: 'confirmed' }],
    [{ id: 'd1' }, { id: 'd2' }],
    [{ id: `d${nth}` }, {}],
    [{ id: `d${nth}` }, { id: '' }],
    [{ id: `d${nth}` }, { id: 'p1' }, 'd2', null],
    [{ id: `d${nth}` }, null],
    [],
    null,
  );
}

const step = fc.nat(LAST_STEP).map((steps) => START + steps * 1000);

interface Said {
  source: SourceType;
  fields: JsonObject | null;
  from: number;
  operation: string;
}

/** One observation: a reading, an absence (`fields` null), or what an own call, a delivery or a webhook said. */
function observe(kind: FamilyKind, id: string, { source, fields, from, operation }: Said): Observation {
  const base = { kind, id, from, to: from + (source === 'poll' ? 200 : 999) };
  const ref = source === 'api_response' ? operation : `${from}`;
  const by = { type: source, ref };
  if (source !== 'poll') return { ...base, source: by, type: 'statement', fields: fields ?? { id } };
  return fields === null ? { ...base, source: by, type: 'absence' } : { ...base, source: by, type: 'poll', fields };
}

const operation = (kind: FamilyKind) =>
  kind === 'payout' ? fc.constantFrom('createRefund', 'createPayout') : fc.constant('createInvoice');

/** Masked, or short: some of the fields. */
const some = (fields: Fields): Fields =>
  fields.chain((whole) =>
    fc.subarray(Object.keys(whole)).map((names) => Object.fromEntries(names.map((name) => [name, whole[name]!]))),
  );

const proofsOf = onceEach((kind: FamilyKind, id: string): fc.Arbitrary<Observation[]> => {
  const fields = fieldsOf(kind, id);
  const saying = (source: SourceType, fields: fc.Arbitrary<JsonObject | null>, from: fc.Arbitrary<number> = step) =>
    fc.record({ source: fc.constant(source), fields, from, operation: operation(kind) });
  const read = saying('poll', fields, fc.constant(START + 10_000));
  const further = fc.oneof(
    saying('poll', fields),
    saying('poll', fc.constant(null)),
    saying('api_response', some(fields)),
    saying('delivery_history', some(fields)),
  );
  const seldomMore = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Said[]>([]) },
    { weight: 2, arbitrary: fc.array(further, { maxLength: 2 }) },
  );
  const first = fc.oneof(
    { weight: 12, arbitrary: read.map((one) => [one]) },
    { weight: 1, arbitrary: fc.constant<Said[]>([]) },
  );
  return fc
    .tuple(first, seldomMore)
    .map(([first, more]) => inTurn([...first, ...more].map((one) => observe(kind, id, one))));
});

/** No two at the same moment: which is newer must not hang on how they are worded. */
function inTurn(observations: Observation[]): Observation[] {
  return observations.map((one, index) => ({ ...one, from: one.from + index, to: one.to + index }));
}

const kinds = Object.keys(ids) as FamilyKind[];

/** A webhook: of a real record or of none, with fields of its own or of another record, whole or in part. */
const reportOf = (kind: FamilyKind): fc.Arbitrary<Observation> =>
  fc
    .tuple(fc.constantFrom<string>(...ids[kind], ghosts[kind]), fc.constantFrom<string>(...ids[kind]))
    .chain(([id, other]) =>
      fc
        .record({
          source: fc.constant<SourceType>('webhook'),
          fields: fc.oneof(fieldsOf(kind, other), some(fieldsOf(kind, id))),
          from: step,
          operation: fc.constant(''),
        })
        .map((saying) => observe(kind, id, saying)),
    );
export const report = fc.oneof(...kinds.map(reportOf));

/** Twice: late repetitions of the same. */
const reports = fc
  .array(report, { maxLength: 5 })
  .map(inTurn)
  .chain((all) => (all.length === 0 ? fc.constant(all) : fc.subarray(all).map((again) => [...all, ...again])));

const records: fc.Arbitrary<Observation[]> = fc
  .tuple(
    fc.subarray([...ids.payment_intent], { minLength: 2 }),
    fc.subarray([...ids.invoice], { minLength: 2 }),
    fc.subarray([...ids.payout], { minLength: 1, maxLength: 2 }),
  )
  .chain(([payments, invoices, payouts]) => {
    const payins = payments.map((id) => id.replace('p', 'd'));
    const each = (kind: FamilyKind, named: readonly string[]) => named.map((id) => proofsOf(kind, id));
    return fc
      .tuple(
        ...each('payment_intent', payments),
        ...each('payin', payins),
        ...each('invoice', invoices),
        ...each('payout', payouts),
      )
      .map((all) => all.flat());
  });

const money = mostly<Money | null>(null, { amount: '100', currency: 'EUR' }, { amount: '60', currency: 'eur' });
const payment = fc.constantFrom<string | null>(...ids.payment_intent, null);

const said = {
  assigned: fc.oneof(
    { weight: 4, arbitrary: fc.constant<World['assigned']>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.constantFrom(...ids.payout), payment), { maxLength: 2 }) },
  ),
  searched: fc.oneof(
    { weight: 3, arbitrary: fc.constant<World['searched']>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.constantFrom(...ids.payout, ghosts.payout), step), { maxLength: 2 }) },
  ),
  expected: fc.record({ A: money, B: money, C: money }),
  calls: fc.oneof(
    { weight: 5, arbitrary: fc.constant<OpenCall[]>([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...ids.payment_intent).map((paymentIntentId) => [openCall(paymentIntentId)]),
    },
  ),
  history: fc.subarray(['p1'], { maxLength: 1 }),
  showsKyt: fc.boolean(),
  polledLate: fc.constant(false),
};

const wideWorld = fc.record({ proofs: records, reports, ...said });
const atTimes = <T>(seldom: fc.Arbitrary<T>, more: fc.Arbitrary<T>) => fc.oneof({ weight: 2, arbitrary: seldom }, more);
const closePayment = fc.constantFrom('p1', 'p2', null);
const saidClosely = {
  ...said,
  calls: atTimes(
    said.calls,
    fc.subarray(['p1', 'p2']).map((ids) => ids.map((id) => openCall(id))),
  ),
  assigned: atTimes(said.assigned, fc.array(fc.tuple(fc.constantFrom('o1', 'o2'), closePayment), { maxLength: 3 })),
};
export const closeWorld: fc.Arbitrary<World> = fc
  .tuple(closeRecords(START), fc.record(saidClosely))
  .map(([records, said]) => ({ ...records, ...said, disproved: [] }));

/** A person decides on what others than reports showed; history disproves what came. */
export const world: fc.Arbitrary<World> = fc
  .tuple(fc.oneof({ weight: 2, arbitrary: wideWorld }, closeWorld), fc.constantFrom(0, 0, 0, 2))
  .map(([any, every]) => ({
    ...any,
    assigned: any.assigned.filter(([payout]) => any.proofs.some(({ id }) => id === payout)),
    disproved: any.reports.flatMap(({ source }, nth) => (every > 0 && nth % every === 0 ? [source.ref] : [])),
  }));

/** All properties together make 10,000 worlds and more in the long run. */
export const runs = (share = 1): { numRuns: number } => ({ numRuns: Math.ceil(sized(36, 600) * share) });
