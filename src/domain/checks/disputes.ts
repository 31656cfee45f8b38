import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, sourceOf } from './check-facts.js';
import { type Findings, foundBreak, noFindings, settle, type TimedFindings } from './findings.js';

/** What a complete reading of the filter `irregular` showed. Times in ms of the service's clock. */
export interface IrregularListing {
  from: number;
  to: number;
  ids: ReadonlySet<string>;
}

/**
 * That the filter `irregular` holds every open dispute is an assumption (specification 3.1). A payment that was disputed
 * before the filter was read, and that a reading begun since shows so still, should have been among what it listed.
 */
export function checkDisputes(disputed: readonly CheckedRecord[], listing: IrregularListing): Findings {
  const findings: Findings = { open: [], resolve: [] };
  for (const intent of disputed) {
    const { id, since, readAt, verified, history } = intent;
    const name = { kind: 'dispute_outside_irregular', entity: { kind: 'payment_intent', id } } as const;
    const isListed = listing.ids.has(id);
    const stoodThroughout = since !== null && since < listing.from && readAt !== null && readAt >= listing.to;
    if (isListed || history) settle(findings, name, null);
    else if (verified && stoodThroughout) {
      const irregular = {
        ours: 'pending_decision',
        theirs: 'not listed',
        source: {
          record: sourceOf(intent),
          filter: 'irregular',
          readFrom: new Date(listing.from).toISOString(),
          readTo: new Date(listing.to).toISOString(),
        },
      };
      settle(findings, name, foundBreak(name, { irregularStatus: irregular }));
    }
  }
  return findings;
}

/**
 * Whether a later reading could still show that this one should have been listed: it stood before, and no reading that
 * surely began after the listing ended has shown it yet. Two requests within the doubt about the service's clock have no order.
 */
export function awaitsReading({ id, since, readAt, history }: CheckedRecord, listing: IrregularListing): boolean {
  if (history || listing.ids.has(id) || since === null || since >= listing.from) return false;
  return readAt === null || readAt < listing.to;
}

/** A dispute that is decided can't be missing any more. */
export function checkEndedDisputes(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  for (const { id, fields, absent } of focused(facts, 'intents')) {
    if (!absent && textField(fields, 'irregularStatus') === 'pending_decision') continue;
    findings.resolve.push({ kind: 'dispute_outside_irregular', entity: { kind: 'payment_intent', id } });
  }
  return findings;
}
