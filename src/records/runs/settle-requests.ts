import type { Knex } from 'knex';
import { grouped } from '../../domain/grouped.js';
import type { RecordKind } from '../../domain/records.js';
import { raw, rowsOf, run, type Sql, type Trx, tableOf } from '../database/statements.js';
import {
  type MetRefreshRequest,
  type NewRefreshRequest,
  ownLanes,
  type RefreshKind,
  type RefreshLane,
  requestRefresh,
} from './refresh-requests.js';

/** A refresh request that may go: something was read at `readAt` (service clock, ms) that leaves nothing to ask. */
export interface SettledRefreshRequest {
  kind: RecordKind;
  id: string;
  readAt: number;
  /** A payin that has passed: it is read again, ever more rarely, until a day after its first poll as such. */
  recheck?: boolean;
}

/**
 * After so long a payin that has passed is read again: a screening may still change its mind. Three calls for each: of
 * 20,000 payments a day 0.7 calls a second (docs/reconcile.md).
 */
const RECHECKS = ['20 minutes', '3 hours', '24 hours'] as const;
const LAST_RECHECK = RECHECKS[2];
const STEPS = `ARRAY[${RECHECKS.map((step) => `interval '${step}'`).join(', ')}]`;

/** Of a settled refresh request: nothing was asked since that the poll could not see. */
const IS_SETTLED = 'mark.kind = settled.kind AND mark.id = settled.id AND mark.asked_at <= settled.read_at';

/**
 * Takes the refresh requests off that a poll settled, and sets new ones. One pass in one order over both, so that two
 * transactions never wait for each other in a circle.
 */
export async function updateRefreshRequests(
  trx: Trx,
  asked: NewRefreshRequest[],
  settled: SettledRefreshRequest[],
): Promise<void> {
  const off = await findSettled(trx, settled);
  const goes = new Set(off.map((request) => `${request.kind} ${request.id}`));
  const stays = asked.filter((request) => !goes.has(`${request.kind} ${request.id}`));
  const held = off.map(({ kind, id }): NewRefreshRequest => ({ kind, id, reason: '', lane: 'recheck' }));
  await requestRefresh(trx, [...stays, ...held]);
  if (off.length === 0) return;
  const given = tableOf('settled', off, {
    kind: 'text',
    id: 'text',
    read_at: ['bigint', ({ readAt }) => Math.floor(readAt)],
    recheck: ['boolean', ({ recheck = false }) => recheck],
  });
  await run(trx)`
    DELETE FROM reading_marks AS mark USING ${given}
    WHERE ${raw(IS_SETTLED)} AND (NOT settled.recheck OR mark.final_since + interval '${raw(LAST_RECHECK)}' <= now())`;
  if (off.some(({ recheck }) => recheck)) await planRechecks(trx, given);
}

/** What is left of the settled ones becomes due again, at the next of the steps. */
async function planRechecks(trx: Trx, settled: Sql): Promise<void> {
  await run(trx)`
    UPDATE reading_marks AS mark SET lane = 'recheck', secret = '', reason = 'recheck', attempts = 0, asked_at = 0,
      final_since = coalesce(mark.final_since, now()),
      next_at = (SELECT min(coalesce(mark.final_since, now()) + step) FROM unnest(${raw(STEPS)}) AS step
                 WHERE coalesce(mark.final_since, now()) + step > now())
    FROM ${settled} WHERE ${raw(IS_SETTLED)}`;
}

async function findSettled(trx: Trx, settled: SettledRefreshRequest[]): Promise<SettledRefreshRequest[]> {
  const given = new Map(settled.map((request) => [`${request.kind} ${request.id}`, request]));
  const found: SettledRefreshRequest[] = [];
  for (const [kind, ofKind] of grouped(settled, (request) => request.kind)) {
    const ids = ofKind.map(({ id }) => id);
    const rows = await rowsOf<{ id: string; asked_at: string }>(trx)`
      SELECT id, asked_at FROM reading_marks WHERE kind = ${kind} AND id = ANY (${ids}::text[])`;
    for (const { id, asked_at } of rows) {
      const request = given.get(`${kind} ${id}`);
      if (request !== undefined && Number(asked_at) <= request.readAt) found.push(request);
    }
  }
  return found;
}

/** A refresh request (a row of reading_marks) whose poll is due. */
export interface DueRequest extends MetRefreshRequest {
  reason: string;
  attempts: number;
  lane: RefreshLane;
  /** The label of the secret that signed the webhook which asked; '' for all others, and where it is not known. */
  secret: string;
}

/**
 * Requests whose poll is due, the longest waiting first, so many at most of each lane, and among those of webhooks of each
 * secret: a flood under one secret does not stand before what another asked for.
 */
export async function dueRequests(db: Knex, kind: RefreshKind, limit: number): Promise<DueRequest[]> {
  return rowsOf<DueRequest>(db)`
    WITH RECURSIVE secrets AS (
      SELECT lane, (SELECT min(secret) FROM reading_marks WHERE kind = ${kind} AND lane = reports.lane) AS secret
      FROM unnest(ARRAY['report', 'hold']) AS reports (lane)
      UNION ALL
      SELECT lane, (SELECT min(secret) FROM reading_marks
                    WHERE kind = ${kind} AND lane = secrets.lane AND secret > secrets.secret)
      FROM secrets WHERE secrets.secret IS NOT NULL
    ), queues AS (
      SELECT lane, '' AS secret FROM unnest(${ownLanes}::text[]) AS lane
      UNION ALL SELECT lane, secret FROM secrets WHERE secret IS NOT NULL
    )
    SELECT id, reason, attempts, asked_at::float8 AS "askedAt", due.lane, due.secret FROM queues CROSS JOIN LATERAL (
      SELECT id, reason, attempts, asked_at, lane, secret, next_at FROM reading_marks AS mark
      WHERE mark.kind = ${kind} AND mark.lane = queues.lane AND mark.secret = queues.secret AND next_at <= now()
      ORDER BY next_at, id LIMIT ${limit}
    ) AS due ORDER BY due.next_at, due.id`;
}
