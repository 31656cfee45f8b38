import type { NewChange } from '../changes.js';
import { instantText } from '../database/instant.js';
import { keyText } from '../database/key-text.js';
import type { IntentsBehind } from '../saving/intents-behind.js';
import type { LinkedRecords } from '../saving/record-links.js';
import { type MergedRecord, ownField } from '../saving/stored-record.js';
import type { TouchedOrder } from './lock-orders.js';

type Cause = Pick<NewChange, 'source' | 'serviceTime'>;

/** By reference as the database holds it; each with the newest observation behind it. */
export type TouchedOrders = Map<string, TouchedOrder & { cause: Cause }>;

/** The orders that changed records belong to, or belonged to before. The records' links are locked. */
export function touchedOrders(linked: LinkedRecords, behind: IntentsBehind): TouchedOrders {
  const touched: TouchedOrders = new Map();
  const touch = (reference: string | null, record: MergedRecord, since: string | null): void => {
    if (reference === null || reference === '') return;
    const known = touched.get(reference);
    const cause = { source: record.shown.observedBy, serviceTime: record.shown.observedAt };
    touched.set(reference, {
      reference,
      since: earlier(known?.since ?? null, since),
      cause: (known?.cause.serviceTime ?? 0) > cause.serviceTime && known !== undefined ? known.cause : cause,
    });
  };
  for (const record of [...linked.payment_intent, ...linked.invoice]) {
    const after = keyText(ownField(record.shown.fields, 'merchantReference'));
    const before = record.before === null ? null : keyText(ownField(record.before.fields, 'merchantReference'));
    touch(after, record, instantText(ownField(record.shown.fields, 'createdAt')));
    if (before !== after) touch(before, record, null);
  }
  for (const record of Object.values(linked).flat()) {
    for (const reference of behind.references(record)) touch(reference, record, null);
  }
  return touched;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
