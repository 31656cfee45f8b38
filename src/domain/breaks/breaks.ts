import type { CheckFacts } from './check-facts.js';
import { focused } from './check-facts.js';
import { checkLinks, checkPayoutWords, contractBreaks } from './contract-violation.js';
import type { BreakDefinition } from './definition.js';
import { deliveryBreaks } from './deliveries.js';
import { disputeBreaks } from './disputes.js';
import { checkFees, feeBreaks, type IdentityEvidence } from './fee-identity.js';
import { allFindings, type TimedFindings } from './findings.js';
import { checkInvoicedPayments, checkInvoices, invoiceBreaks } from './invoices.js';
import { checkKyt, screeningBreaks } from './kyt-hold.js';
import { checkLostRefunds, checkReassigned, lostRefundBreaks } from './lost-refunds.js';
import { checkOrders, orderBreaks } from './orders.js';
import { payoutBreaks } from './payouts.js';
import { recordBreaks } from './records.js';
import { checkRefunds, refundBreaks } from './refunds.js';
import { checkStale, staleBreaks } from './stale-records.js';

const definitions = {
  ...recordBreaks,
  ...deliveryBreaks,
  ...orderBreaks,
  ...invoiceBreaks,
  ...refundBreaks,
  ...lostRefundBreaks,
  ...payoutBreaks,
  ...screeningBreaks,
  ...feeBreaks,
  ...staleBreaks,
  ...disputeBreaks,
  ...contractBreaks,
};

export type BreakKind = keyof typeof definitions;

export const breakDefinitions: Readonly<Record<BreakKind, BreakDefinition>> = definitions;
export const breakKinds = Object.keys(definitions) as readonly BreakKind[];

/** Every check of how records stand to one another; what a check says does not hang on another's. */
const checks: readonly ((facts: CheckFacts) => TimedFindings<BreakKind>)[] = [
  checkOrders,
  checkInvoices,
  checkInvoicedPayments,
  checkRefunds,
  checkLostRefunds,
  checkReassigned,
  checkPayoutWords,
  checkKyt,
  checkLinks,
  checkStale,
];

/** All of them, and what the records add to what is known of unproven identities. */
export function runChecks(facts: CheckFacts, evidence: readonly IdentityEvidence[]) {
  const fees = checkFees([...focused(facts, 'payins'), ...focused(facts, 'intents')], evidence, facts.now);
  const found = allFindings<BreakKind>([...checks.map((check) => check(facts)), fees.findings]);
  return { findings: found, evidence: fees.evidence };
}
