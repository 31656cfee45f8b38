import { listedPayins } from '../family/links.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, sourceOf } from './check-facts.js';
import { type FoundBreak, foundBreak, noFindings, settle, type TimedFindings } from './findings.js';

/**
 * Records that name one another must agree. A deposit that two payments list would be counted twice: critical. Where one
 * is named by another than it names itself: low. `contract_violation`; the field stands behind the id, since what is wrong
 * with the record's own fields is another break.
 */
export function checkLinks(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  for (const payin of focused(facts, 'payins')) {
    const name = { kind: 'contract_violation', entity: { kind: 'payin', id: `${payin.id}#paymentIntentId` } } as const;
    settle(findings, name, payin.history || payin.absent ? null : payinLink(payin, facts));
  }
  for (const payout of focused(facts, 'payouts')) {
    const name = {
      kind: 'contract_violation',
      entity: { kind: 'payout', id: `${payout.id}#paymentIntentId` },
    } as const;
    settle(findings, name, payout.history || payout.absent ? null : payoutLink(payout, facts));
  }
  return findings;
}

function payinLink(payin: CheckedRecord, { listings, intents }: CheckFacts): FoundBreak | null {
  const listing = (listings.get(payin.id) ?? []).filter((id) => lists(intents.get(id), payin.id));
  const named = textField(payin.fields, 'paymentIntentId');
  const isAlone = listing.length < 2 && (listing.length === 0 || named === null || listing.includes(named));
  if (isAlone) return null;
  return foundBreak(
    { kind: 'contract_violation', entity: { kind: 'payin', id: `${payin.id}#paymentIntentId` } },
    { paymentIntentId: { ours: listing.toSorted(compareText), theirs: named, source: sourceOf(payin) } },
    {
      severity: listing.length > 1 ? 'critical' : 'low',
      notes: { rule: 'a deposit belongs to the payment that lists it' },
    },
  );
}

function payoutLink(payout: CheckedRecord, { intents }: CheckFacts): FoundBreak | null {
  const named = textField(payout.fields, 'paymentIntentId');
  const naming = [...intents.values()].filter(
    ({ fields, absent }) => !absent && textField(fields, 'irregularRefundPayoutId') === payout.id,
  );
  const isAlone = naming.length < 2 && (naming.length === 0 || named === null || naming[0]?.id === named);
  if (isAlone) return null;
  return foundBreak(
    { kind: 'contract_violation', entity: { kind: 'payout', id: `${payout.id}#paymentIntentId` } },
    {
      paymentIntentId: {
        ours: naming.map(({ id }) => id).toSorted(compareText),
        theirs: named,
        source: sourceOf(payout),
      },
    },
    { notes: { rule: 'the refund of a dispute belongs to the payment that names it' } },
  );
}

function lists(intent: CheckedRecord | undefined, payin: string): boolean {
  return intent !== undefined && !intent.absent && listedPayins(intent.fields).includes(payin);
}
