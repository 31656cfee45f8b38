import type { Knex } from 'knex';
import { before, lateSeconds } from '../domain/alerts/condition.js';
import type { AlertFacts, Outage } from '../domain/alerts/facts.js';
import { isAway, KEY_REFUSED, SERVICE_AWAY } from '../domain/alerts/outage-words.js';
import type { OpenBreaks } from '../domain/breaks/money-once.js';
import { untilPolled } from '../domain/orders/reason-words.js';
import { firstOf, raw, rowsOf, type Sql, sql, valueOf } from './database/statements.js';
import { SENT } from './inbox/minute-counts.js';
import { adoptedAtOf } from './installation.js';
import { paidAndHeld } from './order-row.js';
import { failingCalls, lastCalls, lastReturn } from './service-notes.js';

/** How many breaks nobody has closed yet, acknowledged ones included. Reads an index of the open ones only. */
export async function countOpenBreaks(db: Knex): Promise<Pick<OpenBreaks, 'kind' | 'severity' | 'count'>[]> {
  return rowsOf<OpenBreaks>(db)`
    SELECT kind, severity, count(*)::integer AS count FROM breaks
    WHERE status IN ('open', 'acknowledged') GROUP BY kind, severity`;
}

/** When the last complete run of each kind ended; kinds without one are left out. */
export function lastCompleteRuns(db: Knex, kinds: readonly string[]): Promise<{ kind: string; at: Date }[]> {
  return rowsOf<{ kind: string; at: Date }>(db)`
    SELECT kind, at FROM unnest(${kinds}::text[]) AS asked (kind)
    CROSS JOIN LATERAL (SELECT coalesce(finished_at, heartbeat_at) AS at FROM runs
      WHERE runs.kind = asked.kind AND status = 'succeeded' AND complete ORDER BY id DESC LIMIT 1) AS last`;
}

/** Of an error that a run keeps. */
const failedBy = (...codes: readonly string[]) => sql`(status = 'failed' AND error ~ ${`^(${codes.join('|')}): `})`;

/** Whether the newest calls or runs failed for one reason, none between them or since having had its answers. */
export async function serviceOutage(db: Knex, now: Date): Promise<Outage | null> {
  const { answeredAt } = await lastCalls(db);
  const runs = await failingRuns(db, now, 'away', failedBy(...SERVICE_AWAY), new Date(answeredAt ?? 0));
  const calls = await failingCalls(db);
  if (calls === null) return runs ?? (await failingRuns(db, now, 'refused', failedBy(KEY_REFUSED)));
  const since = runs !== null && runs.since < calls.since ? runs.since : calls.since;
  const { attempts, operations, error } = calls;
  return {
    why: 'away',
    since,
    seconds: secondsSince(since, now),
    runs: runs?.runs ?? 0,
    attempts,
    operations: operations.length,
    what: `calls of ${operations.join(', ')}`,
    error,
    webhookAt: runs === null ? await lastWebhookAt(db) : runs.webhookAt,
  };
}

/** 0: it answers. */
export async function serviceAwaySeconds(db: Knex, now: Date): Promise<number> {
  const outage = await serviceOutage(db, now);
  return isAway(outage) ? outage.seconds : 0;
}

/** Since when a service that was away answers again; null: it never was, or does not. */
export async function backSince(db: Knex, now: Date, outage: Outage | null): Promise<AlertFacts['serviceBack']> {
  const last = outage === null ? await lastReturn(db) : null;
  if (last === null) return null;
  const since = new Date(last.since).toISOString();
  return { since, seconds: secondsSince(since, now) };
}

type Returned = Pick<AlertFacts, 'serviceBack' | 'heldByOutage'>;

/** What a service that was away, or is, held back, and since when it answers again. */
export async function serviceReturn(db: Knex, now: Date, outage: Outage | null): Promise<Returned> {
  const serviceBack = await backSince(db, now, outage);
  const last = isAway(outage) ? { awaySince: outage.since, since: now } : await lastReturn(db);
  if (last === null || (serviceBack === null && !isAway(outage))) return { serviceBack, heldByOutage: 0 };
  // Of what was paid just before, the poll is the first call that failed.
  const [first, until] = [before(new Date(last.awaySince), lateSeconds.answer), new Date(last.since)];
  const held = paidAndHeld(await adoptedAtOf(db));
  const heldByOutage = await valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM orders WHERE ${held} AND release_reason = ANY(${untilPolled}::text[])
      AND updated_at >= ${first} AND (updated_at <= ${until} OR EXISTS (
        SELECT 1 FROM changes WHERE entity_kind = 'order' AND entity_id = reference AND field = 'status'
          AND to_value = '"paid_unverified"' AND changed_at BETWEEN ${first} AND ${until}))`;
  return { serviceBack, heldByOutage };
}

/** Reads no further back than the newest run that did not fail so; an answer ends what began before it. */
async function failingRuns(
  db: Knex,
  now: Date,
  why: Outage['why'],
  failed: Sql,
  answered: Date = new Date(0),
): Promise<Outage | null> {
  const found = await firstOf<{ since: Date; runs: number; kinds: string[]; error: string }>(db)`
    WITH good AS (SELECT id, finished_at FROM runs WHERE status IN ('succeeded', 'failed') AND NOT ${failed} ORDER BY id DESC LIMIT 1),
    since AS (SELECT * FROM runs WHERE id > coalesce((SELECT id FROM good), 0) AND ${failed})
    SELECT min(started_at) AS since, count(*)::integer AS runs, array_agg(DISTINCT kind ORDER BY kind) AS kinds,
           (array_agg(error ORDER BY id DESC))[1] AS error
    FROM since HAVING max(finished_at) > coalesce((SELECT finished_at FROM good), '-infinity')
      AND max(started_at) > ${answered}`;
  if (found === undefined) return null;
  const since = found.since.toISOString();
  const { runs, kinds, error } = found;
  const what = `reads of ${kinds.join(', ')}`;
  const seconds = secondsSince(since, now);
  return { why, since, seconds, runs, attempts: 0, operations: 0, what, error, webhookAt: await lastWebhookAt(db) };
}

const secondsSince = (since: string, now: Date): number => Math.max(0, (now.getTime() - Date.parse(since)) / 1_000);

async function lastWebhookAt(db: Knex): Promise<string | null> {
  const last = await firstOf<{ at: Date }>(db)`
    SELECT received_at AS at FROM inbox WHERE ${raw(SENT)} ORDER BY id DESC LIMIT 1`;
  return last?.at.toISOString() ?? null;
}

/** How many paid orders since the adoption wait until a person says whose refund a payout is. */
export async function heldByRefund(db: Knex): Promise<number> {
  const held = paidAndHeld(await adoptedAtOf(db));
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM orders WHERE release_reason = 'refund_unlinked' AND ${held}`;
}
