import { kytVerdict } from '../orders/kyt.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, isCollected, sourceOf } from './check-facts.js';
import { foundBreak, noFindings, settle, type TimedFindings } from './findings.js';
import { grace } from './grace.js';

/**
 * A deposit whose screening is not passed, though its payment counts as collected: the goods wait. A word on no list holds
 * them too.
 */
export function checkKyt(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  for (const payin of focused(facts, 'payins')) {
    const entity = { kind: 'payin', id: payin.id } as const;
    const name = { kind: 'kyt_hold', entity } as const;
    const word = payin.fields['kytStatus'] ?? null;
    const verdict = word === null ? 'passed' : typeof word === 'string' ? kytVerdict(word, facts.kytWords) : 'unknown';
    const intent = intentsOf(payin, facts).find(isCollected);
    if (verdict === 'passed' || intent === undefined || payin.absent || payin.history) {
      settle(findings, name, null);
      continue;
    }
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
  return findings;
}

function intentsOf(payin: CheckedRecord, { intents, listings }: CheckFacts): CheckedRecord[] {
  const named = textField(payin.fields, 'paymentIntentId');
  const ids = new Set([...(listings.get(payin.id) ?? []), ...(named === null ? [] : [named])]);
  return [...ids].flatMap((id) => intents.get(id) ?? []);
}
