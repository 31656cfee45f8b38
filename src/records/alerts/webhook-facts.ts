import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import { recordKinds } from '../../domain/records.js';
import { columnOf, firstOf, raw, rowOf, valueOf } from '../database/statements.js';
import { incidentSince } from '../deliveries/leaked-secrets.js';
import { firstIdSince } from '../inbox/minute-counts.js';
import { countForgedSince, countRejections } from '../inbox/rejections.js';
import { recordTables } from '../record-columns.js';

type WebhookFacts = Pick<AlertFacts, 'webhooks' | 'invalidSignatures' | 'expiredTimestamps'>;

/**
 * What is known of the requests to the webhook path. Anybody can send some, and who holds one secret can sign them: so
 * only what the service's own lists bear out speaks for it, and nothing that others send makes an alert silent.
 */
export async function webhookFacts(db: Knex, now: Date): Promise<WebhookFacts> {
  const known = await historyKnown(db, now);
  const doubted = await doubtedSecrets(db, known);
  return {
    webhooks: await countWebhooks(db, known),
    invalidSignatures: await countForged(db, { ...known, doubted }),
    expiredTimestamps: await countExpired(db, { ...known, doubted }),
  };
}

interface Known {
  now: Date;
  /** When the newest complete reading of the delivery history began; null: none did in the last half hour. */
  readAt: Date | null;
}

interface Judged extends Known {
  doubted: readonly string[];
}

const HALF_HOUR = 30;
const SIX_HOURS = 360;
const HOUR_MS = 3_600_000;
/** Two clocks, and the way of a webhook into the history. */
const ON_ITS_WAY = 1;

async function historyKnown(db: Knex, now: Date): Promise<Known> {
  const newest = await firstOf<{ at: Date }>(db)`
    SELECT started_at AS at FROM runs WHERE kind = 'deliveries' AND complete AND status = 'succeeded' ORDER BY id DESC LIMIT 1`;
  return { now, readAt: newest !== undefined && newest.at > minutesBefore(now, HALF_HOUR) ? newest.at : null };
}

/** Labels of the secrets under which something came that the delivery history lacks. */
async function doubtedSecrets(db: Knex, { now, readAt }: Known): Promise<string[]> {
  const shown = readAt === null ? new Date(0) : minutesBefore(readAt, ON_ITS_WAY);
  return columnOf<string>(db)`
    SELECT label FROM secrets WHERE
      EXISTS (SELECT FROM report_checks WHERE secret_label = label
        AND state IN ('not_sent', 'differs') AND received_at > ${incidentSince(now)})
      OR EXISTS (SELECT FROM report_checks WHERE secret_label = label
        AND state = 'unmatched' AND received_at > ${minutesBefore(now, 60)} AND received_at < ${shown})`;
}

/** Whoever sends a test event of ours marks it. */
const REPORTS = `source = 'webhook' AND mark IS NULL`;
const PAIRED = 'EXISTS (SELECT FROM deliveries WHERE inbox_id = inbox.id)';
/** When the event of one of the newest deliveries came. Not joined: before Postgres counted the rows of a new table, it would hold each event against all of them. */
const TAKEN_AT = `(SELECT received_at FROM inbox WHERE id = newest.inbox_id AND ${REPORTS})`;
/** So many of the newest are read. */
const SAMPLED = 1_000;

/**
 * Silent: no webhook came for half an hour, or none that the delivery history has, where that was read; where it was not,
 * none but those that were not sent, or of which each record is one that the service denies.
 */
async function countWebhooks(db: Knex, { now, readAt }: Known): Promise<AlertFacts['webhooks']> {
  const since = minutesBefore(now, HALF_HOUR);
  const came = await valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM (SELECT received_at FROM inbox WHERE ${raw(REPORTS)} ORDER BY id DESC
      LIMIT ${SAMPLED}) AS newest WHERE received_at > ${since}`;
  const isHeard = came > 0 && (readAt === null ? await someStand(db, since) : await someShown(db, readAt));
  if (isHeard) return { halfHour: 1, before: 0, unproven: 0 };
  const first = minutesBefore(now, HALF_HOUR + SIX_HOURS);
  const from = (await firstIdSince(db, first)) ?? '0';
  const before = await valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM inbox WHERE id >= ${from} AND received_at >= ${first} AND received_at <= ${since}
      AND ${raw(REPORTS)} AND NOT EXISTS (SELECT FROM report_checks WHERE inbox_id = inbox.id AND state = 'not_sent')`;
  return { halfHour: 0, before, unproven: came };
}

/** The delivery history has one that came in the half hour before it was read, or since: of the newest here, or of its own newest. */
function someShown(db: Knex, readAt: Date): Promise<boolean> {
  const since = minutesBefore(readAt, HALF_HOUR);
  return valueOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM (SELECT id, received_at FROM inbox WHERE ${raw(REPORTS)} ORDER BY id DESC LIMIT ${SAMPLED}) AS inbox
        WHERE received_at > ${since} AND ${raw(PAIRED)})
      OR EXISTS (SELECT FROM (
        SELECT inbox_id FROM deliveries WHERE created_at IS NOT NULL AND inbox_id IS NOT NULL
        ORDER BY created_at DESC, id DESC LIMIT ${SAMPLED}) AS newest WHERE ${raw(TAKEN_AT)} > ${since}) AS yes`;
}

const DENIED = recordKinds
  .map(
    (kind) =>
      `WHEN '${kind}' THEN EXISTS (SELECT FROM ${recordTables[kind]} WHERE id = entity_id AND absent_since IS NOT NULL)`,
  )
  .join(' ');

/** One that came since then is neither disproved nor about what the service denies alone. */
function someStand(db: Knex, since: Date): Promise<boolean> {
  return valueOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM (SELECT id, received_at FROM inbox WHERE ${raw(REPORTS)} ORDER BY id DESC LIMIT ${SAMPLED}) AS inbox
      WHERE received_at > ${since}
        AND NOT EXISTS (SELECT FROM report_checks WHERE inbox_id = inbox.id AND state IN ('not_sent', 'differs'))
        AND NOT coalesce((SELECT bool_and(CASE entity_kind ${raw(DENIED)} ELSE false END) FROM event_records
          WHERE inbox_id = inbox.id AND entity_kind <> 'order'), false)) AS yes`;
}

