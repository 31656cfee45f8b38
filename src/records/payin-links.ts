import type { Knex } from 'knex';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import { textField } from '../domain/records.js';
import { fromDatabaseText, toDatabaseText } from './database-text.js';
import { keyText } from './key-text.js';
import { type MergedRecord, ownField } from './stored-record.js';

const GATE_CLASS = 0x7448;
const LINK_CLASS = 0x7449;
/** Of one transaction; Postgres' default table holds some 6,400 locks of all of them. */
const MOST_LOCKS = 800;

/** The deposits that a payment intent sums up (specification 2.1). */
export function payinSummaries(fields: JsonObject): JsonObject[] {
  const listed = ownField(fields, 'payins');
  return Array.isArray(listed) ? listed.filter(isJsonObject).filter((item) => idOf(item) !== null) : [];
}

/** Their ids. */
export function listedPayins(fields: JsonObject): string[] {
  return payinSummaries(fields).flatMap((summary) => idOf(summary) ?? []);
}

/** The payment intents that a deposit names, or named before. */
export function namedIntents(payin: MergedRecord): string[] {
  const named = [payin.before?.fields ?? {}, payin.shown.fields].map((fields) =>
    usable(textField(fields, 'paymentIntentId')),
  );
  return [...new Set(named.flatMap((id) => id ?? []))];
}

/**
 * A deposit and its payment intent may be saved by two transactions at once: neither would see the other's row, and the
 * order would be derived without the deposit. So changes of deposits and of intents that may belong together exclude
 * one another, by a lock for each id, from before the links are read until the end of the transaction. Sets without an
 * id in common don't wait for each other. A set too large for Postgres' table of locks takes the gate for itself alone.
 */
export async function lockLinks(trx: Knex.Transaction, intents: MergedRecord[], payins: MergedRecord[]): Promise<void> {
  const exclusive = new Set(payins.flatMap((payin) => [payin.id, ...namedIntents(payin)]).map(lockKey));
  const shared = intents.flatMap((intent) => [intent.id, ...listedPayins(intent.shown.fields)]).map(lockKey);
  const keys = [...new Set([...exclusive, ...shared])].sort((a, b) => a - b);
  if (keys.length === 0) return;
  const alone = keys.length > MOST_LOCKS;
  const wanted = alone ? [] : keys;
  await trx.raw(
    `SELECT CASE WHEN exclusive THEN pg_advisory_xact_lock(class, key) ELSE pg_advisory_xact_lock_shared(class, key) END
     FROM unnest(?::integer[], ?::integer[], ?::boolean[]) AS wanted (class, key, exclusive)`,
    [
      [GATE_CLASS, ...wanted.map(() => LINK_CLASS)],
      [0, ...wanted],
      [alone, ...wanted.map((key) => exclusive.has(key))],
    ],
  );
}

/** Keeps which intents list which deposits. */
export async function saveListings(trx: Knex.Transaction, intents: MergedRecord[]): Promise<void> {
  const listings = intents
    .filter((intent) => intent.changedFields.includes('payins'))
    .flatMap((intent) => listedPayins(intent.shown.fields).map((payin) => ({ payin, intent: intent.id })));
  if (listings.length === 0) return;
  await trx.raw(
    'INSERT INTO payin_listings (payin_id, intent_id) SELECT * FROM unnest(?::text[], ?::text[]) ON CONFLICT DO NOTHING',
    [listings.map(({ payin }) => toDatabaseText(payin)), listings.map(({ intent }) => toDatabaseText(intent))],
  );
}

/** The intents that list each of the deposits. */
export async function listingIntents(trx: Knex.Transaction, payins: string[]): Promise<Map<string, string[]>> {
  if (payins.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { payin_id: string; intents: string[] }[] }>(
    `SELECT payin_id, array_agg(intent_id) AS intents FROM payin_listings
     WHERE payin_id = ANY (?::text[]) GROUP BY payin_id`,
    [payins.map(toDatabaseText)],
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.payin_id), row.intents.map(fromDatabaseText)]));
}

/**
 * Deposits that the service just said not to know, by id, with the payment intents that it lists and that sum them up all
 * the same.
 */
export async function deniedPayins(trx: Knex.Transaction, payins: MergedRecord[]): Promise<Map<string, string[]>> {
  const denied = payins.filter(({ shown }) => shown.absent).map(({ id }) => toDatabaseText(id));
  if (denied.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { payin_id: string; intents: string[] }[] }>(
    `SELECT payin_id, array_agg(intent_id ORDER BY intent_id) AS intents
     FROM payin_listings JOIN payment_intents AS intent ON intent.id = intent_id
     WHERE payin_id = ANY (?::text[]) AND absent_since IS NULL AND coalesce(poll_hash, '') <> ''
     GROUP BY payin_id`,
    [denied],
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.payin_id), row.intents.map(fromDatabaseText)]));
}

function idOf(summary: JsonObject): string | null {
  return usable(textField(summary, 'id'));
}

function usable(id: string | null): string | null {
  return id === null || id === '' || keyText(id) === null ? null : id;
}

/** Two ids of one key only wait for each other without need. */
function lockKey(id: string): number {
  let hash = 0;
  for (let index = 0; index < id.length; index++) hash = (Math.imul(hash, 31) + id.charCodeAt(index)) | 0;
  return hash;
}
