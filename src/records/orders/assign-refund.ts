import type { Knex } from 'knex';
import {
  defaultPayoutWords,
  mayRefund,
  namedIn,
  ownerOfRefund,
  type PayoutWords,
  type ShownRecord,
} from '../../domain/family/links.js';
import { toJsonText } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { OrderDetail } from '../../domain/views/order-shapes.js';
import { autoResolveBreaks } from '../breaks/breaks.js';
import { ASSIGNED, appendChanges } from '../changes.js';
import { textArray } from '../database/array-parameter.js';
import type { Trx } from '../database/statements.js';
import { loadNaming, readAssigned } from '../family/around.js';
import { loadMakers } from '../family/load.js';
import { lockLinks, membersOf } from '../family/lock.js';
import { idTexts, loadShown, relatedOrders, shownColumns } from '../family/shown-records.js';
import type { OrderRules } from './derive-orders.js';
import { ordersOfPayouts } from './list-open-refunds.js';
import { getOrder } from './orders.js';
import { rederiveOrders } from './rederive-releases.js';

export interface NewAssignment {
  payoutId: string;
  /** Null: it gives no payment back. */
  paymentIntentId: string | null;
  note: string;
  actor: string;
  /** Although a call of our own named another payment. Left out: no. */
  force?: boolean | undefined;
}

export interface Assigned {
  outcome: 'assigned';
  /** The payment that it counted with until now; null: none. */
  before: string | null;
  /** Those that it concerns, as they are now. */
  orders: OrderDetail[];
}

export interface AssignRefused {
  outcome: 'refused';
  why: 'no_payout' | 'no_payment' | 'other_asset' | 'own_call';
  /** In a sentence that names what was given. */
  message: string;
}

/**
 * A person's word on whose refund a payout is, which counts before what the records say (domain/family/links.ts). The orders
 * that it concerns are derived anew at once, those of the payment that it counted with until now among them.
 */
export async function assignRefund(
  trx: Trx,
  given: NewAssignment,
  rules: OrderRules,
): Promise<Assigned | AssignRefused> {
  const { payoutId, paymentIntentId, note, actor } = given;
  const seen = await readStanding(trx, given, rules);
  if (seen === null) return refused('no_payout', `There is no payout "${payoutId}" here.`);
  const named = [...seen.named, seen.owner, paymentIntentId].filter((id) => id !== null);
  await lockLinks(trx, membersOf([]), [...new Set([payoutId, ...named])]);
  const standing = (await readStanding(trx, given, rules)) ?? seen;
  const { owner: before } = standing;
  const refusal = await refusalOf(trx, given, standing, rules);
  if (refusal !== null) return refusal;
  const concerned = await concernedBy(trx, payoutId, before);
  await trx('refund_assignments').insert({
    payout_id: payoutId,
    payment_intent_id: paymentIntentId,
    named: trx.raw('?::text[]', [textArray(standing.named)]),
    note,
    actor,
  });
  const references = [...new Set([...concerned, ...(await concernedBy(trx, payoutId, paymentIntentId))])].sort();
  const cause = { source: { type: 'person', ref: actor }, serviceTime: null } as const;
  await appendChanges(trx, [
    {
      entity: { kind: 'payout', id: payoutId },
      field: ASSIGNED,
      from: standing.assigned === undefined ? null : toJsonText({ paymentIntentId: standing.assigned }),
      to: toJsonText({ paymentIntentId }),
      ...cause,
    },
  ]);
  await rederiveOrders(trx, references, rules, cause);
  const entity = { kind: 'payout', id: payoutId } as const;
  await autoResolveBreaks(trx, [{ kind: 'refund_without_order', entity }]);
  const orders = await Promise.all(references.map((reference) => getOrder(trx, reference)));
  return { outcome: 'assigned', before, orders: orders.filter((order) => order !== null) };
}

interface Standing {
  payout: ShownRecord;
  /** The one that is asked for; null: none is, or it is not known. */
  payment: ShownRecord | null;
  owner: string | null;
  /** What a person said last; undefined: nothing. */
  assigned: string | null | undefined;
  /** The payments that the records name. */
  named: readonly string[];
}