/** How many were taken since then that speak for the service: under secrets that nothing casts doubt on, or in the history. */
async function countTaken(db: Knex, since: Date, doubted: readonly string[]): Promise<number> {
  const from = (await firstIdSince(db, since)) ?? '0';
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM inbox WHERE id >= ${from} AND received_at >= ${since} AND ${raw(REPORTS)}
      AND (secret_label <> ALL (${doubted}::text[]) OR ${raw(PAIRED)})`;
}

/** The same of the newest one. */
async function lastTaken(db: Knex, { now, readAt, doubted }: Judged): Promise<number> {
  const { matched, shown } = await rowOf<{ matched: Date | null; shown: Date | null }>(db)`
    SELECT (SELECT max(last_match_at) FROM secrets WHERE label <> ALL (${doubted}::text[])) AS matched,
           (SELECT max(${raw(TAKEN_AT)}) FROM (SELECT inbox_id FROM deliveries
              WHERE created_at > ${minutesBefore(readAt ?? now, 2 * HALF_HOUR)} AND inbox_id IS NOT NULL
              ORDER BY created_at DESC, id DESC LIMIT ${SAMPLED}) AS newest) AS shown`;
  return Math.max(matched?.getTime() ?? 0, shown?.getTime() ?? 0);
}

/**
 * What has the service's headers, apart from noise. Of rejected requests samples are kept, which many others wash away, and
 * numbers by minute: whichever shows more counts. What was none of the service's deliveries is left out.
 */
async function countForged(db: Knex, judged: Judged): Promise<AlertFacts['invalidSignatures']> {
  const { now, doubted } = judged;
  if ((await rejectedUnderHeaders(db, minutesBefore(now, 60))) === 0)
    return { sinceMatch: 0, fiveMinutes: 0, share: 0 };
  const strangers = await strangersUntil(db, judged);
  const later = (at: number | Date) => new Date(Math.max(Number(at), strangers));
  const five = later(minutesBefore(now, 5));
  const hour = later(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
  const match = later(Math.max(minutesBefore(now, HALF_HOUR).getTime(), await lastTaken(db, judged)));
  const fiveMinutes = await rejectedUnderHeaders(db, five);
  const shares = [
    shareOf(fiveMinutes, await countTaken(db, five, doubted)),
    shareOf(await rejectedUnderHeaders(db, hour), await countTaken(db, hour, doubted)),
  ];
  return { sinceMatch: await rejectedUnderHeaders(db, match), fiveMinutes, share: Math.max(...shares) };
}

async function rejectedUnderHeaders(db: Knex, since: Date): Promise<number> {
  const counted = await valueOf<number>(db)`
    SELECT coalesce(sum(like_service), 0)::float8 AS n FROM rejection_counts
    WHERE hour >= ${since} AND reason = 'invalid_signature'`;
  return Math.max(counted, await countForgedSince(db, since));
}

/**
 * Until when what was rejected was none of the service's (ms): the history that was read later shows that some of what it sent
 * came, and all at once. 0: that is not known.
 */
async function strangersUntil(db: Knex, { readAt }: Judged): Promise<number> {
  if (readAt === null) return 0;
  const since = minutesBefore(readAt, HALF_HOUR);
  const { some, all } = await rowOf<{ some: boolean; all: boolean }>(db)`
    SELECT EXISTS (SELECT FROM deliveries WHERE created_at > ${since} AND class = 'received') AS some,
      NOT EXISTS (SELECT FROM deliveries WHERE created_at > ${minutesBefore(readAt, 24 * 60)}
        AND class IN ('rejected', 'never_reached', 'phantom', 'pending_retry'))
      AND NOT EXISTS (SELECT FROM deliveries WHERE created_at > ${since}
        AND (attempts > 1 OR http_status NOT BETWEEN 200 AND 299)) AS all`;
  return some && all ? minutesBefore(readAt, ON_ITS_WAY).getTime() : 0;
}

/** Beside them only what came by webhook counts: what was recovered meanwhile says nothing of a clock. */
async function countExpired(db: Knex, { now, doubted }: Judged): Promise<AlertFacts['expiredTimestamps']> {
  const since = minutesBefore(now, HALF_HOUR);
  const expired = await countRejections(db, 'expired_timestamp', since);
  if (expired === 0) return { halfHour: 0, share: 0 };
  return { halfHour: expired, share: shareOf(expired, await countTaken(db, since, doubted)) };
}

const minutesBefore = (at: Date, minutes: number): Date => new Date(at.getTime() - minutes * 60_000);

/** Of both together. */
const shareOf = (rejected: number, taken: number): number => (rejected === 0 ? 0 : rejected / (rejected + taken));
