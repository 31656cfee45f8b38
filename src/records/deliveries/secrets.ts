import type { Knex } from 'knex';
import type { Overlap } from '../../domain/deliveries/secret-verdict.js';
import { groupedPairs } from '../../domain/grouped.js';
import { compareText } from '../../domain/record-state.js';
import { recordAction } from '../actions/record-action.js';
import { autoResolveBreaks } from '../breaks/breaks.js';
import { rowOf, rowsOf, run, valueOf } from '../database/statements.js';

/** How often a secret matched in an hour. */
export interface SecretMatches {
  label: string;
  fingerprint: string;
  /** The start of the hour. */
  hour: Date;
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** What is known of a secret; never the secret. */
export interface SecretEvidence {
  label: string;
  fingerprint: string;
  firstMatchAt: Date | null;
  lastMatchAt: Date | null;
  matches24h: number;
  endpointId: string | null;
  retiredAt: Date | null;
}

/**
 * Adds to the evidence, in one transaction. A label that stands for another secret than before starts anew; a retirement
 * stays, whatever the label stands for, until it is taken back.
 */
export async function saveSecretMatches(db: Knex, matches: SecretMatches[]): Promise<void> {
  const inOrder = [...matches].sort((a, b) => compareText(a.label, b.label) || a.hour.getTime() - b.hour.getTime());
  await db.transaction(async (trx) => {
    for (const { label, fingerprint, firstAt, lastAt } of inOrder) {
      await run(trx)`
        INSERT INTO secrets AS s (label, fingerprint, first_match_at, last_match_at) VALUES (${label}, ${fingerprint}, ${firstAt}, ${lastAt})
        ON CONFLICT (label) DO UPDATE SET
          fingerprint = excluded.fingerprint,
          endpoint_id = CASE WHEN s.fingerprint = excluded.fingerprint THEN s.endpoint_id END,
          first_match_at = CASE WHEN s.fingerprint = excluded.fingerprint
            THEN least(s.first_match_at, excluded.first_match_at) ELSE excluded.first_match_at END,
          last_match_at = CASE WHEN s.fingerprint = excluded.fingerprint
            THEN greatest(s.last_match_at, excluded.last_match_at) ELSE excluded.last_match_at END`;
    }
    for (const { label, hour, count } of inOrder) {
      await run(trx)`
        INSERT INTO secret_matches AS m (label, hour, count) VALUES (${label}, ${hour}, ${count})
        ON CONFLICT (label, hour) DO UPDATE SET count = m.count + excluded.count`;
    }
  });
}

/** The labels whose secrets no receiver accepts any more. */
export async function retiredLabels(db: Knex): Promise<string[]> {
  return db('secrets').whereNotNull('retired_at').pluck('label');
}

/** Evidence of every secret that ever matched or was retired, by label. `matches24h` counts whole hours. */
export async function secretEvidence(db: Knex, now: Date): Promise<Map<string, SecretEvidence>> {
  const rows = await rowsOf<SecretEvidence>(db)`
    SELECT label, fingerprint, first_match_at AS "firstMatchAt", last_match_at AS "lastMatchAt",
           endpoint_id AS "endpointId", retired_at AS "retiredAt",
           (SELECT coalesce(sum(count), 0)::float8 FROM secret_matches m
            WHERE m.label = secrets.label AND m.hour > ${now}::timestamptz - interval '24 hours') AS "matches24h"
    FROM secrets ORDER BY label`;
  return new Map(rows.map((row) => [row.label, row]));
}

export interface Retirement {
  label: string;
  /** Of the secret that the label stands for now. */
  fingerprint: string;
  by: string;
  note: string | null;
  now: Date;
}

/** From now on no receiver accepts the label's secret; each notices within seconds. Retiring it again changes nothing. */
export async function retireSecret(db: Knex, { label, fingerprint, by, note, now }: Retirement): Promise<void> {
  await db.transaction(async (trx) => {
    const rowCount = await run(trx)`
      INSERT INTO secrets AS s (label, fingerprint, retired_at, retired_by, retired_note) VALUES (${label}, ${fingerprint}, ${now}, ${by}, ${note})
      ON CONFLICT (label) DO UPDATE SET retired_at = excluded.retired_at, retired_by = excluded.retired_by,
        retired_note = excluded.retired_note
      WHERE s.retired_at IS NULL`;
    if (rowCount === 0) return;
    const about = { actor: by, action: 'retire secret', target: `secret ${label}`, reason: note };
    await recordAction(trx, { ...about, details: { fingerprint }, outcome: 'done' });
  });
}

/** Takes a retirement back, with the break that may have come of it. False: the label was not retired. */
export async function restoreSecret(
  db: Knex,
  { label, by, note }: { label: string; by: string; note: string | null },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const restored = await trx('secrets')
      .where({ label })
      .whereNotNull('retired_at')
      .update({ retired_at: null, retired_by: null, retired_note: null, leaked_at: null });
    await autoResolveBreaks(trx, [{ kind: 'secret_still_in_use', entity: { kind: 'secret', id: label } }]);
    if (restored === 0) return false;
    const about = { actor: by, action: 'restore secret', target: `secret ${label}`, reason: note };
    await recordAction(trx, { ...about, outcome: 'done' });
    return true;
  });
}

