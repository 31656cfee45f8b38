import type { Knex } from 'knex';
import { type DisputeSeen, disputeFields, disputeSeen, type ShownStep } from '../../domain/books/dispute-seen.js';
import { fromJsonText } from '../../domain/json-text.js';
import { WHOLE_RECORD } from '../changes.js';
import { textArray } from '../database/array-parameter.js';

interface Row {
  id: string;
  save: string;
  field: string;
  from_value: string | null;
  to_value: string | null;
  at: Date;
}

/**
 * What the history of changes tells of the disputes of payments, by ids as they are stored: of those in dispute, and of those
 * whose entries could be of one that is over.
 */
export async function readDisputes(trx: Knex.Transaction, ids: readonly string[]): Promise<Map<string, DisputeSeen>> {
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `SELECT entity_id AS id, changes.xid::text AS save, field, from_value, to_value, coalesce(service_time, changed_at) AS at
     FROM payment_intents AS record JOIN changes ON entity_kind = 'payment_intent' AND entity_id = record.id
     WHERE record.id = ANY (?::text[]) AND field = ANY (?::text[])
       AND (irregular_status <> 'none' OR EXISTS (
         SELECT FROM entries
         WHERE record_kind = 'payment_intent' AND record_id = record.id AND key IN ('held', 'payment')))
     ORDER BY seq`,
    [textArray([...ids]), textArray([WHOLE_RECORD, ...disputeFields])],
  );
  const steps = new Map<string, ShownStep[]>();
  for (const row of rows) {
    const known = steps.get(row.id);
    if (known === undefined) steps.set(row.id, [stepOf(row)]);
    else known.push(stepOf(row));
  }
  const found = new Map<string, DisputeSeen>();
  for (const [id, told] of steps) {
    const seen = disputeSeen(told);
    if (seen !== null) found.set(id, seen);
  }
  return found;
}

function stepOf({ save, field, from_value, to_value, at }: Row): ShownStep {
  const valueOf = (text: string | null) => (text === null ? null : fromJsonText(text));
  const isWhole = field === WHOLE_RECORD;
  return { save, field: isWhole ? null : field, from: valueOf(from_value), to: valueOf(to_value), at: at.getTime() };
}
