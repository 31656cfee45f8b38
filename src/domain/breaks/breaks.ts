import { valueAt } from '../events/event-key.js';
import { spaced } from '../in-words.js';
import type { JsonObject } from '../json.js';
import { type CheckFacts, focused } from './check-facts.js';
import { contractBreaks } from './contract-violation.js';
import { deliveryBreaks } from './deliveries.js';
import { disputeBreaks } from './disputes.js';
import { checkFees, feeBreaks, type IdentityEvidence } from './fee-identity.js';
import type { BreakDefinition, Checked, TimedFindings } from './findings.js';
import { invoiceBreaks } from './invoices.js';
import { screeningBreaks } from './kyt-hold.js';
import { lostRefundBreaks } from './lost-refunds.js';
import { orderBreaks } from './orders.js';
import { payoutBreaks, settlementBreaks } from './payouts.js';
import { recordBreaks, staleBreaks } from './records.js';
import { refundBreaks } from './refunds.js';

const definitions = {
  ...recordBreaks,
  ...deliveryBreaks,
  ...orderBreaks,
  ...invoiceBreaks,
  ...refundBreaks,
  ...lostRefundBreaks,
  ...payoutBreaks,
  ...settlementBreaks,
  ...screeningBreaks,
  ...feeBreaks,
  ...staleBreaks,
  ...disputeBreaks,
  ...contractBreaks,
};

export type BreakKind = keyof typeof definitions;

export const breakDefinitions: Readonly<Record<BreakKind, BreakDefinition>> = definitions;
const known: ReadonlyMap<string, Pick<BreakDefinition, 'means' | 'remedy'>> = new Map(Object.entries(definitions));

/** What a kind means and asks for; empty where this version does not know it. */
export function breakWordsOf(kind: string): Pick<BreakDefinition, 'means' | 'remedy'> {
  return known.get(kind) ?? { means: '', remedy: '' };
}

/** So many characters of each value. */
const LONGEST_SHARED = 80;
/** Of a break whose evidence names nothing that it could share. */
export const NOTHING_SHARED = 'none';

/**
 * What its evidence has in common with others of the kind, in words: breaks of one kind of which this is the same, about one kind
 * of record, have one cause as far as evidence says. It hangs on nothing but the evidence.
 */
export function sharedOf(kind: BreakKind, evidence: JsonObject): string {
  const { sharedBy } = breakDefinitions[kind];
  const said = ('none' in sharedBy ? [] : sharedBy).flatMap((pointer) => {
    const value = valueAt(evidence, pointer);
    const label = pointer
      .slice(1)
      .split('/')
      .filter((part) => part !== 'ours' && part !== 'theirs')
      .join(' ');
    return typeof value === 'string' && value !== '' ? [`${spaced(label)} ${value.slice(0, LONGEST_SHARED)}`] : [];
  });
  return said.length === 0 ? NOTHING_SHARED : said.join(', ');
}

export const breakKinds = Object.keys(definitions) as readonly BreakKind[];

/** What the checks of these kinds find; what a check says does not hang on another's. */
export function checkKinds(kinds: readonly BreakKind[], facts: CheckFacts): TimedFindings<BreakKind> {
  const findings: TimedFindings<BreakKind> = { open: [], resolve: [], again: [] };
  for (const kind of kinds) addChecked(findings, kind, breakDefinitions[kind].check?.(facts) ?? []);
  return findings;
}

/** All of them, and what the records add to what is known of unproven identities. */
export function runChecks(facts: CheckFacts, known: readonly IdentityEvidence[]) {
  const findings = checkKinds(breakKinds, facts);
  const fees = checkFees([...focused(facts, 'payins'), ...focused(facts, 'intents')], known, facts.now);
  addChecked(findings, 'fee_identity', fees.checked);
  return { findings, evidence: fees.evidence };
}

function addChecked(findings: TimedFindings<BreakKind>, kind: BreakKind, checked: readonly Checked[]): void {
  for (const { entity, found, at } of checked) {
    if (found === null) findings.resolve.push({ kind, entity });
    else if (found !== undefined) findings.open.push({ kind, entity, ...found });
    if (at !== undefined) findings.again.push({ entity, at });
  }
}
