import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { toJsonText } from '../../domain/json.js';
import { feedHead } from '../changes.js';
import { verbatim } from '../database/database-text.js';
import { isRowId } from '../database/paging.js';
import { rowOf, rowsOf, type Trx } from '../database/statements.js';
import type { RowOf } from '../database/view-of.js';
import { type OrderRow, orderView } from '../order-row.js';

/** An attempt that one process may make, until the claim is over. */
export interface ClaimedCallback {
  id: string;
  claim: string;
  webhookId: string;
  /** ISO 8601 UTC: when the order changed. */
  changedAt: string;
  /** The order as JSON text. */
  data: string;
  /** This one included. */
  attempts: number;
}

type Row = RowOf<Omit<ClaimedCallback, 'claim'>> & { reference: string };

/**
 * Takes the callback that has been due for the longest, for so many seconds, after which another may take it. Of an order
 * none is taken while one is on its way, and only the newest: the older ones, which were not sent yet, need not be sent
 * any more. Null: nothing is due.
 */
export async function claimCallback(db: Knex, { seconds }: { seconds: number }): Promise<ClaimedCallback | null> {
  return db.transaction(async (trx) => {
    await lockCallbacks(trx);
    const rows = await rowsOf<Row>(trx)`
      SELECT id, reference, webhook_id, changed_at, data, attempts FROM callbacks AS due
      WHERE status = 'pending' AND next_attempt_at <= clock_timestamp()
        AND NOT EXISTS (SELECT FROM callbacks AS other WHERE other.reference = due.reference
          AND (other.claimed_until > clock_timestamp() OR (other.id > due.id AND other.status = 'pending')))
      ORDER BY next_attempt_at, id LIMIT 1`;
    const row = rows[0];
    if (row === undefined) return null;
    const claim = randomUUID();
    await trx('callbacks')
      .where('reference', row.reference)
      .where('id', '<', row.id)
      .whereIn('status', ['pending', 'dead'])
      .update({ status: 'superseded', claim: null, claimed_until: null });
    await trx('callbacks')
      .where('id', row.id)
      .update({
        claim,
        claimed_until: trx.raw(`clock_timestamp() + ?::float8 * interval '1 second'`, [seconds]),
        attempts: row.attempts + 1,
      });
    return {
      id: row.id,
      claim,
      webhookId: row.webhook_id,
      changedAt: row.changed_at.toISOString(),
      data: row.data,
      attempts: row.attempts + 1,
    };
  });
}

/** What became of an attempt; `retryInMs` null: it was the last. */
export type AttemptOutcome =
  | { ok: true; httpStatus: number }
  | { ok: false; httpStatus: number | null; error: string; retryInMs: number | null };

/** False: the claim was over, and another may have made an attempt of its own, whose outcome counts. */
export async function finishAttempt(
  db: Knex,
  { id, claim }: Pick<ClaimedCallback, 'id' | 'claim'>,
  outcome: AttemptOutcome,
): Promise<boolean> {
  const over = { claim: null, claimed_until: null, http_status: outcome.httpStatus };
  const ended = outcome.ok
    ? { status: 'sent', error: null, sent_at: db.fn.now() }
    : {
        status: outcome.retryInMs === null ? 'dead' : 'pending',
        error: outcome.error,
        next_attempt_at: db.raw(`clock_timestamp() + ?::float8 * interval '1 millisecond'`, [outcome.retryInMs ?? 0]),
      };
  return db.transaction(async (trx) => {
    await lockCallbacks(trx);
    const ours = trx('callbacks').where({ id, claim, status: 'pending' });
    const changed: number = await ours.update({ ...over, ...ended });
    return changed > 0;
  });
}

/** Whoever changes callbacks does it one after another: so an order has one on its way, whoever sends. Returns the place. */
export async function lockCallbacks(trx: Trx): Promise<string> {
  const row = await trx<{ seq: string }>('callback_progress').forUpdate().first('seq');
  if (row === undefined) throw new Error('The row of callback_progress is gone');
  return row.seq;
}

export type ReplayResult =
  | { outcome: 'replayed'; reference: string }
  | { outcome: 'not_found' }
  /** It is on its way now. */
  | { outcome: 'under_way' }
  /** The order has a newer one, which alone may be sent again. */
  | { outcome: 'outdated'; newestId: string };

