import type { Knex } from 'knex';
import type { JsonObject } from '../../domain/json.js';
import type { JsonTable } from '../../domain/json-table/json-table.js';
import { MAX_DEPTH, readTable } from '../../domain/json-table/read-table.js';
import { BY_KEYS, columnOf, raw, rowOf, rowsOf, run, type Trx, tableOf, valueOf } from '../database/statements.js';
import { turnFor } from '../own-turn.js';

/** So many other events of the same content are asked for a delivery: more say the same once more. */
const MOST_TWINS = 100;

/**
 * Takes in the webhooks behind `after`, `limit` at most: those whose content the delivery history has not shown get a row.
 * An event's own delivery, one to another endpoint and the retry of one that is stamped anew all carry the content.
 * `settled`: behind it nothing is left to be committed late; null: nothing is there.
 */
export async function takeInReports(
  trx: Trx,
  { after, limit }: { after: string; limit: number },
): Promise<{ last: string | null; settled: string | null; taken: number }> {
  await trx.raw(BY_KEYS);
  const { last, young, taken } = await rowOf<{ last: string | null; young: string | null; taken: number }>(trx)`
    WITH fresh AS MATERIALIZED (
      SELECT id, secret_label, received_at, content_hash,
             source = 'webhook' AND secret_label IS NOT NULL AND mark IS NULL AS is_report
      FROM inbox WHERE id > CAST(${after} AS bigint) ORDER BY id LIMIT ${limit}
    ), unpaired AS MATERIALIZED (
      SELECT * FROM fresh WHERE is_report AND NOT EXISTS (SELECT FROM deliveries WHERE inbox_id = fresh.id)
    ), shown AS MATERIALIZED (
      SELECT content_hash FROM (SELECT DISTINCT content_hash FROM unpaired) AS content
      WHERE EXISTS (SELECT FROM deliveries WHERE inbox_id IS NULL AND deliveries.content_hash = content.content_hash)
         OR EXISTS (
           SELECT FROM (SELECT id FROM inbox WHERE inbox.content_hash = content.content_hash LIMIT ${raw(MOST_TWINS)}) AS twin
           JOIN deliveries ON inbox_id = twin.id)
    ), added AS (
      INSERT INTO report_checks (inbox_id, secret_label, received_at, state)
      SELECT id, secret_label, received_at, 'unmatched' FROM unpaired
      WHERE content_hash NOT IN (SELECT content_hash FROM shown)
      ON CONFLICT (inbox_id) DO NOTHING
    )
    SELECT max(id) AS last, min(id) FILTER (WHERE received_at > now() - interval '1 minute') - 1 AS young,
           CAST(count(*) AS integer) AS taken
    FROM fresh`;
  return { last, settled: young ?? last, taken };
}

/** Rows of what is matched, and is never checked again. */
export async function dropMatched(trx: Trx, upTo: string): Promise<void> {
  await run(trx)`DELETE FROM report_checks WHERE state = 'matched' AND inbox_id <= CAST(${upTo} AS bigint)`;
}

/**
 * The service sent these events, for good. `kept`: those of them that nothing stored of deliveries would show again.
 * Returns those that were not known to be sent.
 */
export async function markSent(trx: Trx, ids: readonly string[], kept: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const fresh = await columnOf<string>(trx)`
    UPDATE report_checks SET state = 'matched', single = false
    WHERE inbox_id = ANY (${ids}::bigint[]) AND state <> 'matched' RETURNING inbox_id`;
  if (kept.length > 0) {
    await run(trx)`
      INSERT INTO report_checks (inbox_id, secret_label, received_at, state)
      SELECT id, secret_label, received_at, 'matched' FROM inbox
      WHERE id = ANY (${kept}::bigint[]) AND secret_label IS NOT NULL ON CONFLICT (inbox_id) DO NOTHING`;
  }
  return fresh;
}

/** A webhook that the history lacks so far. */
export interface UnmatchedReport {
  id: string;
  secretLabel: string;
  receivedAt: Date;
  /** The history has its id, with another content. */
  otherContent: boolean;
}

/** Those under these secrets that came between the two moments, the oldest first. */
export async function unmatchedReports(
  db: Knex,
  { labels, from, until, limit }: { labels: readonly string[]; from: Date; until: Date; limit: number },
): Promise<UnmatchedReport[]> {
  return rowsOf<UnmatchedReport>(db)`
    WITH lacking AS MATERIALIZED (
      SELECT inbox_id, secret_label, received_at FROM report_checks
      WHERE state = 'unmatched' AND secret_label = ANY (${labels}::text[])
        AND received_at > ${from} AND received_at < ${until}
      ORDER BY received_at, inbox_id LIMIT ${limit})
    SELECT lacking.inbox_id AS id, lacking.secret_label AS "secretLabel", lacking.received_at AS "receivedAt",
           EXISTS (SELECT FROM deliveries WHERE event_key = split_part(inbox.key, '#', 1)) AS "otherContent"
    FROM lacking JOIN inbox ON inbox.id = lacking.inbox_id ORDER BY lacking.inbox_id`;
}

