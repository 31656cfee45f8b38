import { rejectedHold } from '../../domain/breaks/kyt-hold.js';
import { canonicalHash } from '../../domain/canonical-json.js';
import { referenceOf } from '../../domain/family/links.js';
import { isoTime } from '../../domain/in-words.js';
import type { JsonObject } from '../../domain/json.js';
import { defaultKytWords, isRejected } from '../../domain/orders/kyt.js';
import {
  compareStatements,
  isNewer,
  isReport,
  KEPT,
  MENTION,
  type RecordState,
  type Statement,
} from '../../domain/record-state.js';
import { amountViolations, mayVanish, type RecordKind, textField, unlistedStates } from '../../domain/records.js';
import type { BreakFindings, BreakRef, NewBreak } from '../breaks/breaks.js';
import { keyText, LONGEST_KEY_BYTES } from '../database/database-text.js';
import { isPaid } from '../orders/order-follow-up.js';
import { isHistory, type MergedRecord, type SaveContext } from '../stored-record.js';

/** What is wrong with a record since it was merged, and what no longer is. */
export function recordBreaks(record: MergedRecord, context: SaveContext): BreakFindings {
  const { kind, id, state, before } = record;
  const entity = { kind, id };
  const missing = isMissing(kind, record.shown.absent, record.shown.fields, state);
  const wasMissing = before !== null && isMissing(kind, before.absentSince !== null, before.fields, before.state);
  const listed = state.poll !== null && state.poll.fields !== null;
  const violations = violationBreaks(record);
  const resolve: BreakRef[] = [];
  if (before !== null && (listed || (record.shown.absent && !missing)))
    resolve.push({ kind: 'record_not_at_service', entity });
  if (record.shown.verified && before !== null && violations.length === 0)
    resolve.push({ kind: 'contract_violation', entity });
  const open = record.changed
    ? [
        ...violations,
        ...unlistedBreaks(record),
        ...longReferences(record),
        ...rejectedScreenings(record, context),
        ...movedPayments(record),
      ]
    : [];
  const isOpen = missing && !opensLater(record.shown.known, state);
  const wasOpen = wasMissing && !opensLater(before.known, before.state);
  if (isOpen && !wasOpen)
    open.push({ kind: 'record_not_at_service', entity, evidence: missingEvidence(record), ...reportsOf(record) });
  return { open: open.length > 0 && isHistory(record, context) ? [] : open, resolve };
}

/** The service does not list a record that an event spoke of or that it listed before, and that may not vanish. */
function isMissing(kind: RecordKind, absent: boolean, fields: JsonObject, { poll, claims }: RecordState): boolean {
  if (!absent || [fields, ...claims.map((statement) => statement.fields)].some((said) => mayVanish(kind, said)))
    return false;
  return (
    poll?.before != null ||
    claims.some((statement) => statement.state !== MENTION && !namesAccountAlone(kind, statement))
  );
}

/**
 * Of a record known only from reports, one that the answer had no chance to show: it is asked for again first. Of what
 * anything else has shown no report puts off that it is missing.
 */
function opensLater(known: boolean, { poll, claims }: RecordState): boolean {
  return !known && claims.some((statement) => !statement.state.startsWith(KEPT) && isNewer(statement, poll));
}

/** The id that the event of a sub-wallet's deposit names need not be that of a payin. */
function namesAccountAlone(kind: RecordKind, { fields }: Statement): boolean {
  return kind === 'payin' && Object.keys(fields).every((name) => name === 'id' || name === 'accountId');
}

/** The service has no such payin by its id, and sums it up in these payment intents: one of the two is wrong. */
export function deniedBreaks({ kind, id, state: { poll } }: MergedRecord, intents: readonly string[]): NewBreak[] {
  const evidence = {
    ours: { listedBy: intents.map((intent) => ({ kind: 'payment_intent', id: intent })) },
    theirs: { listed: false, ...readingOf(poll) },
  };
  return [{ kind: 'record_not_at_service', entity: { kind, id }, evidence, once: true }];
}

/** Of a record that nothing else shows. */
function reportsOf({ shown, state: { claims } }: MergedRecord): Pick<NewBreak, 'reportedBy'> {
  if (shown.known || !claims.every(isReport)) return {};
  const refs = claims.toSorted((a, b) => compareStatements(b, a)).map(({ source }) => source.ref);
  return { reportedBy: [...new Set(refs)] };
}

