import { isRejected, kytVerdict } from '../orders/kyt.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, isCollected, sourceOf } from './check-facts.js';
import type { BreakDefinitions } from './definition.js';
import { type FoundBreak, foundBreak, noFindings, settle, type TimedFindings } from './findings.js';
import { grace } from './grace.js';

export const screeningBreaks = {
  kyt_hold: {
    severity: 'high',
    means:
      'A payin of a collected payment, or one that belongs to no payment, was rejected by the screening; or that of a payment has not passed it for an hour. “verdict” says which.',
    ends: 'It passes, or the payment is no longer collected.',
    remedy:
      'Pending: wait. Rejected: ask the service before shipping, or before using the money. Unknown: put the word on a list of the contract (kyt).',
  },
} as const satisfies BreakDefinitions;

/**
 * A deposit whose screening is not passed, though its payment counts as collected: the goods wait. A word on no list holds
 * them too. A rejection is no matter of waiting, and needs no payment: a deposit that belongs to none is the merchant's own
 * money.
 */
export function checkKyt(facts: CheckFacts): TimedFindings<'kyt_hold'> {
  const findings = noFindings<'kyt_hold'>();
  for (const payin of focused(facts, 'payins')) {
    const entity = { kind: 'payin', id: payin.id } as const;
    const name = { kind: 'kyt_hold', entity } as const;
    const word = payin.fields['kytStatus'] ?? null;
    const verdict = word === null ? 'passed' : typeof word === 'string' ? kytVerdict(word, facts.kytWords) : 'unknown';
    const named = intentsOf(payin, facts);
    const intent = named.ids.size === 0 ? null : named.intents.find(isCollected);
    if (payin.absent || payin.history) {
      settle(findings, name, null);
    } else if (intent !== undefined && payin.verified && isRejected(payin.fields, facts.kytWords)) {
      settle(findings, name, rejectedHold(payin, intent));
    } else if (verdict === 'passed' || !intent) {
      settle(findings, name, null);
    } else {
      const since = payin.since ?? payin.createdAt ?? payin.firstSeenAt;
      if (facts.now < since + grace.kyt) {
        findings.again.push({ entity, at: since + grace.kyt });
        continue;
      }
      const fields = {
        kytStatus: { ours: 'passed', theirs: word, source: sourceOf(payin) },
        paymentStatus: { ours: intent.id, theirs: intent.fields['status'] ?? null, source: sourceOf(intent) },
      };
      settle(findings, name, foundBreak(name, fields, { since, notes: { verdict } }));
    }
  }
  return findings;
}

/** The same, whatever finds it: what a person has decided of it stays decided. `intent`: the payment that counts on it. */
export function rejectedHold(
  payin: Parameters<typeof sourceOf>[0],
  intent: Pick<CheckedRecord, 'id'> | null,
): FoundBreak<'kyt_hold'> {
  const name = { kind: 'kyt_hold', entity: { kind: 'payin', id: payin.id } } as const;
  const word = payin.fields['kytStatus'] ?? null;
  const notes = {
    verdict: 'rejected',
    paymentIntent: intent?.id ?? textField(payin.fields, 'paymentIntentId'),
    account: textField(payin.fields, 'accountId'),
  };
  return foundBreak(name, { kytStatus: { ours: 'passed', theirs: word, source: sourceOf(payin) } }, { notes });
}

/** The payments that a deposit names or that list it, and those of them that are known. */
function intentsOf(payin: CheckedRecord, { intents, listings }: CheckFacts) {
  const named = textField(payin.fields, 'paymentIntentId');
  const ids = new Set([...(listings.get(payin.id) ?? []), ...(named === null ? [] : [named])]);
  return { ids, intents: [...ids].flatMap((id) => intents.get(id) ?? []) };
}
