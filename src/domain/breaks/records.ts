import { states } from '../family/states.js';
import { isoTime } from '../in-words.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, focused, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Check, entityOf, type Finding, finding } from './findings.js';
import { grace, RECHECK_MS } from './grace.js';

/** Of records, orders and balances; found where they are saved, not by a check. */
export const recordBreaks = {
  record_not_at_service: {
    severity: 'critical',
    sharedBy: ['/reason', '/ours/secret'],
    means:
      'An event named a record that the service does not list, or a listed one vanished. “many”, about a secret: webhooks alone named more than 100 in a day, and this break counts the rest. Lists of records with verified=false show each.',
    ends: 'The service lists it after all. “many”: only by hand, or with tallyhook secrets retire LABEL --leaked.',
    remedy:
      'Ship nothing on it. It is a test send, an event of another environment, or somebody else has the secret (docs/security.md). After a test send: resolve it. Many: rotate the secret (docs/rotate-secrets.md, “When a secret leaked”).',
  },
  duplicate_payment: {
    severity: 'critical',
    sharedBy: { none: 'Each order has its own payments.' },
    means: 'An order was paid twice: two payments, and more received than expected.',
    ends: 'The order is no longer paid twice.',
    remedy: 'Refund one of the two in the service’s dashboard.',
  },
  payment_moved: {
    severity: 'critical',
    sharedBy: { none: 'Each payment has its own references.' },
    means:
      'The service shows a payment that was collected under another reference than before: one payment, two orders.',
    ends: 'Only by hand.',
    remedy:
      'If the goods of the earlier order were shipped, don’t ship the other. Ask the service why the reference of a paid payment changed.',
  },
  balance_residual: {
    severity: 'critical',
    sharedBy: { none: 'Each asset has its own movements.' },
    means: 'A part of a balance that no record explains, in two polls.',
    ends: 'A poll shows a record of it.',
    remedy:
      'Does the balance’s page say that it is not proven? See to that first: a record may account for it. Is it a settlement or a payout that no list shows? Then attribute it, with a note, at the balance.',
  },
  transaction_mismatch: {
    severity: 'high',
    sharedBy: { none: 'Each transaction has its own values.' },
    means: 'The service shows other values of a transaction than before.',
    ends: 'It shows the values from before.',
    remedy: 'Ask the service: a ledger must not change old rows.',
  },
  balance_identity: {
    severity: 'medium',
    sharedBy: ['/rule'],
    means: 'In two polls, available is not balance − frozen.',
    ends: 'The sum is right.',
    remedy: 'Ask the service.',
  },
  product_count: {
    severity: 'medium',
    sharedBy: { none: 'Each product has its own counts.' },
    means:
      'For an hour the service has counted another number of a product’s payments (all, or completed) than there are here.',
    ends: 'The counts agree.',
    remedy:
      'Read all payments: “tallyhook reconcile payment-intents --full”. If they still differ, ask the service which payments it counts.',
  },
} as const satisfies BreakDefinitions;

export const staleBreaks = {
  stale_record: {
    severity: 'medium',
    sharedBy: ['/reason', '/status/theirs'],
    means:
      'An open record was not read for a day, although runs of its kind were complete (not_read); or it is still open two days after it expired (not_ended). “reason” says which.',
    ends: 'It is read, or it ends.',
    remedy:
      'Not read: run tallyhook doctor, and see the last runs of its kind. Not ended: cancel it in the dashboard, or write it off.',
    check: checkStale,
  },
} as const satisfies BreakDefinitions;

/** States that wait for the customer or the chain. What waits for a person's decision may wait. */
const WAITING: Partial<Record<string, readonly string[]>> = {
  payment_intent: states.payment_intent.active,
  payin: ['pending', 'confirming'],
  invoice: ['draft', 'sent'],
};
/** Where the customer has until `expiresAt`, and the service is to end it then. */
const ENDS: Partial<Record<string, readonly string[]>> = {
  payment_intent: ['waiting_address_selection', 'pending'],
  invoice: ['sent'],
};

/**
 * What is open, or only reported, and has not been read for longer than a list takes to be read again, though its kind has
 * been read since: whatever reads it does not reach it. Where nothing is read at all, that is no record's doing. And what the service still shows as waiting for the customer long after it ended. Payouts have rules
 * of their own (payouts.ts).
 */
function checkStale(facts: CheckFacts): ReturnType<Check> {
  const checked = (['intents', 'payins', 'invoices'] as const).flatMap((kind) => focused(facts, kind));
  return [...checked, ...facts.others].map((record) => {
    const clocks = record.absent || record.history ? [] : clocksOf(record);
    const over = clocks.find(
      ({ reason, due }) => facts.now >= due && (reason === 'not_ended' || wasRun(record, facts)),
    );
    const found = over === undefined ? null : foundStale(record, over, facts);
    const at = Math.min(...clocks.map(({ due }) => (facts.now >= due ? facts.now + RECHECK_MS : due)));
    return { entity: entityOf(record), found, ...(Number.isFinite(at) ? { at } : {}) };
  });
}

function wasRun({ kind, readAt, firstSeenAt }: CheckedRecord, { ranAt }: CheckFacts): boolean {
  return (ranAt.get(kind) ?? Number.NEGATIVE_INFINITY) > (readAt ?? firstSeenAt);
}

interface Clock {
  reason: 'not_read' | 'not_ended';
  due: number;
}

function clocksOf({ kind, fields, verified, readAt, firstSeenAt }: CheckedRecord): Clock[] {
  const status = textField(fields, 'status') ?? '';
  const clocks: Clock[] = [];
  if (!verified || WAITING[kind]?.includes(status) === true)
    clocks.push({ reason: 'not_read', due: (readAt ?? firstSeenAt) + grace.stale });
  const expiresAt = Date.parse(textField(fields, 'expiresAt') ?? '');
  if (verified && ENDS[kind]?.includes(status) === true && Number.isFinite(expiresAt))
    clocks.push({ reason: 'not_ended', due: expiresAt + grace.overdue });
  return clocks;
}

function foundStale(record: CheckedRecord, { reason }: Clock, { now }: CheckFacts): Finding {
  const { fields, verified, readAt, firstSeenAt } = record;
  const status = fields['status'] ?? null;
  const isUnread = reason === 'not_read';
  return finding(
    { status: { ours: isUnread ? status : 'ended', theirs: isUnread ? null : status, source: sourceOf(record) } },
    {
      // Read since, and then passed by again: another case, also where a person closed this one.
      ...(isUnread ? { since: readAt ?? firstSeenAt } : {}),
      notes: {
        reason,
        verified,
        readAt: isoTime(readAt),
        expiresAt: fields['expiresAt'] ?? null,
        checkedAt: isoTime(now),
      },
    },
  );
}
