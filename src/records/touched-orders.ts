import type { Knex } from 'knex';
import type { NewChange } from './changes.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { instantText } from './instant.js';
import type { TouchedOrder } from './lock-orders.js';
import { keyText } from './record-columns.js';
import { type MergedRecord, ownField } from './stored-record.js';

export type Cause = Pick<NewChange, 'source' | 'serviceTime'>;

/** The orders that changed records belong to (or belonged to before), each with the newest observation behind it. */
export async function touchedOrders(
  trx: Knex.Transaction,
  intents: MergedRecord[],
  payins: MergedRecord[],
): Promise<Map<string, TouchedOrder & { cause: Cause }>> {
  const touched = new Map<string, TouchedOrder & { cause: Cause }>();
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
    if (!intent.changed) continue;
    const after = keyText(ownField(intent.shown.fields, 'merchantReference'));
    const before = intent.before === null ? null : keyText(ownField(intent.before.fields, 'merchantReference'));
    touch(after, intent, instantText(ownField(intent.shown.fields, 'createdAt')));
    if (before !== after) touch(before, intent, null);
  }
  const references = await referencesOf(trx, payins.flatMap(intentsOf));
  for (const payin of payins) {
    for (const id of intentsOf(payin)) touch(references.get(id) ?? null, payin, null);
  }
  return touched;
}

/** The payment intents that a changed deposit names, or named before. */
export function intentsOf(payin: MergedRecord): string[] {
  if (!payin.changed) return [];
  const named = [payin.before?.fields ?? {}, payin.shown.fields].map((fields) => ownField(fields, 'paymentIntentId'));
  return [...new Set(named)].flatMap((id) => (typeof id === 'string' && id !== '' && keyText(id) !== null ? [id] : []));
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