function missingEvidence({ state, shown }: MergedRecord): JsonObject {
  const { poll } = state;
  const said = state.claims.filter((statement) => statement.state !== MENTION);
  return {
    ours: {
      status: shown.fields['status'] ?? null,
      from: said.map((statement) => ({ said: statement.state, ...statement.source })),
    },
    theirs: { listed: false, ...readingOf(poll), listedBefore: isoTime(poll?.before?.from ?? null) },
  };
}

function readingOf(poll: RecordState['poll']): JsonObject {
  if (poll === null) return { readAt: null, source: null };
  return { readAt: isoTime(poll.from), source: { type: poll.by, ref: poll.ref } };
}

/** A poll is kept as it came; what its amounts would have decided stays undecided (order.ts). */
function violationBreaks({ kind, id, shown }: MergedRecord): NewBreak[] {
  const violations = amountViolations(kind, shown.fields);
  if (violations.length === 0) return [];
  return [
    {
      kind: 'contract_violation',
      entity: { kind, id },
      evidence: {
        rule: 'amounts are decimal strings',
        violations: violations.map((violation) => ({ ...violation })),
        source: { ...shown.observedBy },
      },
    },
  ];
}

/** Its money belongs to no order: no index holds such a reference, and no store can register it. */
function longReferences({ kind, id, shown }: MergedRecord): NewBreak[] {
  const reference = kind === 'payment_intent' || kind === 'invoice' ? referenceOf(shown.fields) : null;
  if (reference === null || keyText(reference) !== null) return [];
  return [
    {
      kind: 'contract_violation',
      entity: { kind, id: `${id}#merchantReference` },
      severity: 'high',
      evidence: {
        rule: `a reference has at most ${LONGEST_KEY_BYTES} bytes: this one makes no order`,
        bytes: String(Buffer.byteLength(reference)),
        begins: reference.slice(0, 60),
        source: { ...shown.observedBy },
      },
      once: true,
    },
  ];
}

/** Each of the two orders was, or is, safe on it: its money counts for the other now. */
function movedPayments({ kind, id, before, shown }: MergedRecord): NewBreak[] {
  if (kind !== 'payment_intent' || before === null || !isPaid(before)) return [];
  const [from, to] = [referenceOf(before.fields), referenceOf(shown.fields)];
  if (from === null || from === to) return [];
  const evidence = {
    ours: { merchantReference: from },
    theirs: { merchantReference: to, source: { ...shown.observedBy } },
  };
  return [{ kind: 'payment_moved', entity: { kind, id }, evidence, cause: canonicalHash([from, to]) }];
}

/** One break per value, however many records show it: the value stands where the id of a record would. */
function unlistedBreaks({ kind, id, shown, changedFields }: MergedRecord): NewBreak[] {
  return unlistedStates(kind, shown.fields)
    .filter(({ field }) => changedFields.includes(field))
    .map(({ field, value }) => ({
      kind: 'contract_violation',
      entity: { kind, id: `${field}=${value.slice(0, 200)}` },
      evidence: {
        rule: 'the specification does not list this state',
        field,
        value,
        firstSeen: id,
        source: { ...shown.observedBy },
      },
      once: true,
    }));
}

/**
 * A screening that the service itself shows as rejected, at once: of a payin that belongs to no payment, where nothing else
 * would show it, and of one that was shown as anything else before, whose goods may be gone. The others hold an order, and are
 * found by the cross-check.
 */
function rejectedScreenings(
  { kind, id, shown, before }: MergedRecord,
  { kytWords = defaultKytWords }: SaveContext,
): NewBreak[] {
  const { fields, verified, observedBy } = shown;
  if (kind !== 'payin' || !verified || !isRejected(fields, kytWords)) return [];
  const hasTurned = before?.verified === true && !isRejected(before.fields, kytWords);
  const ofPayment = textField(fields, 'paymentIntentId') !== null;
  if (ofPayment && !hasTurned) return [];
  const found = rejectedHold({ kind, id, fields, verified, observedBy }, null);
  return [{ kind: 'kyt_hold', entity: { kind, id }, ...found }];
}
