import * as fc from 'fast-check';
import type { Observation } from '../../src/domain/observation.js';
import { closeRecords } from '../domain/laws/close-worlds.js';
import { at, poll } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { signedHeaders } from '../support/signed.js';
import { randomOf } from './gate.js';
import { type Failure, failures } from './terms.js';

/** A webhook as it is sent. */
export interface Delivery {
  body: Buffer;
  headers: Record<string, string[]>;
  label: Label;
}

type Label = 'old' | 'new';

/** Who acts beside the two savers. */
const parts = ['events', 'sweeper', 'retirer', 'leaders', 'reader'] as const;

/** What the actors of one seed do, and what befalls them. */
export interface World {
  seed: number;
  cast: ReadonlySet<(typeof parts)[number]>;
  /** Is saved before they begin. */
  known: Observation[];
  /** Transactions of each of the two. */
  savers: Observation[][][];
  /** Pages of the list that whoever leads reads. */
  pages: Observation[][];
  /** Stored before: what the queue has for a worker, and what only the sweep finds. */
  queued: Delivery[];
  stranded: Delivery[];
  /** Arrives meanwhile. */
  arriving: Delivery[];
  /** Which arrivals come after the receiver asked anew which secrets are retired. */
  asks: boolean[];
  /** After how many statements the leader loses its lock; whether it heeds that by itself. */
  lockLostAfter: number;
  heeds: boolean;
  /** How many changes the reader of the feed takes at once, and how often it polls as others write. */
  take: number;
  polls: number;
  failure: Failure | null;
  stay: number;
  falls: number[] | null;
}

export const SECRETS = [
  { label: 'old', secret: 'whsec_old' },
  { label: 'new', secret: 'whsec_new' },
] as const;

/** A failure befalls one of so many statements. */
const STATEMENTS = 120;

export function worldOf(seed: number): World {
  const random = randomOf(seed);
  if (seed % 8 === 3) return worldOfStrangers(seed, random);
  const [distant, family] = [random(5) === 0, random(3) === 0];
  const { records, dealt } = distant
    ? distantRecords(seed, random)
    : family
      ? familyRecords(random)
      : duelRecords(random);
  const [one, other, listed] = dealt;
  // In small companies the same few meet more often.
  const isDuel = !distant && !family;
  const isWhole = !isDuel && random(2) === 0;
  const most = isDuel ? 0 : random(7);
  const said = shuffle(
    records.flatMap((each) => deliveryOf(each, random)),
    random,
  ).slice(0, most);
  const arriving = [...said.slice(4), ...said.slice(0, random(2))];
  const cast = new Set(parts.filter(() => isWhole || (!isDuel && random(2) === 0)));
  const savers = [one, other].map((given, nth) => {
    const each = isDuel ? given.map((one) => [one]) : batches(given, random);
    // Nobody waits for who saves this: only so does the feed get its changes out of order.
    const apart = poll('payment_intent', intent(`p${nth + 8}`, { merchantReference: `apart ${nth}` }), 1);
    return cast.has('reader') ? each.toSpliced(random(each.length + 1), 0, [apart]) : each;
  });
  return {
    seed,
    cast,
    known: records.filter((each) => !dealt.flat().includes(each)),
    savers,
    pages: batches(
      listed.filter(({ source }) => source.type === 'poll'),
      random,
    ),
    queued: said.slice(0, 2),
    stranded: said.slice(2, 4),
    arriving,
    asks: arriving.map(() => random(2) === 0),
    lockLostAfter: 1 + random(60),
    heeds: random(2) === 0,
    take: 1 + random(8),
    polls: random(9),
    failure: random(10) < 4 ? null : { kind: failures[random(failures.length)]!, at: random(STATEMENTS) },
    stay: [0, 2, 5, 9][random(4)]!,
    falls: random(2) === 0 ? null : Array.from({ length: 1 + random(3) }, () => random(STATEMENTS)),
  };
}

/** Two who save what has nothing to do with the other's, and so wait for nobody, and a reader who polls after each. */
function worldOfStrangers(seed: number, random: Random): World {
  const paymentsOf = (nth: number) =>
    [1, 2, 3].map((each) => [
      poll('payment_intent', intent(`p${nth}${each}`, { merchantReference: `${nth}${each}` }), each),
    ]);
  const nobody = { known: [], pages: [], queued: [], stranded: [], arriving: [], asks: [] };
  const calm = {
    failure: null,
    // It is found by who stands still before its COMMIT, the last statement of some fourteen.
    falls: [13 + random(5), 27 + random(7), 41 + random(9)],
    lockLostAfter: 1,
    heeds: true,
  };
  return {
    ...nobody,
    ...calm,
    seed,
    cast: new Set(['reader']),
    savers: [paymentsOf(1), paymentsOf(2)],
    take: 1 + random(8),
    polls: 8,
    stay: 0,
  };
}

