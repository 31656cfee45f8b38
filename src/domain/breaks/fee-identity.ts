import { isoTime } from '../in-words.js';
import type { JsonObject } from '../json.js';
import { compareText } from '../record-state.js';
import { type CheckedRecord, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Checked, entityOf, type FieldEvidence, finding } from './findings.js';
import { type Identity, type IdentityOf, identitiesOf } from './identities.js';

export const feeBreaks = {
  fee_identity: {
    severity: 'medium',
    sharedBy: ['/identities'],
    means: 'The amounts of this payment do not add up; those of the account’s other payments do.',
    ends: 'They add up.',
    remedy:
      'Ask the service. If its fees changed for good: “tallyhook breaks observe IDENTITY --note WHY” for each of “identities”, then write these breaks off.',
  },
} as const satisfies BreakDefinitions;

/** What the account's own records say of an identity so far. Records as `kind id`. */
export interface IdentityEvidence {
  identity: Identity;
  /** Of which it held, one after another: none since the last of which it did not. No more than it takes. */
  heldBy: readonly string[];
  /** Some of which it did not, before it was proven. */
  failedBy: readonly string[];
  /** Since when, ms. */
  provenAt: number | null;
}

/** So many different records in a row prove an identity; then a record that breaks it is a break. */
export const RECORDS_FOR_PROOF = 20;
const FAILURES_KEPT = 20;

/**
 * `fee_identity`: amounts of a record that don't add up as those of the records before did. Records of history are
 * evidence, and never a break; so is one that failed before the identity was proven, unless it is checked again then.
 * `evidence`: every identity that was met, as it stands now.
 */
export function checkFees(records: readonly CheckedRecord[], known: readonly IdentityEvidence[], now: number) {
  const evidence = new Map(known.map((about) => [about.identity, about]));
  const checked: Checked[] = [];
  for (const record of records) {
    const said = identitiesOf(record);
    const broken = said.filter((one) => !one.holds && (evidence.get(one.identity)?.provenAt ?? null) !== null);
    for (const one of said) evidence.set(one.identity, observed(evidence.get(one.identity), one, record, now));
    const found =
      broken.length > 0 && !record.history
        ? finding(fieldsOf(broken, record), { notes: notesOf(broken, evidence) })
        : null;
    checked.push({ entity: entityOf(record), found });
  }
  return { checked, evidence: [...evidence.values()] };
}

function observed(
  known: IdentityEvidence | undefined,
  { identity, holds }: IdentityOf,
  { kind, id }: CheckedRecord,
  now: number,
): IdentityEvidence {
  const before = known ?? { identity, heldBy: [], failedBy: [], provenAt: null };
  const key = `${kind} ${id}`;
  if (before.provenAt !== null) return before;
  if (!holds) {
    const failedBy = [...before.failedBy.filter((other) => other !== key), key].slice(-FAILURES_KEPT);
    return { ...before, heldBy: [], failedBy };
  }
  if (before.heldBy.includes(key)) return before;
  const heldBy = [...before.heldBy, key];
  return { ...before, heldBy, provenAt: heldBy.length >= RECORDS_FOR_PROOF ? now : null };
}

function fieldsOf(broken: readonly IdentityOf[], record: CheckedRecord): Record<string, FieldEvidence> {
  return Object.fromEntries(
    broken.map(({ identity, field, ours, theirs }) => [
      `${field} (${identity})`,
      { ours, theirs, source: sourceOf(record) },
    ]),
  );
}

function notesOf(broken: readonly IdentityOf[], evidence: ReadonlyMap<Identity, IdentityEvidence>): JsonObject {
  const provenAt = broken.map(({ identity }): [string, string | null] => {
    return [identity, isoTime(evidence.get(identity)?.provenAt ?? null)];
  });
  const identities = provenAt.map(([identity]) => identity).sort(compareText);
  return { identities: identities.join(', '), heldSince: Object.fromEntries(provenAt) };
}
