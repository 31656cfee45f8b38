import { linkedByPayment, linkIn, listedPayins, type ShownRecord } from '../family/links.js';
import type { OrderRefund } from '../family/order-refund.js';
import { isFinal } from '../family/states.js';
import { amountViolations, textField } from '../records.js';
import { defaultKytWords, type KytWords, kytVerdict } from './kyt.js';
import type { OrderFacts } from './order-facts.js';
import { type Collected, isCertain } from './order-intent.js';
import { type PaidReason, paidReasons, type ReleaseReason } from './reasons.js';

/** May the goods go out? `reason` is `proven` exactly where they may; docs/orders.md lists the others. */
export interface Release {
  safe: boolean;
  reason: ReleaseReason;
  /** When the oldest poll that the proof rests on was made; milliseconds of the service's clock, null where unsafe. */
  provenAt: number | null;
}

/** What was given back stays given back; that it failed is believed only while nothing says otherwise. */
function isOver({ status, doubted }: OrderRefund): boolean {
  return status === 'confirmed' || (isFinal('payout', status) && doubted !== true);
}

export function held(reason: ReleaseReason): Release {
  return { safe: false, reason, provenAt: null };
}

/** The verdict on an order that is paid: each of its payins must have been read, be final and have passed. */
export function releaseOfPaid(collected: readonly Collected[], facts: OrderFacts): Release {
  const intents = collected.map(({ intent }) => intent);
  const payins = linkedByPayment('payin', intents, facts.payins);
  const proofs = intents.map((intent) => ({ intent, payins: payins.get(intent.id) ?? [] }));
  const doubts = new Set<PaidReason>([
    ...collected.flatMap(({ side }) => (side === 'in_range' ? [] : ['out_of_range' as const])),
    ...proofs.flatMap((proof) => doubtsOfPayment(proof, facts)),
    ...doubtsOfOrder(facts),
  ]);
  const first = paidReasons.find((reason) => doubts.has(reason));
  if (first !== undefined) return held(first);
  return {
    safe: true,
    reason: 'proven',
    provenAt: oldest(proofs.flatMap(({ intent, payins }) => [intent, ...payins])),
  };
}

function doubtsOfOrder(facts: OrderFacts): PaidReason[] {
  const { contested = [], invoices, openCalls = [], refunds } = facts;
  const isDenied = invoices.some(({ absent, ownCall }) => absent && (ownCall ?? null) !== null);
  return [
    ...(contested.length > 0 ? (['two_orders'] as const) : []),
    ...(isDenied ? (['record_not_at_service'] as const) : []),
    ...(facts.refundUnlinked === true ? (['refund_unlinked'] as const) : []),
    ...(facts.requiresRegistration === true && facts.expected === null ? (['not_registered'] as const) : []),
    ...(facts.refundReported === true ? (['refund_reported'] as const) : []),
    ...(refunds.every(isOver) && openCalls.length === 0 && facts.refundUnread !== true
      ? []
      : (['refund_in_progress'] as const)),
  ];
}

function doubtsOfPayment(
  { intent, payins }: { intent: ShownRecord; payins: readonly ShownRecord[] },
  facts: OrderFacts,
): PaidReason[] {
  // Its payins were not asked for: the order was paid before Tallyhook was there.
  const isHistory = facts.history?.has(intent.id) === true;
  const unreadable = amountViolations('payment_intent', intent.fields).length > 0;
  return [
    ...(unreadable ? (['amount_unreadable'] as const) : []),
    ...(isReadWhole(intent, payins) ? [] : ([isHistory ? 'before_adoption' : 'payins_unread'] as const)),
    ...(payins.every((payin) => isOwn(payin, intent, facts)) ? [] : (['two_orders'] as const)),
    ...payins.flatMap((payin) => doubtOfPayin(payin, facts) ?? []),
  ];
}

/**
 * A payin that names another payment than the one that lists it is that one's money, if anybody's; so is one whose link is no text.
 * One that names none is its own only where no other payment lists it.
 */
function isOwn(payin: ShownRecord, intent: ShownRecord, { sharedPayins = [] }: OrderFacts): boolean {
  const named = linkIn('payin', payin.fields, 'payment_intent');
  return named === null ? !sharedPayins.includes(payin.id) : named === intent.id;
}

/** Every payin that the payment lists was read. Money that no payin brought was never screened either. */
function isReadWhole({ fields }: ShownRecord, payins: readonly ShownRecord[]): boolean {
  if (!Array.isArray(fields['payins']) || payins.length === 0) return false;
  const read = new Set(payins.map(({ id }) => id));
  const isNamed = fields['payins'].length === listedPayins(fields).length;
  return isNamed && listedPayins(fields).every((id) => read.has(id));
}

function doubtOfPayin(
  payin: ShownRecord,
  { kytWords = defaultKytWords, showsKyt = false }: OrderFacts,
): PaidReason | null {
  if (!isCertain(payin)) return 'payin_not_verified';
  const kyt = kytOf(payin, kytWords);
  if (kyt === null ? showsKyt : kyt !== 'passed') return `kyt_${kyt === null || kyt === 'passed' ? 'pending' : kyt}`;
  return isFinal('payin', textField(payin.fields, 'status')) ? null : 'payin_not_final';
}

function kytOf({ fields }: ShownRecord, words: KytWords): ReturnType<typeof kytVerdict> | null {
  const kyt = fields['kytStatus'] ?? null;
  if (kyt === null) return null;
  return typeof kyt === 'string' ? kytVerdict(kyt, words) : 'unknown';
}

function oldest(records: readonly ShownRecord[]): number | null {
  return records.reduce<number | null>(
    (oldest, { verifiedAt }) => (verifiedAt !== null && (oldest === null || verifiedAt < oldest) ? verifiedAt : oldest),
    null,
  );
}
