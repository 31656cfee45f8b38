import { listedPayins, payoutClass } from '../family/links.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Check, type Checked, type Finding, finding, type Severity } from './findings.js';

export const contractBreaks = {
  contract_violation: {
    severity: 'low',
    sharedBy: ['/rule', '/field', '/ours/secret'],
    also: { severity: 'critical', where: 'something was left unapplied, or two payments list one payin' },
    means:
      'Something that the service sent breaks its specification; “rule” and “place” in the evidence say what and where. “many”, about a secret: more than 100 webhooks did in a day, and this break counts the rest.',
    ends: 'A poll shows the record without it. A new word of a payout: it has a class. A new state: never.',
    remedy:
      'It is kept as it came. A new state: find out what it means, then write it off. A new word of a payout: put it into a class of movements.words.payoutType (CONTRACT_FILE). Where something was left unapplied, the record is polled instead.',
    besideSafe: {
      where: 'a payin that two payments list: the payment that the payin names itself may be safe',
      remedy: 'ask the service why the other one lists it',
    },
    check: (facts) => [payinLinks, payoutLinks, payoutWords].flatMap((check) => check(facts)),
  },
} as const satisfies BreakDefinitions;
/** Of one that left something unapplied. */
export const UNAPPLIED: Severity = contractBreaks.contract_violation.also.severity;

/**
 * Records that name one another must agree. A payin that two payments list would be counted twice: critical. Where one
 * is named by another than it names itself: low. `contract_violation`; the field stands behind the id, since what is wrong
 * with the record's own fields is another break.
 */
const payinLinks = eachLink('payins', payinLink);
const payoutLinks = eachLink('payouts', payoutLink);

function eachLink(
  focus: 'payins' | 'payouts',
  check: (record: CheckedRecord, facts: CheckFacts) => Finding | null,
): Check {
  return (facts) =>
    focused(facts, focus).map((record) => ({
      entity: { kind: record.kind, id: `${record.id}#paymentIntentId` },
      found: record.history || record.absent ? null : check(record, facts),
    }));
}

function payinLink(payin: CheckedRecord, { listings, intents }: CheckFacts): Finding | null {
  const listing = (listings.get(payin.id) ?? []).filter((id) => lists(intents.get(id), payin.id));
  const named = textField(payin.fields, 'paymentIntentId');
  const isAlone = listing.length < 2 && (listing.length === 0 || named === null || listing.includes(named));
  if (isAlone) return null;
  return finding(
    { paymentIntentId: { ours: listing.toSorted(compareText), theirs: named, source: sourceOf(payin) } },
    {
      severity: listing.length > 1 ? UNAPPLIED : 'low',
      notes: { rule: 'a payin belongs to the payment that lists it' },
    },
  );
}

function payoutLink(payout: CheckedRecord, { intents }: CheckFacts): Finding | null {
  const named = textField(payout.fields, 'paymentIntentId');
  const naming = [...intents.values()].filter(
    ({ fields, absent }) => !absent && textField(fields, 'irregularRefundPayoutId') === payout.id,
  );
  const isAlone = naming.length < 2 && (naming.length === 0 || named === null || naming[0]?.id === named);
  if (isAlone) return null;
  return finding(
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

/** One finding per word, not per payout: closed by a person it stays closed, whichever payout shows the word next. */
const payoutWords: Check = (facts) =>
  focused(facts, 'payouts').flatMap((payout): Checked[] => {
    const word = textField(payout.fields, 'payoutType')?.toLowerCase();
    if (word === undefined || word === '') return [];
    const id = `payoutType=${word.slice(0, 200)}`;
    const entity = { kind: 'payout', id } as const;
    if (payoutClass(payout.fields, facts.refunds.words) !== null) return [{ entity, found: null }];
    if (payout.history) return [];
    const evidence = {
      rule: 'no class of movements.words.payoutType has this word (CONTRACT_FILE)',
      field: 'payoutType',
      value: payout.fields['payoutType'] ?? null,
      firstSeen: payout.id,
      source: sourceOf(payout),
    };
    return [{ entity, found: { evidence, cause: id } }];
  });
