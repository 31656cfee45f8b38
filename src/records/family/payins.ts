import type { Knex } from 'knex';
import { listedPayins } from '../../domain/family/links.js';
import { compareText } from '../../domain/record-state.js';
import { textArray } from '../database/array-parameter.js';
import { usableId } from '../database/database-text.js';
import { prepared, rowsOf, type Trx } from '../database/statements.js';
import { readRows } from '../record-columns.js';
import { type MergedRecord, storedRecord } from '../stored-record.js';

/** Keeps which intents list which payins. */
export async function saveListings(trx: Trx, intents: MergedRecord[]): Promise<void> {
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
    [textArray(listings.map(({ payin }) => payin)), textArray(listings.map(({ intent }) => intent))],
  );
}

export async function listingIntents(trx: Knex, payins: string[]): Promise<Map<string, string[]>> {
  if (payins.length === 0) return new Map();
  const rows = await rowsOf<{ payin_id: string; intents: string[] }>(trx)`
    SELECT payin_id, array_agg(intent_id ORDER BY intent_id) AS intents FROM payin_listings
    WHERE payin_id = ANY (${payins}::text[]) GROUP BY payin_id`;
  return new Map(rows.map((row) => [row.payin_id, row.intents]));
}

/**
 * Payins that the service just said not to know, by id, with the payment intents that it lists and that sum them up all
 * the same. What a webhook alone says of a payment is no listing of the service.
 */
export async function deniedPayins(trx: Trx, records: MergedRecord[]): Promise<Map<string, string[]>> {
  const denied = records.flatMap(({ kind, id, shown }) => (kind === 'payin' && shown.absent ? [id] : []));
  const listings = await listingIntents(trx, denied);
  const rows = await readRows(trx, 'payment_intent', [...new Set([...listings.values()].flat())]);
  const isListed = (payin: string, intent: string): boolean => {
    const row = rows.get(intent);
    const poll = row === undefined ? null : storedRecord(row).state.poll;
    return poll?.fields != null && listedPayins(poll.fields).includes(payin);
  };
  return new Map(
    [...listings].flatMap(([payin, intents]) => {
      const listing = intents.filter((intent) => isListed(payin, intent)).toSorted(compareText);
      return listing.length === 0 ? [] : [[payin, listing] as const];
    }),
  );
}

const NOTE = { kind: 'account', name: 'kyt' };

/** Whether the account shows results of its screening: it does since a payin was first seen with one. */
export async function noteKyt(trx: Trx, payins: readonly MergedRecord[]): Promise<boolean> {
  if (await showsKyt(trx)) return true;
  if (!payins.some(({ shown }) => typeof shown.fields['kytStatus'] === 'string')) return false;
  await trx('watermarks')
    .insert({ ...NOTE, value: '{}' })
    .onConflict()
    .ignore();
  return true;
}

export async function showsKyt(db: Knex): Promise<boolean> {
  const { rows } = await prepared<{ rows: unknown[] }>(
    db,
    'shows kyt',
    'SELECT FROM watermarks WHERE kind = ? AND name = ?',
    [NOTE.kind, NOTE.name],
  );
  return rows.length > 0;
}
