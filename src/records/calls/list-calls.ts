import type { Knex } from 'knex';
import { z } from 'zod';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import {
  atMicroseconds,
  cut,
  type Filters,
  microseconds,
  type Page,
  type PageQuery,
  takeOf,
  timeKeyOf,
} from '../database/paging.js';
import { raw, rowsOf, sql } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

/**
 * The service denies what a call of our own made. Of `call`: no absence outranks it, and until the list shows the payout
 * again, or a person decides, nobody knows which of the two is right.
 */
export const DENIED = `call.operation = 'createRefund' AND call.status = 'done'
  AND EXISTS (SELECT FROM payouts WHERE payouts.id = call.object_id AND payouts.absent_since IS NOT NULL OFFSET 0)`;

/** Of `call`: its answer is lost, or the service denies what it made. */
const UNDECIDED = `(call.status = 'lost' OR (${DENIED}))`;

/**
 * A refund that was written down before it was sent and of which the records don't know what came: under way, unanswered,
 * lost, answered and not taken in, or denied by the service's list. Of `call`.
 */
export const OPEN = `call.operation = 'createRefund' AND (call.withholds OR (${DENIED}))`;

/** Such refunds of these payments; null: of any. */
export async function openCalls(
  trx: Knex,
  { paymentIntents }: { paymentIntents: readonly string[] | null },
): Promise<OpenCall[]> {
  if (paymentIntents?.length === 0) return [];
  const ofWhich =
    paymentIntents === null
      ? raw('payment_intent_id IS NOT NULL')
      : sql`payment_intent_id = ANY (${paymentIntents}::text[])`;
  return rowsOf<OpenCall>(trx)`
    SELECT 'createRefund' AS operation, key, payment_intent_id AS "paymentIntentId", begun_at AS "begunAt",
           object_id AS "objectId", ${raw(UNDECIDED)} AS undecided
    FROM service_writes AS call WHERE ${ofWhich} AND ${raw(OPEN)} ORDER BY begun_at, key`;
}

/** A creating call of ours. Times are ISO 8601 UTC, of our clock. */
export const callShape = z.object({
  operation: z.string(),
  key: z.string(),
  status: z.enum(['open', 'done', 'refused', 'unsent', 'lost']),
  /** Only a person can say what came of it: its answer is lost, or the service denies what it made. */
  undecided: z.boolean(),
  paymentIntentId: z.string().nullable(),
  merchantReference: z.string().nullable(),
  accountId: z.string().nullable(),
  objectId: z.string().nullable(),
  begunAt: z.string(),
  endedAt: z.string().nullable(),
  /** Since then what it made is among the records. */
  takenInAt: z.string().nullable(),
});
export type CallView = z.infer<typeof callShape>;

type Row = RowOf<CallView> & { request: string | null; begun: string };

const COLUMNS = `call.*, ${UNDECIDED} AS undecided, ${microseconds('begun_at')} AS begun`;

/** Newest first, paged by key; `status` left out: those that are not settled, or that a person must decide. @throws {CursorError} */
export async function listCalls(db: Knex, query: PageQuery & Filters<'status'>): Promise<Page<CallView>> {
  const take = takeOf(query);
  const [begun = null, operation = '', key = ''] = timeKeyOf(query, 3) ?? [];
  const rows = await rowsOf<Row>(db)`
    SELECT ${raw(COLUMNS)} FROM service_writes AS call
    WHERE ${query.status === undefined ? raw(`(call.status = 'open' OR ${UNDECIDED})`) : sql`call.status = ${query.status}`}
      AND (CAST(${begun} AS bigint) IS NULL OR
        (begun_at, operation, key) < (${atMicroseconds(begun)}, ${operation}, ${key}))
    ORDER BY begun_at DESC, operation DESC, key DESC LIMIT ${take + 1}`;
  const { items, nextCursor } = cut(rows, take, (row) => [row.begun, row.operation, row.key]);
  return { items: items.map((row) => viewOf(callShape, row)), nextCursor };
}

/** The calls under a key: each operation has keys of its own. With what they asked for, as far as it is kept. */
export async function callsUnder(db: Knex, key: string): Promise<(CallView & { request: string | null })[]> {
  const rows = await rowsOf<Row>(db)`
    SELECT ${raw(COLUMNS)} FROM service_writes AS call WHERE key = ${key} ORDER BY operation`;
  return rows.map((row) => ({ ...viewOf(callShape, row), request: row.request }));
}
