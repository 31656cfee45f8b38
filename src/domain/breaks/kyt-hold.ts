import { isRejected, kytVerdict } from '../orders/kyt.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, isCollected, sourceOf } from './check-facts.js';
import { type BreakDefinitions, each, type Finding, finding } from './findings.js';
import { grace } from './grace.js';

export const screeningBreaks = {
  kyt_hold: {
    severity: 'high',
    sharedBy: ['/verdict', '/kytStatus/theirs'],
    means:
      'The screening rejected a payin of a collected payment, or a payin without a payment; or a collected payment’s payin has not passed it for an hour. “verdict” says which.',
    ends: 'It passes, or the payment is no longer collected.',
    remedy:
      'Pending: wait. Rejected: ask the service before shipping, or before using the money. Unknown: put the word on a list of the contract (kyt).',
    check: each('payins', kytHold),
  },
} as const satisfies BreakDefinitions;

/**
 * A payin whose screening is not passed, though its payment counts as collected: the goods wait. A word on no list holds
 * them too. A rejection is no matter of waiting, and needs no payment: a payin that belongs to none is the merchant's own
 * money.
 */
function kytHold(payin: CheckedRecord, facts: CheckFacts): Finding | { at: number } | null {
  if (payin.absent || payin.history) return null;
  const word = payin.fields['kytStatus'] ?? null;
  const verdict = word === null ? 'passed' : typeof word === 'string' ? kytVerdict(word, facts.kytWords) : 'unknown';
  const { ids, intents } = intentsOf(payin, facts);
  const intent = ids.size === 0 ? null : intents.find(isCollected);
  if (intent === undefined) return null;
  if (payin.verified && isRejected(payin.fields, facts.kytWords)) return rejectedHold(payin, intent);
  if (verdict === 'passed' || intent === null) return null;
  const since = payin.since ?? payin.createdAt ?? payin.firstSeenAt;
  if (facts.now < since + grace.kyt) return { at: since + grace.kyt };
  const fields = {
    kytStatus: { ours: 'passed', theirs: word, source: sourceOf(payin) },
    paymentStatus: { ours: intent.id, theirs: intent.fields['status'] ?? null, source: sourceOf(intent) },
  };
  return finding(fields, { since, notes: { verdict } });
}

/** The same, whatever finds it: what a person has decided of it stays decided. `intent`: the payment that counts on it. */
export function rejectedHold(payin: Parameters<typeof sourceOf>[0], intent: Pick<CheckedRecord, 'id'> | null): Finding {
  const word = payin.fields['kytStatus'] ?? null;
  const notes = {
    verdict: 'rejected',
    paymentIntent: intent?.id ?? textField(payin.fields, 'paymentIntentId'),
    account: textField(payin.fields, 'accountId'),
  };
  return finding({ kytStatus: { ours: 'passed', theirs: word, source: sourceOf(payin) } }, { notes });
}

function intentsOf(payin: CheckedRecord, { intents, listings }: CheckFacts) {
  const named = textField(payin.fields, 'paymentIntentId');
  const ids = new Set([...(listings.get(payin.id) ?? []), ...(named === null ? [] : [named])]);
  return { ids, intents: [...ids].flatMap((id) => intents.get(id) ?? []) };
}
