import type { JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { absence, at, ownCall, poll, readPaid, report } from '../../support/observations.js';
import { openCall } from '../../support/order-lines.js';
import { intent, invoice, paidIntent, payin, payout } from '../../support/records.js';
import { nothing, runs, START, type World } from './worlds.js';

const ofA = (fields: JsonObject = {}) => poll('payment_intent', intent('p1', { merchantReference: 'A', ...fields }), 1);
const p1 = ofA();
const invoices = [
  poll('invoice', invoice('i1', { merchantReference: 'A', paymentIntentId: 'p1' }), 2),
  poll('invoice', invoice('i2', { merchantReference: 'B', paymentIntentId: 'p1' }), 3),
];
const listed = ['o1', 'o2'].map((id) => poll('payout', payout(id), 2));
const saying = (id: string, second: number, links: JsonObject = { paymentIntentId: 'p1' }) =>
  report('payout', id, { id, status: 'pending', payoutType: 'refund', ...links }, second, `${second}`);
const four = (ids: string[]) => ids.map((id, n) => saying(id, 5 + n));
const paid = [
  poll('payment_intent', paidIntent('p1', 'd1', { merchantReference: 'A' }), 1),
  poll('payin', payin('d1', 'p1'), 2),
];
const paying = (id: string, merchantReference: string, lists: string, second: number) =>
  poll('payment_intent', paidIntent(id, lists, { merchantReference }), second);
const shared = [
  ...['d2', 'd1'].map((id) => poll('payin', payin(id, 'p2', { paymentIntentId: null }), 1)),
  paying('p1', 'A', 'd1', 2),
  paying('p2', 'B', 'd1', 2),
];
const late = poll('payout', payout('o1', { paymentIntentId: 'p2' }), 40);
const crowd = Array.from({ length: 17 }, (_, n) =>
  saying('o1', 10 + n, { paymentIntentId: 'p2', merchantReference: `${n}` }),
);

/** What random worlds seldom hold; most are of the order A. */
export const rareWorlds: World[] = [
  // Two orders could have the payment, and all that is around it.
  {
    proofs: [
      poll('payment_intent', intent('p1', { merchantReference: null, irregularRefundPayoutId: 'o2' }), 1),
      ...invoices,
      poll('payin', payin('d1', 'p1'), 2),
      poll('payout', payout('o1', { paymentIntentId: 'p1', status: 'confirmed' }), 2),
    ],
    reports: [saying('o3', 5)],
    calls: [openCall('p1')],
  },
  // An invoice of another order, linked with a payment of A's own, and with one that A's invoice alone brings.
  { proofs: [p1, ...invoices] },
  {
    proofs: [
      poll('payment_intent', intent('p1', { merchantReference: null }), 1),
      ...invoices.slice(0, 1),
      poll('invoice', invoice('i3', { paymentIntentId: 'p1' }), 3),
    ],
  },
  // Two payments list a payin that names neither; one of them was denied since, or lists it no longer; a third comes to list it.
  ...[[], [absence('payment_intent', 'p2', 9)], [paying('p2', 'B', 'd2', 9)], [paying('p3', 'C', 'd1', 9)]].map(
    (more) => ({
      proofs: [...shared, ...more],
    }),
  ),
  // A payment that leaves its invoice, and with it the order.
  {
    proofs: [
      poll('payment_intent', intent('p1', { merchantReference: null, invoiceId: 'i1' }), 1),
      poll('invoice', invoice('i1', { merchantReference: 'A' }), 2),
      poll('payment_intent', intent('p1', { merchantReference: null }), 5),
    ],
  },
  // A payment that leaves one order for another.
  { proofs: [p1, ofA({ merchantReference: 'B' })].map((one, n) => ({ ...one, from: at(1 + n), to: at(1 + n) + 200 })) },
  // A refund that is said to be of no order any more; a payment that reports give one order, and then another.
  {
    proofs: [
      p1,
      poll('payout', payout('o1', { merchantReference: 'A' }), 2),
      poll('payout', payout('o1', { merchantReference: null }), 5),
    ],
  },
  {
    reports: ['A', 'B'].map((merchantReference, n) =>
      report('payment_intent', 'p9', { id: 'p9', status: 'completed', merchantReference }, 1 + n, `${n}`),
    ),
  },
  // A payment that says of itself that it paid, or that nothing else shows.
  { reports: [report('payment_intent', 'p9', { id: 'p9', status: 'confirming', merchantReference: 'A' }, 1)] },
  { reports: [report('payment_intent', 'p9', { id: 'p9', status: 'completed', merchantReference: 'A' }, 1)] },
  {
    proofs: [poll('payment_intent', intent('p1', { merchantReference: null }), 1)],
    reports: [report('payment_intent', 'p1', { id: 'p1', status: 'completed', merchantReference: 'A' }, 5)],
  },
  // A payment whose own report says that it was paid since it was read.
  { proofs: [p1], reports: [report('payment_intent', 'p1', { id: 'p1', status: 'completed' }, 5)] },
  // Whose refund it is: a person's word, the payment's, of two the one that is still there.
  { proofs: [p1, poll('payout', payout('o1', { paymentIntentId: 'p1' }), 2)], assigned: [['o1', null]] },
  {
    proofs: [
      ofA({ irregularRefundPayoutId: 'o1' }),
      poll('payment_intent', intent('p2', { merchantReference: 'B', irregularRefundPayoutId: 'o1' }), 1),
      absence('payment_intent', 'p1', 4),
      poll('payout', payout('o1'), 2),
    ],
  },
  // A refund that a second payment names later, and has before the first.
  {
    proofs: [
      ...readPaid('p2', { merchantReference: 'B', irregularRefundPayoutId: 'o1' }, 1),
      poll('payout', payout('o1', { status: 'confirmed' }), 2),
      poll('payment_intent', intent('p1', { merchantReference: 'A', irregularRefundPayoutId: 'o1' }), 3),
    ],
  },
  // A refund that the payment names and that only reports name: in doubt, denied, decided.
  { proofs: [ofA({ irregularRefundPayoutId: 'o9' })], reports: [saying('o9', 5, {})] },
  { proofs: [ofA({ irregularRefundPayoutId: 'o9' }), absence('payout', 'o9', 9)], reports: [saying('o9', 5, {})] },
  {
    proofs: [
      p1,
      ownCall('payout', 'o1', payout('o1', { paymentIntentId: 'p1' }), 2, 'createRefund'),
      absence('payout', 'o1', 9),
    ],
  },
  // What is said to be a refund of the order, and by the list is none.
  {
    proofs: [p1, poll('payout', payout('o1', { payoutType: 'withdrawal' }), 6)],
    reports: [saying('o1', 5, { merchantReference: 'A' })],
  },
  // Reports of one payout, of three, and of four: some that the list shows, and some that it does not.
  { proofs: [p1, ...listed], reports: four(['o1', 'o1', 'o1', 'o1']) },
  { proofs: [p1, ...listed], reports: four(['o1', 'o2', 'o3']) },
  { proofs: [p1, ...listed], reports: four(['o1', 'o2', 'o3', 'o4']) },
  // More reports of one payout than its record keeps, the first of another payment: shown, denied.
  { proofs: [...paid, late], reports: [saying('o1', 5), ...crowd] },
  { proofs: [...paid, absence('payout', 'o1', 40)], reports: [saying('o1', 5), ...crowd] },
  { proofs: [p1], polledLate: true },
  // What was found out of it.
  { proofs: [p1, ...listed], reports: [saying('o1', 5)], assigned: [['o1', null] as [string, null]] },
  { proofs: [p1, ...listed], reports: [saying('o1', 5)], searched: [['o1', at(7)] as [string, number]] },
  { proofs: [p1, ...listed], reports: [saying('o1', 5)], searched: [['o1', at(5)] as [string, number]] },
  { proofs: [p1], reports: [saying('o9', 5)], searched: [['o9', at(7)] as [string, number]] },
  { proofs: [p1, poll('payout', payout('o1', { paymentIntentId: '' }), 2)], reports: [saying('o1', 5)] },
].map((world) => inTime({ ...nothing, ...(world as Partial<World>) }));

/** A person decided on what only reports say; of other worlds the laws say that reports raise nothing. */
export const decidedUnread: World = inTime({
  ...nothing,
  proofs: [ofA({ irregularRefundPayoutId: 'o9' })],
  reports: [saying('o9', 5, {})],
  assigned: [['o9', 'p1']],
});

/** At the time of the other worlds. */
function inTime(world: World): World {
  const moved = (time: number) => time - at(0) + START;
  const all = (observations: readonly Observation[]) =>
    observations.map((one) => ({ ...one, from: moved(one.from), to: moved(one.to) }));
  const searched = world.searched.map(([id, time]): [string, number] => [id, moved(time)]);
  return { ...world, proofs: all(world.proofs), reports: all(world.reports), searched };
}

/** Runs of a property of worlds: the rare ones first. */
export const runsWithRare = (share = 1, more: World[] = []): { numRuns: number; examples: [World][] } => ({
  numRuns: runs(share).numRuns + rareWorlds.length + more.length,
  examples: [...rareWorlds, ...more].map((world) => [world]),
});