type Random = (below: number) => number;
/** For two savers and for whoever leads; what is dealt to nobody is known before. */
type Dealt = { records: Observation[]; dealt: [Observation[], Observation[], Observation[]] };

/** Records of two orders, linked in every way there is. */
function distantRecords(seed: number, random: Random): Dealt {
  const [found] = fc.sample(closeRecords(at(0)), { seed, numRuns: 1 });
  const records = shuffle([...(found?.proofs ?? []), ...(found?.reports ?? [])], random);
  const unknown = records.slice(random(4));
  const deal = (share: number): Observation[] => unknown.filter(() => random(10) < share);
  const [other, listed] = [deal(6), deal(3)];
  return { records, dealt: [unknown.filter((each) => !other.includes(each) || random(2) === 0), other, listed] };
}

/** One payment with all that belongs to it: whose order it is hangs on two records that two save at once. */
function familyRecords(random: Random): Dealt {
  const link = (id: string, share: number) => (random(10) < share ? id : null);
  const ref = (share: number) => ({ merchantReference: link('A', share) });
  const names = () => ({ ...ref(3), invoiceId: link('i1', 5), irregularRefundPayoutId: link('o1', 3) });
  const bill = () => ({ ...ref(8), paymentIntentId: link('p1', 5), status: ['sent', 'paid'][random(2)]! });
  const refund = () => ({ paymentIntentId: link('p1', 6), status: ['pending', 'confirmed'][random(2)]! });
  const first = [
    poll('payment_intent', paidIntent('p1', 'd1', names()), 1),
    poll('invoice', invoice('i1', bill()), 2),
    poll('payin', payin('d1', 'p1'), 3),
    poll('payout', payout('o1', refund()), 4),
  ];
  const later = [
    poll('payment_intent', paidIntent('p1', 'd1', names()), 11),
    poll('payment_intent', intent('p2', names()), 12),
    poll('invoice', invoice('i1', bill()), 13),
    poll('payin', payin('d1', 'p1', { status: 'confirming' }), 2),
    poll('payout', payout('o1', refund()), 14),
  ];
  const dealt: Dealt['dealt'] = [[], [], []];
  const records = shuffle([...first.filter(() => random(4) > 0), ...later.filter(() => random(4) === 0)], random);
  for (const record of records) {
    const whom = random(record.kind === 'payment_intent' ? 7 : 5);
    if (whom < 4) dealt[whom % 2]!.push(record);
    if (whom === 0) dealt[1].push(record);
    if (random(6) === 0) dealt[2].push(record);
  }
  return { records, dealt: [dealt[0], shuffle(dealt[1], random), dealt[2]] };
}

/**
 * A payment without a reference, and the invoice that gives it its order, which one saves while another saves what else belongs
 * to the payment. Who is not dealt is known before.
 */
function duelRecords(random: Random): Dealt {
  const byInvoice = random(2) === 0;
  const byRefund = random(2) === 0;
  const names = { invoiceId: byInvoice ? 'i1' : null, irregularRefundPayoutId: byRefund ? 'o1' : null };
  const payment = poll('payment_intent', paidIntent('p1', 'd1', { merchantReference: null, ...names }), 1);
  const bill = { merchantReference: 'A', status: 'paid', paymentIntentId: byInvoice ? null : 'p1' };
  const refund = { paymentIntentId: byRefund ? null : 'p1', status: 'confirmed' };
  const invoiced = poll('invoice', invoice('i1', bill), 2);
  const belonging = [poll('payin', payin('d1', 'p1'), 3), poll('payout', payout('o1', refund), 4)];
  const [first, second] = shuffle(belonging, random) as [Observation, Observation];
  const others = [[first], [first, second], [payment], [payment, first], [payment, first]][random(5)]!;
  const records = [payment, invoiced, first, ...(random(2) === 0 || others.includes(second) ? [second] : [])];
  const dealt: [Observation[], Observation[]] = [[invoiced], others];
  return { records, dealt: [...(random(2) === 0 ? dealt : (dealt.toReversed() as typeof dealt)), []] };
}

function batches(observations: Observation[], random: Random): Observation[][] {
  if (observations.length === 0) return [];
  const cut = random(2) === 0 ? observations.length : 1 + random(observations.length);
  return [observations.slice(0, cut), observations.slice(cut)].filter(({ length }) => length > 0);
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random(left.length), 1)[0]!);
}

function deliveryOf(said: Observation, random: Random): Delivery[] {
  if (said.type !== 'statement' && said.type !== 'poll') return [];
  const { label, secret } = SECRETS[random(2)]!;
  const timestamp = Math.floor(said.from / 1_000);
  const body = Buffer.from(JSON.stringify({ event: `${said.kind}.updated`, timestamp, data: said.fields }));
  const headers = Object.entries(signedHeaders(body, secret)).map(([name, value]) => [name, [value]]);
  return [{ body, headers: Object.fromEntries(headers) as Record<string, string[]>, label }];
}
