import { amountField, dueOf } from '../family/money.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { compareAmounts } from '../money.js';
import type { CheckedRecord } from './check-facts.js';
import { type BreakDefinitions, type FieldEvidence, type Findings, finding } from './findings.js';
import { grace } from './grace.js';

export const disputeBreaks = {
  dispute_outside_irregular: {
    severity: 'medium',
    sharedBy: { none: 'An account has one of it at most.' },
    also: { severity: 'low', where: 'all were paid exactly, which the specification allows' },
    means:
      'The service’s filter “irregular” lacks open disputes. “exactlyPaid” and “amountDiffers” in the evidence count them, with examples.',
    ends: 'The filter lists a dispute of the sort that it missed, and misses none.',
    remedy:
      'Full scans find these disputes later. Paid exactly: the specification allows it, write it off. Another amount: ask the service.',
  },
} as const satisfies BreakDefinitions;
type DisputeBreak = keyof typeof disputeBreaks;

/** What a complete scan of a list by a status filter showed. Times in ms of the service's clock. */
export interface FilterListing {
  from: number;
  to: number;
  ids: ReadonlySet<string>;
}

/** `exactlyPaid`: not known to have received another amount than expected. */
const sorts = ['exactlyPaid', 'amountDiffers'] as const;
type Sort = (typeof sorts)[number];

/** An open dispute beside a listing. `awaited`: only a later poll can show it; `unknown`: none will. */
export interface DisputeStanding {
  id: string;
  sort: Sort;
  place: 'listed' | 'outside' | 'awaited' | 'unknown';
}

/** The finding is about the account's filter: its value stands where the id of a payment would. */
export const outsideIrregular = {
  kind: 'dispute_outside_irregular',
  entity: { kind: 'payment_intent', id: 'status=irregular' },
} as const;

const EXAMPLES = 5;

/**
 * A payment that was disputed before the filter was read, and that a poll begun since shows so still, is outside of what
 * the filter holds. `since` is when a request began, or the second of an event: the dispute may be younger. Requests so close
 * have no order, and another listing says it.
 */
export function standingOf(intent: CheckedRecord, listing: FilterListing): DisputeStanding {
  const { id, since, readAt, verified, history } = intent;
  const standing = (place: DisputeStanding['place']): DisputeStanding => ({ id, sort: sortOf(intent), place });
  if (listing.ids.has(id)) return standing('listed');
  if (history || since === null || since + grace.moment >= listing.from) return standing('unknown');
  if (readAt === null || readAt < listing.to) return standing('awaited');
  return standing(verified ? 'outside' : 'unknown');
}

/** One that could not be held against the listing: whatever it received, a later time has to show it. */
export const unknownStanding = (id: string): DisputeStanding[] => sorts.map((sort) => ({ id, sort, place: 'awaited' }));

/**
 * One finding for all of them. By the specification (3.1) the filter groups payments whose received amount differs from the
 * expected one, so it may miss what is exactly paid, which is `low`; any other should be there. A sort that was seen outside
 * stays in the finding until a listing holds one of it and misses none: each dispute that is decided would end it otherwise,
 * and the next begin it anew.
 *
 * @param before evidence of the finding where it is open
 */
export function classifyListing(
  disputes: readonly DisputeStanding[],
  listing: FilterListing,
  before: JsonObject | null,
): Findings<DisputeBreak> {
  const fields = new Map<Sort, FieldEvidence>();
  for (const sort of sorts) {
    const [outside = [], listed = [], awaited = []] = (['outside', 'listed', 'awaited'] as const).map((place) =>
      disputes.filter((one) => one.sort === sort && one.place === place),
    );
    const kept = before?.[sort];
    if (outside.length > 0) fields.set(sort, missed(outside, listing));
    else if (isJsonObject(kept) && (listed.length === 0 || awaited.length > 0))
      fields.set(sort, kept as JsonObject & FieldEvidence);
  }
  if (fields.size === 0) return { open: [], resolve: [outsideIrregular] };
  const severity = fields.has('amountDiffers')
    ? {}
    : { severity: disputeBreaks.dispute_outside_irregular.also.severity };
  return { open: [{ ...outsideIrregular, ...finding(Object.fromEntries(fields), severity) }], resolve: [] };
}

function sortOf({ fields }: CheckedRecord): Sort {
  const [received, due] = [amountField(fields, 'totalAmountReceived'), dueOf(fields)];
  const differs = received !== null && due !== null && compareAmounts(received, due) !== 0;
  return differs ? 'amountDiffers' : 'exactlyPaid';
}

function missed(outside: readonly DisputeStanding[], { from, to }: FilterListing): FieldEvidence {
  const ids = outside.map(({ id }) => id);
  return {
    ours: 'pending_decision',
    theirs: 'not listed',
    source: {
      filter: 'irregular',
      readFrom: new Date(from).toISOString(),
      readTo: new Date(to).toISOString(),
      payments: String(ids.length),
      examples: ids.slice(0, EXAMPLES),
    },
  };
}
