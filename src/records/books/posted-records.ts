import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { bookedKinds } from '../../domain/books/entry.js';
import { type MovingKind, refundsNamed } from '../balances/balance-records.js';
import { columnOf, raw, rowsOf, sql, valueOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { IS_BOOKED } from './openings.js';

/** The greatest number that a change could have. */
const BEYOND_ALL = String(2n ** 63n - 1n);

/** Whether all that is known is posted, but for payouts that are to be placed. */
export async function isLevel(trx: Knex): Promise<boolean> {
  return valueOf<boolean>(trx)`
    SELECT EXISTS (SELECT FROM posting_progress JOIN movements_progress USING (seq, contract) WHERE seq >= renewing_to)
      AND NOT EXISTS (SELECT FROM posting_due)
      AND NOT EXISTS (SELECT FROM balance_attributions AS said JOIN opened_assets USING (asset_code)
        CROSS JOIN LATERAL (SELECT count(*) AS step FROM attribution_rebookings WHERE attribution_id = said.id) AS newest
        WHERE NOT ${IS_BOOKED}) AS level`;
}

/** Whether it is known how far is posted, and no further than the history goes; true also where nothing is. */
export async function hasProgress(trx: Knex): Promise<boolean> {
  return valueOf<boolean>(trx)`
    SELECT (EXISTS (SELECT FROM posting_progress) OR NOT EXISTS (SELECT FROM entries)) AND NOT EXISTS (
      SELECT FROM (SELECT seq FROM posting_progress UNION SELECT greatest(seq, renewing_to) FROM movements_progress) AS reached
      WHERE seq > coalesce(pg_sequence_last_value('changes_seq_seq'), 0)) AS known`;
}

const AT_ONCE = 500;

/** Ids of all records, and of what is in the books or moved a balance, some at a time; of a month those that are booked in it. */
export async function* bookedIds(db: Knex, kind: MovingKind, month: string | null): AsyncGenerator<string[]> {
  const booked = sql`SELECT DISTINCT record_id FROM entries WHERE record_kind = ${kind}`;
  for (let after = ''; ; ) {
    const rest = sql`AND record_id > ${after} ORDER BY record_id LIMIT ${AT_ONCE}`;
    const ids =
      month === null
        ? await columnOf<string>(db)`
            (SELECT id AS record_id FROM ${raw(recordTables[kind])} WHERE id > ${after} ORDER BY id LIMIT ${AT_ONCE}) UNION (${booked} ${rest}) UNION
            (SELECT DISTINCT record_id FROM movements WHERE record_kind = ${kind} ${rest}) ORDER BY record_id LIMIT ${AT_ONCE}`
        : await columnOf<string>(db)`${booked} AND month = ${month} ${rest}`;
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    after = last;
  }
}

/** Which of these records changed and are not posted since; null: all may be. */
export async function unpostedOf(
  trx: Knex,
  kind: MovingKind,
  ids: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const seq = await columnOf<string>(trx)`
    SELECT posting_progress.seq FROM posting_progress JOIN movements_progress USING (contract)
    WHERE movements_progress.seq >= renewing_to`;
  if (seq[0] === undefined) return null;
  const waiting = await columnOf<string>(trx)`
    SELECT entity_id AS id FROM changes WHERE seq > ${seq[0]} AND entity_kind = ${kind} AND entity_id = ANY (${ids}::text[])
    UNION SELECT record_id FROM posting_due WHERE record_kind = ${kind}`;
  const refunds = kind === 'payout' ? await refundsNamed(trx, { after: seq[0], until: BEYOND_ALL }) : [];
  return new Set([...waiting, ...refunds]);
}

/** Entries of what there is not, or of what nothing is booked. */
export async function unfoundedEntries(trx: Knex): Promise<{ id: string; recordKind: string; recordId: string }[]> {
  const of = (kind: string, from: string) => sql`record_kind = ${kind} AND NOT EXISTS (SELECT FROM ${raw(from)})`;
  return rowsOf<{ id: string; recordKind: string; recordId: string }>(trx)`
    SELECT id::text AS id, record_kind AS "recordKind", record_id AS "recordId" FROM entries AS booked
    WHERE record_kind <> ALL (${bookedKinds}::text[])
      OR ${of('payment_intent', `${recordTables.payment_intent} AS record WHERE record.id = record_id`)}
      OR ${of('payin', `${recordTables.payin} AS record WHERE record.id = record_id`)}
      OR ${of('payout', `${recordTables.payout} AS record WHERE record.id = record_id`)}
      OR ${of('transaction', `${recordTables.transaction} AS record WHERE record.id = record_id`)}
      OR ${of('attribution', 'balance_attributions AS said WHERE said.id::text = record_id')}
      OR ${of('opening', 'opened_assets WHERE asset_code = record_id')}
      OR ${of(
        'placement',
        `entry_lines JOIN entries AS paid ON paid.id = entry_id
           WHERE account = '${accounts.payoutsInTransit}' AND asset_code = booked.record_id AND paid.record_kind <> 'placement'`,
      )}
    ORDER BY id LIMIT 100`;
}

/**
 * Entries that come to nothing and move money between months or rates: a correction that says what it corrects, and a difference of a fact,
 * which is reversed and made anew where it is shown otherwise.
 */
export async function detours(trx: Knex): Promise<{ id: string; recordKind: string; recordId: string }[]> {
  const linesOf = (entry: string) =>
    raw(`(SELECT array_agg(ROW(account, asset_code, trim_scale(amount), memo)::text ORDER BY account, asset_code, memo, amount)
      FROM entry_lines WHERE entry_id = ${entry})`);
  return rowsOf<{ id: string; recordKind: string; recordId: string }>(trx)`
    SELECT id::text AS id, record_kind AS "recordKind", record_id AS "recordId" FROM entries AS booked
    WHERE type = 'correction' AND ${linesOf('booked.id')} = ${linesOf('booked.corrects')}
      OR type = 'change' AND (record_kind IN ('payin', 'payout', 'transaction') OR record_kind = 'payment_intent' AND starts_with(key, 'payin:'))
    ORDER BY booked.id LIMIT 100`;
}
