import type { Knex } from 'knex';
import { atMicroseconds, cut, microseconds, type Page, type PageQuery, takeOf, timeKeyOf } from '../database/paging.js';
import { raw, rowsOf, sql } from '../database/statements.js';
import type { RowOf } from '../database/view-of.js';
import { UNDECIDED } from './open-calls.js';

/** A creating call of ours. Times are ISO 8601 UTC, of our clock. */
export interface CallView {
  operation: string;
  key: string;
  status: 'open' | 'done' | 'refused' | 'unsent' | 'lost';
  /** Only a person can say what came of it: its answer is lost, or the service denies what it made. */
  undecided: boolean;
  paymentIntentId: string | null;
  merchantReference: string | null;
  accountId: string | null;
  objectId: string | null;
  begunAt: string;
  endedAt: string | null;
  /** Since then what it made is among the records. */
  takenInAt: string | null;
}

type Row = RowOf<CallView> & { request: string | null; begun: string };

const COLUMNS = `call.*, ${UNDECIDED} AS undecided, ${microseconds('begun_at')} AS begun`;

export interface CallFilters {
  /** Left out: those that are not settled, or that a person must decide. */
  status?: string | undefined;
}

/** Newest first, paged by key. @throws {CursorError} */
export async function listCalls(db: Knex, query: PageQuery & CallFilters): Promise<Page<CallView>> {
  const take = takeOf(query);
  const [begun = null, operation = '', key = ''] = timeKeyOf(query, 3) ?? [];
  const rows = await rowsOf<Row>(db)`
    SELECT ${raw(COLUMNS)} FROM service_writes AS call
    WHERE ${query.status === undefined ? raw(`(call.status = 'open' OR ${UNDECIDED})`) : sql`call.status = ${query.status}`}
      AND (CAST(${begun} AS bigint) IS NULL OR
        (begun_at, operation, key) < (${atMicroseconds(begun)}, ${operation}, ${key}))
    ORDER BY begun_at DESC, operation DESC, key DESC LIMIT ${take + 1}`;
  const { items, nextCursor } = cut(rows, take, (row) => [row.begun, row.operation, row.key]);
  return { items: items.map(callView), nextCursor };
}

/** The calls under a key: each operation has keys of its own. With what they asked for, as far as it is kept. */
export async function callsUnder(db: Knex, key: string): Promise<(CallView & { request: string | null })[]> {
  const rows = await rowsOf<Row>(db)`
    SELECT ${raw(COLUMNS)} FROM service_writes AS call WHERE key = ${key} ORDER BY operation`;
  return rows.map((row) => ({ ...callView(row), request: row.request }));
}

function callView(row: Row): CallView {
  return {
    operation: row.operation,
    key: row.key,
    status: row.status,
    undecided: row.undecided,
    paymentIntentId: row.payment_intent_id,
    merchantReference: row.merchant_reference,
    accountId: row.account_id,
    objectId: row.object_id,
    begunAt: row.begun_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    takenInAt: row.taken_in_at?.toISOString() ?? null,
  };
}
