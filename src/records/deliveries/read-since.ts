import type { Knex } from 'knex';
import type { DeliveryFacts } from '../../domain/deliveries/delivery-class.js';
import type { RecordKind } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { recordTables } from '../record-columns.js';
import type { Delivery } from './read-delivery.js';

/** Two clocks, and the way between. */
const CLOCKS_MS = 3_600_000;

/**
 * By the prefix of an event's type, the polls that together show all that it can report, each by the watermark that
 * says when the newest whole one began. Payins are in no list, so that nothing proves of one that it was read.
 */
const readings: Readonly<Record<string, readonly string[]>> = {
  payment_intent: ['payment-intents sweep:all'],
  invoice: ['invoices sweep:all'],
  payout: ['payouts sweep:all'],
  wallet_account: ['accounts head', 'transactions head'],
};

/**
 * Of each delivery, whether what it reported was read from the service after it was made and last tried: the records that it
 * names, or all of the kind that its type is of.
 */
export async function readSince(
  db: Knex,
  deliveries: readonly Delivery[],
): Promise<Map<string, NonNullable<DeliveryFacts['readSince']>>> {
  if (deliveries.length === 0) return new Map();
  const marks = await watermarksOf(db);
  const read = await readingsOf(db, deliveries);
  return new Map(deliveries.map((delivery) => [delivery.id, saidOf(delivery, { marks, read })]));
}

interface Known {
  /** `kind name` → ms. */
  marks: ReadonlyMap<string, number>;
  /** `kind id` → start of the newest poll, ms. */
  read: ReadonlyMap<string, number>;
}

function saidOf(delivery: Delivery, { marks, read }: Known): NonNullable<DeliveryFacts['readSince']> {
  const { createdAt, lastAttemptAt, firstSeenAt, eventType, mentions } = delivery;
  const reportedAt = Math.max(createdAt ?? 0, lastAttemptAt ?? 0) || firstSeenAt;
  const wholes = readings[eventType?.split('.')[0] ?? ''] ?? [];
  const isAfter = (at: number | undefined) => reportedAt !== null && at !== undefined && at > reportedAt + CLOCKS_MS;
  const isNamed = mentions.length > 0 && mentions.every(({ kind, id }) => isAfter(read.get(`${kind} ${id}`)));
  if (isNamed || (wholes.length > 0 && wholes.every((name) => isAfter(marks.get(name))))) return 'yes';
  return mentions.length === 0 && wholes.length === 0 ? 'unknown' : 'not yet';
}

async function watermarksOf(db: Knex): Promise<Map<string, number>> {
  const rows: { kind: string; name: string; value: { at?: unknown } }[] = await db('watermarks')
    .whereRaw(`kind || ' ' || name = ANY (?::text[])`, [textArray(Object.values(readings).flat())])
    .select('kind', 'name', 'value');
  return new Map(
    rows.flatMap(({ kind, name, value }) => (typeof value.at === 'number' ? [[`${kind} ${name}`, value.at]] : [])),
  );
}

async function readingsOf(db: Knex, deliveries: readonly Delivery[]): Promise<Map<string, number>> {
  const byKind = new Map<RecordKind, Set<string>>();
  for (const { kind, id } of deliveries.flatMap(({ mentions }) => mentions)) {
    byKind.set(kind, (byKind.get(kind) ?? new Set()).add(id));
  }
  const read = new Map<string, number>();
  for (const [kind, ids] of byKind) {
    const rows: { id: string; poll_from: string }[] = await db(recordTables[kind])
      .select('id', 'poll_from')
      .whereRaw('id = ANY (?::text[]) AND poll_from IS NOT NULL', [textArray([...ids])]);
    for (const { id, poll_from } of rows) read.set(`${kind} ${id}`, Number(poll_from));
  }
  return read;
}
