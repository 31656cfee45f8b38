import type { Knex } from 'knex';
import type { NewChange } from './changes.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { instantText } from './instant.js';
import { keyText } from './key-text.js';
import type { TouchedOrder } from './lock-orders.js';
import type { NewMark } from './marks.js';
import { listingIntents } from './payin-links.js';
import { type LinkedRecords, namedIntents } from './record-links.js';
import { type MergedRecord, ownField } from './stored-record.js';

type Cause = Pick<NewChange, 'source' | 'serviceTime'>;

export interface Touched {
  /** By reference as the database holds it; each with the newest observation behind it. */
  orders: Map<string, TouchedOrder & { cause: Cause }>;
  /** Named by one of the records, but not known: to be read. */
  unknown: NewMark[];
}

/** The orders that changed records belong to, or belonged to before. */
export async function touchedOrders(
  trx: Knex.Transaction,
  { payment_intent: intents, payin: payins }: LinkedRecords,
): Promise<Touched> {
  const touched: Touched['orders'] = new Map();
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
  for (const intent of intents) {
    const after = keyText(ownField(intent.shown.fields, 'merchantReference'));
    const before = intent.before === null ? null : keyText(ownField(intent.before.fields, 'merchantReference'));
    touch(after, intent, instantText(ownField(intent.shown.fields, 'createdAt')));
    if (before !== after) touch(before, intent, null);
  }
  const listing = await listingIntents(
    trx,
    payins.map((payin) => payin.id),
  );
  const linkedTo = (payin: MergedRecord): string[] => [...namedIntents(payin), ...(listing.get(payin.id) ?? [])];
  const references = await referencesOf(trx, payins.flatMap(linkedTo));
  for (const payin of payins) {
    for (const id of linkedTo(payin)) touch(references.get(id) ?? null, payin, null);
  }
  const unknown = payins
    .flatMap(namedIntents)
    .filter((id) => !references.has(id))
    .map((id): NewMark => ({ kind: 'payment_intent', id, reason: 'intent_of_payin' }));
  return { orders: touched, unknown };
}

async function referencesOf(trx: Knex.Transaction, ids: string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { id: string; merchant_reference: string | null }[] }>(
    'SELECT id, merchant_reference FROM payment_intents WHERE id = ANY (?::text[])',
    [ids.map(toDatabaseText)],
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.id), row.merchant_reference]));
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
