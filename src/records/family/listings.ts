import type { Knex } from 'knex';
import { listedPayins } from '../../domain/family/links.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { usableId } from '../database/key-text.js';
import { prepared } from '../database/prepared.js';
import type { MergedRecord } from '../saving/stored-record.js';

/** Keeps which intents list which deposits. */
export async function saveListings(trx: Knex.Transaction, intents: MergedRecord[]): Promise<void> {
  const listings = intents
    .filter((intent) => intent.changedFields.includes('payins'))
    .flatMap((intent) =>
      listedPayins(intent.shown.fields)
        .filter((id) => usableId(id) !== null)
        .map((payin) => ({ payin, intent: intent.id })),
    );
  if (listings.length === 0) return;
  await prepared(
    trx,
    'insert listings',
    'INSERT INTO payin_listings (payin_id, intent_id) SELECT * FROM unnest(?::text[], ?::text[]) ON CONFLICT DO NOTHING',
    [
      textArray(listings.map(({ payin }) => toDatabaseText(payin))),
      textArray(listings.map(({ intent }) => toDatabaseText(intent))),
    ],
  );
}

/** The intents that list each of the deposits. */
export async function listingIntents(trx: Knex.Transaction, payins: string[]): Promise<Map<string, string[]>> {
  if (payins.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { payin_id: string; intents: string[] }[] }>(
    `SELECT payin_id, array_agg(intent_id) AS intents FROM payin_listings
     WHERE payin_id = ANY (?::text[]) GROUP BY payin_id`,
    [textArray(payins.map(toDatabaseText))],
  );
  return new Map(rows.map((row) => [fromDatabaseText(row.payin_id), row.intents.map(fromDatabaseText)]));
}

/**
 * Deposits that the service just said not to know, by id, with the payment intents that it lists and that sum them up all
 * the same.
 */
export async function deniedPayins(trx: Knex.Transaction, records: MergedRecord[]): Promise<Map<string, string[]>> {
  const denied = records.flatMap(({ kind, id, shown }) =>
    kind === 'payin' && shown.absent ? [toDatabaseText(id)] : [],
  );
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
