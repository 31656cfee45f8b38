import type { CheckFacts } from './check-facts.js';
import { focused } from './check-facts.js';
import { checkFees, type FeeFindings, type IdentityEvidence } from './fee-identity.js';
import { allFindings } from './findings.js';
import { checkInvoicedPayments, checkInvoices } from './invoices.js';
import { checkKyt } from './kyt-hold.js';
import { checkLinks } from './links.js';
import { checkLostRefunds, checkPayoutWords, checkReassigned } from './lost-refunds.js';
import { checkOrders } from './orders.js';
import { checkRefunds } from './refunds.js';
import { checkStale } from './stale-records.js';

/** Every check of how records stand to one another; what a check says does not hang on another's. */
const checks = [
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
export function runChecks(facts: CheckFacts, evidence: readonly IdentityEvidence[]): FeeFindings {
  const fees = checkFees([...focused(facts, 'payins'), ...focused(facts, 'intents')], evidence, facts.now);
  return { findings: allFindings([...checks.map((check) => check(facts)), fees.findings]), evidence: fees.evidence };
}