/** How often a secret matched on one day, UTC. */
export interface DayOfMatches {
  /** Its first moment. */
  day: Date;
  count: number;
}

/** Of each label that ever matched, its last `days` days, the oldest first; a day without a match counts 0. */
export async function matchesPerDay(db: Knex, now: Date, days: number): Promise<Map<string, DayOfMatches[]>> {
  const today = Math.floor(now.getTime() / 86_400_000) * 86_400_000;
  const first = new Date(today - (days - 1) * 86_400_000);
  const rows = await rowsOf<DayOfMatches & { label: string }>(db)`
    SELECT known.label, day, coalesce(sum(count), 0)::float8 AS count
    FROM (SELECT DISTINCT label FROM secret_matches WHERE hour >= ${first}) AS known
    CROSS JOIN generate_series(${first}::timestamptz, ${new Date(today)}::timestamptz, interval '24 hours') AS day
    LEFT JOIN secret_matches AS matched
      ON matched.label = known.label AND hour >= day AND hour < day + interval '24 hours' GROUP BY 1, 2 ORDER BY 1, 2`;
  return groupedPairs(rows.map(({ label, ...day }) => [label, day]));
}

export interface SecretFingerprint {
  label: string;
  fingerprint: string;
  /** ISO 8601 UTC; null: it is in use. */
  retiredAt: string | null;
}

/** Of every secret that ever matched or was retired, by label. */
export async function secretFingerprints(db: Knex): Promise<SecretFingerprint[]> {
  const rows = await rowsOf<Pick<SecretEvidence, 'label' | 'fingerprint' | 'retiredAt'>>(db)`
    SELECT label, fingerprint, retired_at AS "retiredAt" FROM secrets ORDER BY label`;
  return rows.map((row) => ({ ...row, retiredAt: row.retiredAt?.toISOString() ?? null }));
}

/** One secret with its endpoint. */
interface Side {
  label: string;
  endpointId: string;
}

/**
 * The events that the old endpoint was given since the new one exists (`since`, ms of the service's clock) and that came
 * under the old secret: under which they came. What came after the history was read last counts once a minute has passed.
 * An event without an id that the service stamps in another second for each endpoint is two in the inbox: one under the
 * old secret alone counts as come under both for each of the same content under the new alone.
 */
export async function overlapOf(
  db: Knex,
  { old, successor, since, readAt }: { old: Side; successor: Side; since: number; readAt: Date },
): Promise<Overlap> {
  return rowOf<Overlap>(db)`
    WITH given AS (
      SELECT DISTINCT inbox_id AS id FROM deliveries
      WHERE endpoint_id = ${old.endpointId} AND created_at >= ${new Date(since)} AND inbox_id IS NOT NULL
    ), late AS (
      SELECT id FROM inbox
      WHERE received_at > ${readAt} AND received_at < now() - interval '1 minute' AND event_timestamp >= ${since / 1_000}
        AND NOT EXISTS (SELECT FROM deliveries WHERE inbox_id = inbox.id)
    ), under AS (
      SELECT inbox_id AS id, array_agg(secret_label) AS labels FROM inbox_arrivals
      WHERE inbox_id IN (SELECT id FROM given UNION SELECT id FROM late) GROUP BY inbox_id
    ), alone AS (
      SELECT id, content_hash, key_type = 'fingerprint' AS nameless,
             row_number() OVER (PARTITION BY content_hash, key_type ORDER BY id) AS place
      FROM under JOIN inbox USING (id) WHERE ${old.label} = ANY (labels) AND NOT ${successor.label} = ANY (labels)
    ), twins AS (
      SELECT content_hash, count(*) AS n FROM inbox
      WHERE key_type = 'fingerprint' AND content_hash IN (SELECT content_hash FROM alone WHERE nameless)
        AND received_at >= ${new Date(since)}::timestamptz - interval '5 minutes'
        AND EXISTS (SELECT FROM inbox_arrivals WHERE inbox_id = inbox.id AND secret_label = ${successor.label})
        AND NOT EXISTS (SELECT FROM inbox_arrivals WHERE inbox_id = inbox.id AND secret_label = ${old.label})
      GROUP BY content_hash
    ), single AS (
      SELECT id FROM alone LEFT JOIN twins USING (content_hash) WHERE NOT nameless OR place > coalesce(n, 0)
    )
    SELECT ((SELECT count(*) FROM under WHERE ${old.label} = ANY (labels)) - count(*))::integer AS both,
           count(*)::integer AS "onlyOldCount",
           coalesce((array_agg('event ' || id ORDER BY id DESC))[1:5], '{}') AS "onlyOld"
    FROM single`;
}

/** How many deliveries to the endpoint the service is still at. */
export async function pendingDeliveries(
  db: Knex,
  endpointId: string,
  { pendingStates, now }: { pendingStates: readonly string[]; now: Date },
): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer FROM deliveries
    WHERE endpoint_id = ${endpointId} AND (status = ANY (${pendingStates}::text[]) OR next_retry_at > ${now})`;
}