/** Has a callback sent again at once, under the same webhook-id, with all its attempts before it. */
export async function replayCallback(trx: Trx, id: string): Promise<ReplayResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  await lockCallbacks(trx);
  const row = await trx('callbacks')
    .where({ id })
    .first('reference', trx.raw('coalesce(claimed_until > clock_timestamp(), false) AS under_way'));
  if (row === undefined) return { outcome: 'not_found' };
  if (row.under_way) return { outcome: 'under_way' };
  const newest: { id: string } | undefined = await trx('callbacks')
    .where({ reference: row.reference })
    .orderBy('id', 'desc')
    .first('id');
  if (newest !== undefined && newest.id !== id) return { outcome: 'outdated', newestId: newest.id };
  await revive(trx('callbacks').where({ id }), trx);
  return { outcome: 'replayed', reference: String(row.reference) };
}

/** The same for all that were given up. Returns how many. */
export async function replayDeadCallbacks(trx: Trx): Promise<number> {
  await lockCallbacks(trx);
  return revive(trx('callbacks').where({ status: 'dead' }), trx);
}

/** Those that `replayDeadCallbacks` would send now: how many, and the newest hundred. */
export async function deadCallbacks(db: Knex): Promise<{ count: number; ids: string[] }> {
  return rowOf<{ count: number; ids: string[] }>(db)`
    SELECT count(*)::integer AS count, coalesce((array_agg(id::text ORDER BY id DESC))[1:100], '{}') AS ids
    FROM callbacks WHERE status = 'dead'`;
}

async function revive(rows: Knex.QueryBuilder, trx: Trx): Promise<number> {
  return rows.update({
    status: 'pending',
    attempts: 0,
    next_attempt_at: trx.fn.now(),
    claim: null,
    claimed_until: null,
    error: null,
  });
}

const CHANGES_AT_ONCE = 2_000;

/**
 * One slice of the history of changes: each order that changed in it gets one callback with the state it has now, in the
 * transaction that keeps the place. History before adoption makes none: orders that were begun before it, that the store did
 * not register since, and of which no payment was created or paid since. True: there is more.
 */
export async function collectCallbacks(db: Knex, { adoptedAt }: { adoptedAt: Date }): Promise<boolean> {
  // Asked before the transaction's statements, which so see every row below it (changes.ts).
  const bound = await feedHead(db);
  return db.transaction(async (trx) => {
    const after = await lockCallbacks(trx);
    if (BigInt(bound) <= BigInt(after)) return false;
    const slice = await endOfSlice(trx, after, bound);
    await insertCallbacks(trx, { after, until: slice.until, adoptedAt });
    await trx('callback_progress').update({ seq: slice.until });
    return slice.isFull;
  });
}

async function endOfSlice(trx: Trx, after: string, bound: string): Promise<{ until: string; isFull: boolean }> {
  const rows = await rowsOf<{ seq: string | null; count: string }>(trx)`
    SELECT max(seq) AS seq, count(*) AS count
    FROM (SELECT seq FROM changes WHERE seq > ${after} AND seq <= ${bound} ORDER BY seq LIMIT ${CHANGES_AT_ONCE}) AS slice`;
  const isFull = Number(rows[0]?.count ?? 0) === CHANGES_AT_ONCE;
  return { until: isFull ? (rows[0]?.seq ?? bound) : bound, isFull };
}

async function insertCallbacks(
  trx: Trx,
  { after, until, adoptedAt }: { after: string; until: string; adoptedAt: Date },
): Promise<void> {
  const changed = await rowsOf<{ reference: string; seq: string; at: Date }>(trx)`
    SELECT entity_id AS reference, max(seq) AS seq, max(changed_at) AS at FROM changes
    WHERE seq > ${after} AND seq <= ${until} AND entity_kind = 'order' GROUP BY entity_id ORDER BY max(seq)`;
  if (changed.length === 0) return;
  const orders = await rowsOf<OrderRow>(trx)`
    SELECT * FROM orders WHERE reference = ANY (${changed.map(({ reference }) => reference)}::text[]) AND (
      created_at >= ${adoptedAt} OR registered_at >= ${adoptedAt}
      OR EXISTS (SELECT FROM payment_intents WHERE id = ANY (orders.payment_intents) AND created_at >= ${adoptedAt})
      OR EXISTS (SELECT FROM payins WHERE payment_intent_id = ANY (orders.payment_intents) AND created_at >= ${adoptedAt}))`;
  const known = new Map(orders.map((row) => [row.reference, row]));
  const news = changed.flatMap(({ reference, seq, at }) => {
    const row = known.get(reference);
    if (row === undefined) return [];
    return [{ reference, seq, changed_at: at, data: verbatim(toJsonText(orderView({ ...row, seq }))) }];
  });
  if (news.length > 0) await trx('callbacks').insert(news).onConflict(['reference', 'seq']).ignore();
}
