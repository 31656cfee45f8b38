import { type MovingKind, movingKinds, refundsNamed } from '../balances/balance-records.js';
import { rowsOf, type Trx } from '../database/statements.js';
import type { PostingProgress } from './posting-progress.js';

/** Bounds of one slice. */
const CHANGES_AT_ONCE = 2_000;
const DUE_AT_ONCE = 1_000;

export type TouchedIds = Map<MovingKind, string[]>;

export interface Touched {
  ids: TouchedIds;
  /** Up to here the history is read with them. */
  seq: string;
  /** There is more. */
  more: boolean;
}

/** The next records to read: those that are due, and those that the history of changes names next. */
export async function nextTouched(trx: Trx, { seq: after, until }: PostingProgress): Promise<Touched> {
  const ids: TouchedIds = new Map(movingKinds.map((kind) => [kind, []]));
  const due = await takeDue(trx);
  for (const row of due) ids.get(row.kind)?.push(row.id);
  const ends = await rowsOf<{ seq: string | null; count: string }>(trx)`
    SELECT max(seq) AS seq, count(*) AS count
    FROM (SELECT seq FROM changes WHERE seq > ${after} AND seq <= ${until} ORDER BY seq LIMIT ${CHANGES_AT_ONCE}) AS slice`;
  const isFull = Number(ends[0]?.count ?? 0) === CHANGES_AT_ONCE;
  const seq = isFull ? (ends[0]?.seq ?? after) : BigInt(until) > BigInt(after) ? until : after;
  const rows = await rowsOf<{ kind: MovingKind; id: string }>(trx)`
    SELECT DISTINCT entity_kind AS kind, entity_id AS id FROM changes
    WHERE seq > ${after} AND seq <= ${seq} AND entity_kind = ANY (${movingKinds}::text[])`;
  for (const row of rows) ids.get(row.kind)?.push(row.id);
  // What a refund debits hangs on whether a payment names it as its dispute's.
  ids.get('payout')?.push(...(await refundsNamed(trx, { after, until: seq })));
  return {
    ids: new Map([...ids].map(([kind, list]) => [kind, [...new Set(list)].sort()])),
    seq,
    more: isFull || due.length === DUE_AT_ONCE,
  };
}

async function takeDue(trx: Trx): Promise<{ kind: MovingKind; id: string }[]> {
  return rowsOf<{ kind: MovingKind; id: string }>(trx)`
    DELETE FROM posting_due WHERE (record_kind, record_id) IN
      (SELECT record_kind, record_id FROM posting_due ORDER BY record_kind, record_id LIMIT ${DUE_AT_ONCE})
    RETURNING record_kind AS kind, record_id AS id`;
}