/** Labels of the secrets whose endpoint is known and was not seen to be deleted; `listed`: the service lists it. */
export async function secretsToClassify(db: Knex, { listed }: { listed: boolean }): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT label FROM secrets LEFT JOIN endpoints ON endpoints.id = secrets.endpoint_id
    WHERE secrets.endpoint_id IS NOT NULL AND endpoints.absent_since IS NULL AND (endpoints.id IS NOT NULL OR NOT ${listed})
    ORDER BY label`;
}

/** How many under each of these secrets a complete poll lacked, of those that came since. */
export async function countLacking(
  db: Knex,
  since: Date,
  labels: readonly string[],
): Promise<{ label: string; n: number }[]> {
  return rowsOf<{ label: string; n: number }>(db)`
    SELECT secret_label AS label, count(*)::integer AS n FROM report_checks
    WHERE state IN ('not_sent', 'differs') AND secret_label = ANY (${labels}::text[]) AND received_at >= ${since}
    GROUP BY secret_label ORDER BY secret_label`;
}

/** Each event may have been delivered to so many endpoints. */
const ENDPOINTS = 4;

/** How many events the history has of what was delivered since, `most` counted at most; `since` by the service's clock. */
export async function countMatched(db: Knex, since: Date, most: number): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(DISTINCT inbox_id)::integer AS n FROM (
      SELECT inbox_id FROM deliveries WHERE created_at >= ${since} AND inbox_id IS NOT NULL
      ORDER BY created_at DESC NULLS FIRST, id DESC LIMIT ${most * ENDPOINTS}) AS newest`;
}

/** How many under each secret got a break of their own since. */
export async function countSingles(db: Knex, since: Date): Promise<Map<string, number>> {
  const rows = await rowsOf<{ label: string; n: number }>(db)`
    SELECT secret_label AS label, count(*)::integer AS n FROM report_checks
    WHERE single AND judged_at >= ${since} GROUP BY secret_label`;
  return new Map(rows.map(({ label, n }) => [label, n]));
}

/** What a complete poll showed of them. `single`: it has a break of its own. */
export async function saveLacking(
  trx: Trx,
  reports: readonly (UnmatchedReport & { single: boolean })[],
  { state, now }: { state: 'not_sent' | 'differs'; now: Date },
): Promise<void> {
  const given = tableOf('new', reports, {
    id: 'bigint',
    single: 'boolean',
    other_content: ['boolean', ({ otherContent }) => otherContent],
  });
  await run(trx)`
    UPDATE report_checks AS known SET state = ${state}, single = new.single, judged_at = ${now},
      reason = CASE WHEN new.other_content THEN 'other_content' ELSE 'not_listed' END
    FROM ${given}
    WHERE known.inbox_id = new.id`;
}

/** Secrets with an open break that counts, though each that was not sent has one of its own by now, or was listed after all. */
export async function settledCounts(db: Knex): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT entity_id FROM breaks WHERE kind = 'event_not_sent' AND entity_kind = 'secret'
      AND status IN ('open', 'acknowledged') AND NOT EXISTS (
        SELECT FROM report_checks WHERE state = 'not_sent' AND NOT single AND secret_label = entity_id)`;
}

/** What an event says of itself, for whoever has to decide what to do about it. */
export interface ReportEvidence {
  eventType: string;
  key: string;
  /** Ids that it names, by the field that each stands in; a few of them. */
  names: JsonObject;
}

const AT_ONCE = 20;
/** A larger body is not read. */
const LARGEST_BODY = 262_144;
const FIELDS = ['id', 'merchantReference', 'paymentIntentId', 'payinId', 'invoiceId', 'payoutId', 'accountId'];
const LONGEST_ID = 200;

export async function evidenceOfReports(db: Knex, ids: readonly string[]): Promise<Map<string, ReportEvidence>> {
  const found = new Map<string, ReportEvidence>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const rows = await rowsOf<Omit<ReportEvidence, 'names'> & { id: string; body: string | null }>(db)`
      SELECT id, event_type AS "eventType", key,
             CASE WHEN octet_length(body) <= ${LARGEST_BODY} THEN convert_from(body, 'UTF8') END AS body
      FROM inbox WHERE id = ANY (${ids.slice(at, at + AT_ONCE)}::bigint[])`;
    for (const { id, body, ...event } of rows) {
      if (body !== null) await turnFor(body);
      found.set(id, { ...event, names: body === null ? {} : namesIn(readTable(body, MAX_DEPTH)) });
    }
  }
  return found;
}

function namesIn(envelope: JsonTable): JsonObject {
  const data = envelope.member(0, 'data');
  if (data === null) return {};
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const part = envelope.member(data, field, 'string');
      return part === null ? [] : [[field, envelope.textOf(part).slice(0, LONGEST_ID)]];
    }),
  );
}
