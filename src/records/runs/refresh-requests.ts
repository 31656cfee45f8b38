import type { Knex } from 'knex';
import type { RecordKind } from '../../domain/records.js';
import { prepared, raw, rowsOf, run, tableOf, valueOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';

const LONGEST_DELAY_MS = 3_600_000;
const MAX_DOUBLINGS = 10;
/** What webhooks alone ask for, or only named, is polled so often: for about 16 hours. */
const MAX_POLLS = 26;
const ONLY_NAMED = ['expired_event', 'unreadable_delivery'];
/** The weakest first. */
const lanes = ['recheck', 'report', 'hold', 'crowded', 'poll', 'listed'] as const;
/** Those that webhooks have no part in, in the order in which they are served. */
export const ownLanes = ['listed', 'poll', 'crowded', 'recheck'] as const satisfies readonly RefreshLane[];
/** Of these what is not read is missing. */
const AWAITED = ownLanes.filter((lane) => lane !== 'recheck');
const STRENGTH = `ARRAY['${lanes.join("', '")}']`;
/** What is only to be read again stays in the crowd. */
const STRONGER = `array_position(${STRENGTH}, excluded.lane) > array_position(${STRENGTH}, mark.lane)
  AND NOT (mark.lane = 'crowded' AND excluded.attempts > 0)`;
/** Of the payins of one payment; an honest one has one or two. */
const MOST_LISTED = 20;

/** A record, or what the delivery history says of one (`delivery`: its id is a kind and an id). */
export type RefreshKind = RecordKind | 'delivery';

/**
 * Who asked: `listed`, a payment that the service shows and that lists the payin; `crowded`, one that lists many before it; `poll`, a
 * poll; `report`, a webhook;
 * `hold`, a webhook that speaks of an order whose goods may go out, or that webhooks alone hold;
 * `recheck`, the time since a payin passed. A record that several asked for has the strongest, in this order.
 */
export type RefreshLane = (typeof lanes)[number];

/** Of the nth payin that a payment lists: a flood of dust to one address delays that payment's order alone. */
export const laneOfListed = (nth: number): RefreshLane => (nth < MOST_LISTED ? 'listed' : 'crowded');

/** A webhook asked: within the share of the reports. */
export const isOfReports = ({ lane }: Pick<AskedBy, 'lane'>): boolean => lane === 'report' || lane === 'hold';

/** `secret`: the label of the secret that signed the webhook; left out where it is none, or not known. */
export interface AskedBy {
  lane: RefreshLane;
  secret?: string;
}

export interface NewRefreshRequest extends Partial<AskedBy> {
  kind: RefreshKind;
  id: string;
  /** Left empty: a refresh request that is there is only taken hold of. */
  reason: string;
  /** Service clock, ms: a poll that began earlier does not settle the refresh request. Left out: any poll does. */
  askedAt?: number;
  /** Not due before so many ms from now. Left out: due at once. */
  delayMs?: number;
  /** The record was read just now and is to be read again: put off, by `delayMs` doubled with each attempt. */
  again?: boolean;
}

/**
 * Asks for records to be read; `lane` left out: a poll does. A record that already has a request becomes due as early as the earlier of
 * the two and keeps its attempts, unless one asks whose lane is stronger: it begins anew in that. Call it after
 * `saveObservations` where one transaction does both.
 */
export async function requestRefresh(trx: Knex, requests: NewRefreshRequest[]): Promise<void> {
  const asked = eachOnce(requests);
  if (asked.length === 0) return;
  const { text, values } = tableOf('new', asked, {
    kind: 'text',
    id: 'text',
    reason: 'text',
    asked_at: ['bigint', ({ askedAt = 0 }) => Math.floor(askedAt)],
    delay: ['float8', ({ delayMs = 0 }) => delayMs],
    attempts: ['bigint', ({ again }) => (again ? 1 : 0)],
    lane: ['text', ({ lane = 'poll' }) => lane],
    secret: ['text', ({ lane = 'poll', secret = '' }) => (isOfReports({ lane }) ? secret : '')],
  });
  await prepared(
    trx,
    'insert marks',
    `INSERT INTO reading_marks AS mark (kind, id, reason, asked_at, next_at, attempts, lane, secret)
     SELECT kind, id, reason, asked_at, now() + delay * interval '1 millisecond', attempts, lane, secret
     FROM ${text}
     ORDER BY kind, id
     ON CONFLICT (kind, id) DO UPDATE SET
       reason = coalesce(nullif(excluded.reason, ''), mark.reason),
       asked_at = greatest(mark.asked_at, excluded.asked_at),
       attempts = CASE WHEN ${STRONGER} THEN excluded.attempts ELSE mark.attempts + excluded.attempts END,
       lane = CASE WHEN ${STRONGER} THEN excluded.lane ELSE mark.lane END,
       secret = CASE
         WHEN ${STRONGER} THEN excluded.secret
         WHEN mark.lane IN ('report', 'hold') THEN coalesce(nullif(mark.secret, ''), excluded.secret)
         ELSE ''
       END,
       final_since = CASE WHEN excluded.attempts = 0 THEN mark.final_since END,
       next_at = CASE
         WHEN excluded.attempts = 0 THEN least(mark.next_at, excluded.next_at)
         ELSE now() + least((excluded.next_at - now()) * 2 ^ least(CASE WHEN ${STRONGER} THEN 0 ELSE mark.attempts END, ${MAX_DOUBLINGS}), interval '1 hour')
       END`,
    values as Buffer[],
  );
}

/** Of those that ask for one record, the last of the strongest lane. */
function eachOnce(requests: readonly NewRefreshRequest[]): NewRefreshRequest[] {
  const strongest = new Map<string, NewRefreshRequest>();
  for (const request of requests) {
    const key = `${request.kind} ${request.id}`;
    const known = strongest.get(key);
    if (known === undefined || strengthOf(request) >= strengthOf(known)) strongest.set(key, request);
  }
  return [...strongest.values()];
}

const strengthOf = ({ lane = 'poll' }: NewRefreshRequest): number => lanes.indexOf(lane);

/** A refresh request as it was met: what is asked anew meanwhile is another. */
export interface MetRefreshRequest {
  id: string;
  /** Service clock, ms. */
  askedAt: number;
}

export interface WaitingRefreshRequest extends MetRefreshRequest {
  /** How long it has waited. */
  ageMs: number;
  /** A record of it is kept. */
  held: boolean;
}

/** Refresh requests that have waited for so long, due or not, the oldest first. */
export async function waitingRefreshRequests(
  db: Knex,
  kind: RecordKind,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<WaitingRefreshRequest[]> {
  return rowsOf<WaitingRefreshRequest>(db)`
    SELECT mark.id, mark.asked_at::float8 AS "askedAt", record.id IS NOT NULL AS held,
           floor(extract(epoch FROM now() - marked_at) * 1000)::float8 AS "ageMs"
    FROM reading_marks AS mark LEFT JOIN ${raw(recordTables[kind])} AS record ON record.id = mark.id
    WHERE mark.kind = ${kind} AND marked_at <= now() - ${olderThanMs} * interval '1 millisecond'
    ORDER BY marked_at, mark.id LIMIT ${limit}`;
}

/**
 * Takes off refresh requests that nothing will settle, in the order in which others take hold of them; whoever calls it says so where a
 * person sees it. One that was asked anew since it was met stays.
 */
export async function endRefreshRequests(
  trx: Knex,
  kind: RefreshKind,
  requests: readonly MetRefreshRequest[],
): Promise<void> {
  if (requests.length === 0) return;
  await run(trx)`
    WITH met AS (
      SELECT mark.id FROM reading_marks AS mark
        JOIN ${tableOf('met', requests, { id: 'text', asked_at: ['bigint', ({ askedAt }) => askedAt] })}
          ON mark.id = met.id AND mark.asked_at <= met.asked_at
      WHERE mark.kind = ${kind} ORDER BY mark.id FOR UPDATE OF mark
    )
    DELETE FROM reading_marks AS mark USING met WHERE mark.kind = ${kind} AND mark.id = met.id`;
}

/**
 * Payins whose poll is due, or failed while a payment shows more of them than they do, and has been for longer than `waitingMs`.
 * What webhooks alone name may wait, and so may what has passed: neither says that the poll don't keep up.
 */
export async function countOverduePayins(db: Knex, waitingMs: number): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer
    FROM reading_marks, LATERAL (SELECT now() - ${waitingMs} * interval '1 millisecond' AS latest) AS bound
    WHERE kind = 'payin' AND lane = ANY (${AWAITED}::text[])
      AND (next_at <= latest OR (attempts > 0 AND marked_at <= latest AND reason IN ('payin_of_intent', 'payin_moved', 'listed_elsewhere')))`;
}

/** Payins that payments list, by the service's own list, and whose own record was not read since they were listed so. */
export async function countUnreadPayins(db: Knex): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer FROM reading_marks
    WHERE kind = 'payin' AND lane = ANY (${AWAITED}::text[]) AND reason IN ('payin_of_intent', 'payin_moved')`;
}

/**
 * Puts refresh requests off after a poll that did not settle them: by `delayMs`, doubled with each attempt, an hour at most. What
 * webhooks alone ask for, and a record that was only named and that nothing has shown, is not polled any more after many
 * polls: the service never had it, or its whole list will show it.
 */
export async function postponeRefreshRequests(
  db: Knex,
  kind: RefreshKind,
  ids: string[],
  delayMs: number,
): Promise<void> {
  if (ids.length === 0) return;
  await run(db)`
    WITH due AS (
      SELECT id FROM reading_marks WHERE kind = ${kind} AND id = ANY (${ids}::text[]) ORDER BY id FOR UPDATE
    )
    UPDATE reading_marks AS mark
    SET attempts = attempts + 1,
        next_at = now() + least(${delayMs}::float8 * 2 ^ least(attempts, ${MAX_DOUBLINGS}::integer), ${Math.max(delayMs, LONGEST_DELAY_MS)}::float8) * interval '1 millisecond'
    FROM due WHERE mark.kind = ${kind} AND mark.id = due.id`;
  if (kind === 'delivery') return;
  await run(db)`
    DELETE FROM reading_marks AS mark
    WHERE kind = ${kind} AND id = ANY (${ids}::text[]) AND attempts >= ${MAX_POLLS}
      AND (lane IN ('report', 'hold') OR (reason = ANY (${ONLY_NAMED}::text[])
        AND NOT EXISTS (SELECT FROM ${raw(recordTables[kind])} AS record WHERE record.id = mark.id)))`;
}

/** Puts a refresh request off by `delayMs` after a poll that did not settle it, unless it was asked anew since it was met. */
export async function postponeMet(
  db: Knex,
  kind: RefreshKind,
  { id, askedAt }: MetRefreshRequest,
  delayMs: number,
): Promise<void> {
  await run(db)`
    UPDATE reading_marks SET attempts = attempts + 1, next_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    WHERE kind = ${kind} AND id = ${id} AND asked_at <= ${askedAt}`;
}
