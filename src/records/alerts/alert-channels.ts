import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { firstOf, raw, rowsOf, run } from '../database/statements.js';

export interface FailingChannel {
  channel: string;
  failingSeconds: number;
  error: string;
}

/** Channels whose newest attempt failed. */
export async function failingChannels(db: Knex): Promise<FailingChannel[]> {
  return rowsOf<FailingChannel>(db)`
    SELECT channel, extract(epoch FROM now() - failing_since)::float8 AS "failingSeconds", coalesce(error, '') AS error
    FROM alert_channels WHERE failing_since IS NOT NULL ORDER BY channel`;
}

/** Every channel that was ever configured. */
export async function channelStates(db: Knex): Promise<{ channel: string; failing: boolean }[]> {
  return db('alert_channels').select('channel', db.raw('failing_since IS NOT NULL AS failing')).orderBy('channel');
}

/** Makes those that are new, and forgets the trouble of those that are not configured any more, and what they were to send. */
export async function keepChannels(db: Knex, channels: readonly string[]): Promise<void> {
  for (const channel of channels) await db('alert_channels').insert({ channel }).onConflict('channel').ignore();
  await run(db)`
    UPDATE alert_channels SET failing_since = NULL, failures = 0, error = NULL WHERE channel <> ALL (${channels}::text[])`;
  await run(db)`
    UPDATE alert_notices SET status = 'expired' WHERE channel <> ALL (${channels}::text[]) AND status = 'pending'`;
}

interface WaitingNotice {
  id: string;
  webhookId: string;
  message: Record<string, unknown>;
  createdAt: Date;
}

export interface ClaimedChannel {
  channel: string;
  claim: string;
  failures: number;
  /** The oldest first. */
  notices: WaitingNotice[];
}

const NOTICES_AT_ONCE = 20;
/** What could not be sent for so long is not sent any more: what still holds is in the digest. */
const NOTICE_LIFE = raw("interval '24 hours'");

/** Takes a channel that has something to send, for so many seconds. Null: it has not, may not yet, or another has it. */
export async function claimChannel(db: Knex, channel: string, seconds: number): Promise<ClaimedChannel | null> {
  await run(db)`
    UPDATE alert_notices SET status = 'expired'
    WHERE channel = ${channel} AND status = 'pending' AND created_at < now() - ${NOTICE_LIFE}`;
  const claim = randomUUID();
  const row = await firstOf<{ failures: number }>(db)`
    UPDATE alert_channels SET claim = ${claim}, claimed_until = clock_timestamp() + ${seconds}::float8 * interval '1 second'
    WHERE channel = ${channel} AND next_attempt_at <= clock_timestamp()
      AND (claimed_until IS NULL OR claimed_until < clock_timestamp())
      AND EXISTS (SELECT FROM alert_notices AS waiting WHERE waiting.channel = alert_channels.channel AND status = 'pending')
    RETURNING failures`;
  if (row === undefined) return null;
  const notices = await rowsOf<WaitingNotice>(db)`
    SELECT id, webhook_id AS "webhookId", message, created_at AS "createdAt" FROM alert_notices
    WHERE channel = ${channel} AND status = 'pending' ORDER BY id LIMIT ${NOTICES_AT_ONCE}`;
  return { channel, claim, failures: row.failures, notices };
}

export async function noticeSent(db: Knex, id: string): Promise<void> {
  await run(db)`UPDATE alert_notices SET status = 'sent', sent_at = now() WHERE id = ${id} AND status = 'pending'`;
}

/** Gives the channel back. `failed`: why, and when it may be tried again. */
export async function releaseChannel(
  db: Knex,
  { channel, claim }: Pick<ClaimedChannel, 'channel' | 'claim'>,
  failed: { error: string; retryInMs: number } | null,
): Promise<void> {
  const state = failed
    ? {
        failing_since: db.raw('coalesce(failing_since, now())'),
        failures: db.raw('failures + 1'),
        error: failed.error,
        next_attempt_at: db.raw(`clock_timestamp() + ?::float8 * interval '1 millisecond'`, [failed.retryInMs]),
      }
    : { failing_since: null, failures: 0, error: null, last_ok_at: db.raw('now()'), next_attempt_at: db.raw('now()') };
  await db('alert_channels')
    .where({ channel, claim })
    .update({ claim: null, claimed_until: null, ...state });
}

/** The state of one channel, as the database knows it. */
export interface ChannelView {
  channel: string;
  /** Null: the newest attempt did not fail, or there was none. */
  failingSince: Date | null;
  error: string | null;
  /** When it last took something; null: never. */
  lastOkAt: Date | null;
  /** When what waits is tried next. */
  nextAttemptAt: Date;
  waiting: number;
}

/** Of every one that was ever configured. */
export async function channelViews(db: Knex): Promise<ChannelView[]> {
  return rowsOf<ChannelView>(db)`
    SELECT channel, failing_since AS "failingSince", error, last_ok_at AS "lastOkAt", next_attempt_at AS "nextAttemptAt",
           (SELECT count(*)::integer FROM alert_notices AS notice
            WHERE notice.channel = alert_channels.channel AND status = 'pending') AS waiting
    FROM alert_channels ORDER BY channel`;
}
