import type { NewChange } from '../changes.js';
import { instantText } from '../database/instant.js';
import type { Affected } from '../family/affected.js';
import type { FamilyMembers } from '../family/lock.js';
import { type MergedRecord, ownField } from '../saving/stored-record.js';
import type { TouchedOrder } from './lock-orders.js';

/** An event's time names a whole second. */
const SECOND_MS = 1_000;

type Cause = Pick<NewChange, 'source' | 'serviceTime'>;

/** By reference as the database holds it; each with the newest observation behind it. */
export type TouchedOrders = Map<string, TouchedOrder & { cause: Cause }>;

/** The orders that changed records belong to, or belonged to before. The records' links are locked. */
export function touchedOrders(members: FamilyMembers, affected: Affected): TouchedOrders {
  const touched: TouchedOrders = new Map();
  for (const record of Object.values(members).flat()) {
    for (const reference of affected.references(record)) touch(touched, reference, record);
  }
  return touched;
}

function touch(touched: TouchedOrders, reference: string, record: MergedRecord): void {
  const known = touched.get(reference);
  const cause = { source: record.cause.source, serviceTime: record.cause.at };
  touched.set(reference, {
    reference,
    since: earlier(known?.since ?? null, sinceOf(record)),
    cause: known !== undefined && (known.cause.serviceTime ?? 0) > cause.serviceTime ? known.cause : cause,
  });
}

/** An order began with its first request; where only a report tells of that, no later than the report. */
function sinceOf({ kind, shown: { fields, reported, observedAt } }: MergedRecord): string | null {
  if (kind !== 'payment_intent' && kind !== 'invoice') return null;
  const proven = instantText(ownField(fields, 'createdAt'));
  if (proven !== null || reported === null) return proven;
  const said = instantText(ownField(reported, 'createdAt'));
  return said !== null && Date.parse(said) <= observedAt + SECOND_MS ? said : null;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
