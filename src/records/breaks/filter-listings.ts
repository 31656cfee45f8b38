import type { Knex } from 'knex';
import type { CheckedRecord } from '../../domain/breaks/check-facts.js';
import type { FilterListing } from '../../domain/breaks/disputes.js';
import type { RecordKind } from '../../domain/records.js';
import { columnOf, rowsOf, run, sql, type Trx } from '../database/statements.js';
import { STATE_FIELDS, selectChecked } from './checked-records.js';

/** Keeps the newest listing of a filter, for the cross-checks. */
export async function saveFilterListing(
  trx: Trx,
  kind: RecordKind,
  status: string,
  { from, to, ids }: FilterListing,
): Promise<void> {
  await run(trx)`
    INSERT INTO filter_listings (record_kind, status, from_ms, to_ms, ids) VALUES (${kind}, ${status}, ${Math.floor(from)}, ${Math.ceil(to)}, ${[...ids]}::text[])
    ON CONFLICT (record_kind, status) DO UPDATE
    SET from_ms = excluded.from_ms, to_ms = excluded.to_ms, ids = excluded.ids, checked = false`;
}

/** The newest listing, if not everything was held against it yet. Held until the commit. */
export async function openFilterListing(trx: Trx, kind: RecordKind, status: string): Promise<FilterListing | null> {
  const rows = await rowsOf<{ from_ms: string; to_ms: string; ids: string[] }>(trx)`
    SELECT from_ms, to_ms, ids FROM filter_listings WHERE record_kind = ${kind} AND status = ${status} AND NOT checked FOR UPDATE`;
  const [row] = rows;
  if (row === undefined) return null;
  return { from: Number(row.from_ms), to: Number(row.to_ms), ids: new Set(row.ids) };
}

/** Whether there is a listing that nothing was held against yet. */
export async function hasNewListing(db: Knex, kind: RecordKind, status: string): Promise<boolean> {
  return (
    (await db('filter_listings').where({ record_kind: kind, status, checked: false }).first('checked')) !== undefined
  );
}

/** Everything was held against the newest listing. */
export async function closeFilterListing(trx: Trx, kind: RecordKind, status: string): Promise<void> {
  await trx('filter_listings').where({ record_kind: kind, status }).update({ checked: true });
}

/** Ids of the payments whose dispute is open. */
export async function openDisputes(trx: Knex): Promise<string[]> {
  return columnOf<string>(trx)`
    SELECT id FROM payment_intents WHERE absent_since IS NULL AND irregular_status = 'pending_decision' ORDER BY id`;
}

/** What decides whether the filter `irregular` should hold a payment. */
const DISPUTE_FIELDS = [...STATE_FIELDS, 'totalAmountReceived', 'amountCryptoExpected', 'amountRequested'];

export async function loadDisputed(trx: Knex, ids: readonly string[], adoptedAt: Date): Promise<CheckedRecord[]> {
  return selectChecked(trx, 'payment_intent', sql`id = ANY (${ids}::text[])`, adoptedAt, DISPUTE_FIELDS);
}
