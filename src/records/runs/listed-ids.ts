import type { Knex } from 'knex';
import type { RecordKind } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { recordTables } from '../record-columns.js';

/** Records of a kind, few of them, that the service listed when it was last asked. */
export async function listedIds(db: Knex, kind: RecordKind): Promise<string[]> {
  const ids = await db(recordTables[kind])
    .whereNull('absent_since')
    .whereRaw("coalesce(poll_hash, '') <> ''")
    .orderBy('id')
    .pluck('id');
  return ids;
}

/** Of these sub-wallets, the ones that were read as closed: the service may archive them. */
export async function closedAccounts(db: Knex, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    "SELECT id FROM accounts WHERE id = ANY (?::text[]) AND status = 'closed'",
    [textArray(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Of these sub-wallets, the ones whose newest transaction is one of these types (stored lower or upper case). */
export async function accountsEndingIn(
  db: Knex,
  ids: readonly string[],
  types: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { account_id: string }[] }>(
    `SELECT asked.account_id FROM unnest(?::text[]) AS asked (account_id)
     CROSS JOIN LATERAL (SELECT type FROM transactions WHERE transactions.account_id = asked.account_id
       AND absent_since IS NULL ORDER BY created_at DESC LIMIT 1) AS newest
     WHERE lower(newest.type) = ANY (?::text[])`,
    [textArray(ids), textArray(types)],
  );
  return new Set(rows.map((row) => row.account_id));
}
