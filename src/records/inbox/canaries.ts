import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { CanaryFacts } from '../../domain/alerts/facts.js';
import { firstOf, raw, run, valueOf } from '../database/statements.js';

/** A test event of our own, before it is sent. */
export interface Canary {
  nonce: string;
  body: Buffer;
  everySeconds: number;
}

/** Of the row in the inbox, ms since the canary was sent; null: not yet. */
export interface CanaryArrival {
  storedMs: number;
  appliedMs: number | null;
}

/** How it fared; `error`: in words, null where it came back whole. */
export type CanaryOutcome = Pick<CanaryFacts, 'answeredMs' | 'storedMs' | 'appliedMs' | 'error'>;

/** So long after it was sent nobody knows it again. */
const CLAIM_SECONDS = 60;
/** Timers are not exact: one that comes a little early has its turn all the same. */
const SLACK_SECONDS = 3;
const KEPT_DAYS = 7;
/** Processes take turns by this lock, held for the moment in which one of them begins. */
const TURN = 'tallyhook canary';

const sha256 = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest();

/** Its id; null: another process sent one not long ago. One is on its way at a time: each ends before the next may begin. */
export async function beginCanary(db: Knex, { nonce, body, everySeconds }: Canary): Promise<string | null> {
  return db.transaction(async (trx) => {
    await run(trx)`SELECT pg_advisory_xact_lock(hashtext(${TURN}))`;
    await run(trx)`DELETE FROM canaries WHERE sent_at < now() - ${KEPT_DAYS} * interval '1 day'`;
    const begun = await firstOf<{ id: string }>(trx)`
      INSERT INTO canaries (nonce_hash, body_hash, every_seconds)
      SELECT ${sha256(nonce)}::bytea, ${sha256(body)}::bytea, ${everySeconds}::integer
      WHERE NOT EXISTS (SELECT FROM canaries
        WHERE sent_at > now() - (${everySeconds}::integer - ${SLACK_SECONDS}) * interval '1 second')
      RETURNING id`;
    return begun?.id ?? null;
  });
}

/**
 * Whether these bytes are from a canary of ours that is on its way: `whole`, or `changed` on it. Each is known again once:
 * whoever sends it a second time sends any event.
 */
export async function claimCanary(db: Knex, nonce: string, body: Buffer): Promise<'whole' | 'changed' | null> {
  const claimed = await firstOf<{ whole: boolean }>(db)`
    UPDATE canaries SET claimed_at = now()
    WHERE nonce_hash = ${sha256(nonce)}::bytea AND claimed_at IS NULL AND finished_at IS NULL
      AND sent_at > now() - ${CLAIM_SECONDS} * interval '1 second'
    RETURNING body_hash = ${sha256(body)}::bytea AS whole`;
  return claimed === undefined ? null : claimed.whole ? 'whole' : 'changed';
}

/** What stands in the inbox byte for byte as it was sent, and was known again. */
export async function canaryArrival(db: Knex, id: string, key: string, body: Buffer): Promise<CanaryArrival | null> {
  const found = await firstOf<CanaryArrival>(db)`
    SELECT ${raw(since('received_at'))} AS "storedMs", ${raw(since('applied_at'))} AS "appliedMs"
    FROM inbox CROSS JOIN canaries
    WHERE canaries.id = ${id} AND key IN (${key}::text, ${key}::text || '#' || content_hash)
      AND mark = 'canary' AND body = ${body}::bytea`;
  return found ?? null;
}

/** Both times are the database's. */
const since = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN greatest(0, round(extract(epoch FROM ${column} - canaries.sent_at) * 1000))::integer END`;

export async function endCanary(db: Knex, id: string, outcome: CanaryOutcome): Promise<void> {
  const { answeredMs, storedMs, appliedMs, error } = outcome;
  await run(db)`
    UPDATE canaries SET finished_at = now(), answered_ms = ${answeredMs}::integer, stored_ms = ${storedMs}::integer,
      applied_ms = ${appliedMs}::integer, error = ${error}::text WHERE id = ${id}`;
}

/** Null: none is sent, or none has ended yet. One that nobody followed to its end counts for nothing. */
export async function canaryFacts(db: Knex): Promise<CanaryFacts | null> {
  const facts = await firstOf<CanaryFacts>(db)`
    SELECT every_seconds AS "everySeconds", error, answered_ms AS "answeredMs", stored_ms AS "storedMs", applied_ms AS "appliedMs",
      extract(epoch FROM now() - sent_at)::float8 AS "secondsAgo",
      extract(epoch FROM now() - came.at)::float8 AS "cameSecondsAgo",
      (SELECT count(*)::integer FROM canaries AS failed
       WHERE failed.finished_at IS NOT NULL AND failed.sent_at > coalesce(came.at, '-infinity')) AS failures
    FROM canaries CROSS JOIN (SELECT max(sent_at) AS at FROM canaries WHERE finished_at IS NOT NULL AND error IS NULL) AS came
    WHERE finished_at IS NOT NULL ORDER BY id DESC LIMIT 1`;
  // Two that are left out: nobody sends any more.
  return facts === undefined || facts.secondsAgo > 2 * facts.everySeconds + CLAIM_SECONDS ? null : facts;
}

/** When the last one that came back whole was sent, in seconds; null: none did. */
export async function lastCanary(db: Knex): Promise<number | null> {
  return valueOf<number | null>(db)`
    SELECT extract(epoch FROM max(sent_at))::float8 AS at FROM canaries WHERE finished_at IS NOT NULL AND error IS NULL`;
}
