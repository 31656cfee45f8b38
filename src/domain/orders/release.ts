import { isJsonObject, type Json } from '../json.js';
import { amountViolations, textField } from '../records.js';
import { defaultKytWords, type KytWords, kytVerdict } from './kyt.js';
import type { OrderFacts, ShownRecord } from './order-facts.js';
import type { Collected } from './order-intent.js';

/** May the goods go out? `reason` is `proven` exactly where they may; docs/orders.md lists the others. */
export interface Release {
  safe: boolean;
  reason: string;
  /** When the newest reading that the proof rests on was made; milliseconds of the service's clock, null where unsafe. */
  provenAt: number | null;
}

const FINAL_PAYIN = ['confirmed', 'unmatched'];
const FINAL_REFUND = ['confirmed', 'failed'];

export function held(reason: string): Release {
  return { safe: false, reason, provenAt: null };
}

/** The verdict on an order that is paid: every deposit behind it must have been read, be final and have passed. */
export function releaseOfPaid(collected: readonly Collected[], facts: OrderFacts): Release {
  const words = facts.kytWords ?? defaultKytWords;
  const proof: ShownRecord[] = [];
  for (const { intent, side } of collected) {
    if (side !== 'in_range') return held('out_of_range');
    if (amountViolations('payment_intent', intent.fields).length > 0) return held('amount_unreadable');
    const payins = payinsOf(intent, facts.payins);
    // Money that no deposit brought was never screened either.
    if (payins === null || payins.length === 0) return held('payins_unread');
    const doubt = payins.map((payin) => doubtOf(payin, words)).find((reason) => reason !== null);
    if (doubt !== undefined) return held(doubt);
    proof.push(intent, ...payins);
  }
  if (facts.refunds.some((refund) => !FINAL_REFUND.includes(refund.status))) return held('refund_in_progress');
  if (facts.requiresRegistration === true && facts.expected === null) return held('not_registered');
  return { safe: true, reason: 'proven', provenAt: newest(proof) };
}

/** Those that the payment lists and those that name the payment; null where one of them has not been read. */
function payinsOf(intent: ShownRecord, known: readonly ShownRecord[]): ShownRecord[] | null {
  const listed = intent.fields['payins'];
  if (!Array.isArray(listed)) return null;
  const ids = listed.map((item: Json) => (isJsonObject(item) ? textField(item, 'id') : null));
  const read = ids.map((id) => known.find((payin) => payin.id === id));
  const others = known.filter(
    (payin) => textField(payin.fields, 'paymentIntentId') === intent.id && !ids.includes(payin.id),
  );
  return read.every((payin) => payin !== undefined) ? [...read, ...others] : null;
}

function doubtOf(payin: ShownRecord, words: KytWords): string | null {
  if (!payin.verified) return 'payin_not_verified';
  const kyt = payin.fields['kytStatus'] ?? null;
  if (kyt !== null) {
    const verdict = typeof kyt === 'string' ? kytVerdict(kyt, words) : 'unknown';
    if (verdict !== 'passed') return `kyt_${verdict}`;
  }
  return FINAL_PAYIN.includes(textField(payin.fields, 'status') ?? '') ? null : 'payin_not_final';
}

function newest(records: readonly ShownRecord[]): number | null {
  return records.reduce<number | null>(
    (newest, { verifiedAt }) => (verifiedAt !== null && (newest === null || verifiedAt > newest) ? verifiedAt : newest),
    null,
  );
}
