import type { Knex } from 'knex';
import type { RecordKind } from '../../domain/records.js';
import { columnOf } from '../database/statements.js';
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
  return new Set(
    await columnOf<string>(db)`
    SELECT id FROM accounts WHERE id = ANY (${ids}::text[]) AND status = 'closed'`,
  );
}

/** Of these sub-wallets, the ones whose newest transaction is one of these types (stored lower or upper case). */
export async function accountsEndingIn(
  db: Knex,
  ids: readonly string[],
  types: readonly string[],
): Promise<Set<string>> {
  return new Set(
    await columnOf<string>(db)`
    SELECT asked.account_id FROM unnest(${ids}::text[]) AS asked (account_id)
    CROSS JOIN LATERAL (SELECT type FROM transactions WHERE transactions.account_id = asked.account_id
      AND absent_since IS NULL ORDER BY created_at DESC LIMIT 1) AS newest
    WHERE lower(newest.type) = ANY (${types}::text[])`,
  );
}