async function readStanding(
  trx: Knex,
  { payoutId, paymentIntentId: paymentId }: NewAssignment,
  { payoutWords = defaultPayoutWords }: OrderRules,
): Promise<Standing | null> {
  const none = idTexts([]);
  const { payout: payouts, payment_intent: payments } = await loadShown(
    trx,
    new Map(),
    {
      name: 'load refund',
      sql: `SELECT ${shownColumns('payout')} FROM payouts WHERE id = ANY (?::text[])
     UNION ALL SELECT ${shownColumns('payment_intent')} FROM payment_intents WHERE id = ANY (?::text[])`,
    },
    [none, idTexts([payoutId]), none, idTexts(paymentId === null ? [] : [paymentId])],
  );
  const [payout] = payouts;
  if (payout === undefined) return null;
  const naming = await loadNaming(trx, new Map(), [payout], []);
  const assigned = await readAssigned(trx, [payout]);
  const { payment: owner } = ownerOfRefund(payout, naming, payoutWords, assigned);
  const own = namedIn('payout', payout.fields, 'payment_intent');
  const named = [...new Set([...ownerOfRefund(payout, naming, payoutWords).candidates, ...own])];
  return { payout, payment: payments[0] ?? null, owner, assigned: assigned.get(payoutId), named };
}

async function refusalOf(
  trx: Knex,
  { payoutId, paymentIntentId, force = false }: NewAssignment,
  { payout, payment, named }: Standing,
  { payoutWords: words = defaultPayoutWords }: OrderRules,
): Promise<AssignRefused | null> {
  if (paymentIntentId !== null && (payment === null || payment.unknown === true))
    return refused('no_payment', `The service has shown no payment "${paymentIntentId}".`);
  const assets = payment === null ? null : otherAssets(payout, payment);
  if (assets !== null) {
    const message = `${payoutId} sends ${assets.payout}, and ${paymentIntentId} received ${assets.payment}.`;
    return refused('other_asset', message);
  }
  const call = force ? null : await ownCallOf(trx, payout, { isLinked: named.length > 0, words });
  if (call === null || call.paymentIntentId === paymentIntentId) return null;
  const after = 'To say otherwise frees an order that was refunded: only by force, with the reason.';
  return refused('own_call', `${call.message} ${after}`);
}

/** A payment is given back in its own asset (specification 4.5). */
function otherAssets(payout: ShownRecord, payment: ShownRecord): { payout: string; payment: string } | null {
  const [given, received] = [textField(payout.fields, 'assetCode'), textField(payment.fields, 'assetCode')];
  return given === null || received === null || given === received ? null : { payout: given, payment: received };
}

async function concernedBy(trx: Knex, payoutId: string, payment: string | null): Promise<string[]> {
  const ofPayment =
    payment === null ? [] : [...(await relatedOrders(trx, 'payment_intent', [payment])).values()].flat();
  return [...((await ordersOfPayouts(trx, [payoutId])).get(payoutId) ?? []), ...ofPayment];
}

const refused = (why: AssignRefused['why'], message: string): AssignRefused => ({ outcome: 'refused', why, message });

/** A refund call of our own that named a payment. */
interface OwnCall {
  paymentIntentId: string;
  /** In a sentence: that it made the payout, or may have. */
  message: string;
}

/** The call that made a payout, or, of one that nothing links, that may have made it and has an unknown outcome; null: none. */
async function ownCallOf(
  trx: Knex,
  payout: ShownRecord,
  { isLinked, words }: { isLinked: boolean; words: PayoutWords },
): Promise<OwnCall | null> {
  const { id, fields } = payout;
  const made = await trx<{ operation: string; key: string; payment_intent_id: string; object_id: string }>(
    'service_writes',
  )
    .where({ operation: 'createRefund', object_id: id })
    .whereNotNull('payment_intent_id')
    .first('key', 'payment_intent_id');
  if (made !== undefined) {
    const paymentIntentId = made.payment_intent_id;
    const message = `Our own call ${made.key} made ${id} to give ${paymentIntentId} back.`;
    return { paymentIntentId, message };
  }
  const [named] = payout.ownCall === 'createRefund' ? namedIn('payout', fields, 'payment_intent') : [];
  if (named !== undefined)
    return { paymentIntentId: named, message: `A call of our own made ${id} to give ${named} back.` };
  if (isLinked || !mayRefund(fields, words)) return null;
  const maker = (await loadMakers(trx, [payout])).get(id);
  if (maker === undefined) return null;
  const { key, paymentIntentId } = maker;
  const message = `Our own call ${key} asked to give ${paymentIntentId} back, nobody knows what came of it, and it may have made ${id}: settle it first (tallyhook calls settle ${key}).`;
  return { paymentIntentId, message };
}
