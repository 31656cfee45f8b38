import type { Knex } from 'knex';
import { OTHERS_TO_COUNT, pointsAtSecret, type UnderOneSecret } from '../../domain/deliveries/report-standing.js';
import type { LeakDone } from '../../domain/deliveries/secret-leak.js';
import { stateFromText } from '../../domain/record-state.js';
import { type RecordKind, recordKinds } from '../../domain/records.js';
import { recordAction } from '../actions/record-action.js';
import { columnOf, raw, rowOf, rowsOf, type Trx, valueOf } from '../database/statements.js';
import type { OrderRules } from '../orders/derive-orders.js';
import { noteDisproved } from '../orders/searched.js';
import { recordTables } from '../record-columns.js';
import { LACKING, notSentAmong } from './not-sent.js';
import { type Retirement, retireSecret } from './secrets.js';

/** An incident is no longer. */
const DAYS = 30;

export type LeakAnswer =
  /** `why`: what the history lacks proves nothing; nothing was changed. */
  { outcome: 'refused'; why: string } | { outcome: 'done'; done: LeakDone };

/**
 * A person says that a secret leaked: it is retired, what a complete poll of the delivery history lacked of what came under
 * it was not sent, and the breaks that this opened are resolved. What the history has, and what no poll had to show yet,
 * stays as it is (docs/decisions/0011-a-leaked-secret.md).
 */
export async function declareLeaked(trx: Trx, given: Retirement, rules: OrderRules): Promise<LeakAnswer> {
  const { label, by, note, now } = given;
  const why = await doubtOfHistory(trx, label, now);
  if (why !== null) return { outcome: 'refused', why };
  await retireSecret(trx, given);
  await trx('secrets').where({ label }).whereNull('leaked_at').update({ leaked_at: now });
  const ids = await markNotSent(trx, [label], now);
  const orders = await noteDisproved(trx, ids, rules);
  const breaks = await closeForged(trx, label, { actor: by, note, now });
  const undecided = await countUndecided(trx, label);
  const done = { disproved: ids.length, undecided, orders: [...new Set(orders)].sort(), breaks };
  const details = { disproved: ids.length, undecided, orders: done.orders.length, breaks };
  const about = { actor: by, action: 'secret leaked', target: `secret ${label}`, reason: note };
  await recordAction(trx, { ...about, details, outcome: 'done' });
  return { outcome: 'done', done };
}

/** Labels of the secrets of which a person said so. */
export async function leakedLabels(db: Knex): Promise<Set<string>> {
  return new Set<string>(await db('secrets').whereNotNull('leaked_at').pluck('label'));
}

/** Those of them under which what the history lacks was not sent, as far as that is known. */
export async function undoubted(db: Knex, labels: Iterable<string>, now: Date): Promise<string[]> {
  const found: string[] = [];
  for (const label of labels) if ((await doubtOfHistory(db, label, now)) === null) found.push(label);
  return found;
}

/**
 * What lacked under these while the history as a whole was in doubt. Returns the rows of the inbox. What came under a secret
 * that did not leak as well was sent, though the history lacks it.
 */
export async function markNotSent(trx: Trx, labels: readonly string[], now: Date): Promise<string[]> {
  return columnOf<string>(trx)`
    UPDATE report_checks AS known SET state = 'not_sent', judged_at = ${now}
    WHERE state = 'differs' AND received_at >= ${incidentSince(now)} AND secret_label = ANY (${[...labels]}) AND NOT EXISTS (
      SELECT FROM inbox_repeats AS other LEFT JOIN secrets ON label = other.secret_label
      WHERE other.inbox_id = known.inbox_id AND other.secret_label <> known.secret_label AND leaked_at IS NULL)
    RETURNING inbox_id`;
}

/**
 * Null: what the history lacks under this secret was not sent. It was sent, maybe, where the history lacks events under a
 * secret that is in use beside it, began to lack with the first that it should have, or has stopped with the first that it lacks.
 */
async function doubtOfHistory(db: Knex, label: string, now: Date): Promise<string | null> {
  const rows = await rowsOf<{ label: string; lacking: number; first: Date; witness: boolean }>(db)`
    SELECT secret_label AS label, count(*)::integer AS lacking, min(received_at) AS first,
           coalesce(bool_and(retired_at IS NULL AND leaked_at IS NULL), false) AS witness
    FROM report_checks LEFT JOIN secrets ON label = secret_label
    WHERE state = 'differs' AND received_at >= ${incidentSince(now)} GROUP BY secret_label ORDER BY secret_label`;
  const own = rows.find((row) => row.label === label);
  if (own === undefined) return null;
  const others = rows.filter((row) => row.label !== label && row.witness);
  if (others.length > 0) {
    const names = others.map((one) => `"${one.label}"`).join(', ');
    return `the delivery history lacks events under ${names} too: if those leaked as well, retire them first; else the history leaves events out`;
  }
  const beside = await besideLacking(db, { label, since: own.first });
  if (!pointsAtSecret({ lacking: own.lacking, ...beside }))
    return 'the delivery history does not have enough of the events from before it lacked the first: it may leave events out by itself';
  const later = await db('deliveries').where('created_at', '>', own.first).first('id');
  if (later !== undefined) return null;
  return 'the delivery history shows nothing from after the first event that it lacks: it may have stopped; say so again when it shows a later one';
}

/** What came earlier is of no incident of now. */
export const incidentSince = (now: Date): Date => new Date(now.getTime() - DAYS * 86_400_000);

/** With those that no poll of the history was held against yet. */
async function countUndecided(db: Knex, label: string): Promise<number> {
  return valueOf<number>(db)`
    SELECT ((SELECT count(*) FROM report_checks WHERE secret_label = ${label} AND state = 'unmatched')
      + (SELECT count(*) FROM inbox WHERE secret_label = ${label} AND source = 'webhook' AND mark IS NULL
           AND id > coalesce((SELECT CAST(value ->> 'id' AS bigint) FROM watermarks
             WHERE kind = 'reports' AND name = 'taken in'), 0)
           AND NOT EXISTS (SELECT FROM report_checks WHERE inbox_id = inbox.id)
           AND NOT EXISTS (SELECT FROM deliveries WHERE inbox_id = inbox.id)))::integer AS n`;
}

/** So many deliveries are read, the newest first; where that is too few, less is known of the others. */
const MOST = 50_000;

/**
 * What the history has beside what it lacks under a secret since then, by the newest deliveries of that time and of the week
 * before. A history that lacked events in that week too says nothing of the secret.
 */
export async function besideLacking(
  db: Knex,
  { label, since }: { label: string; since: Date },
): Promise<Omit<UnderOneSecret, 'lacking'>> {
  const { matched, others, differed } = await rowOf<{ matched: number; others: number; differed: boolean }>(db)`
    WITH first AS (
      SELECT min(received_at) AS at FROM report_checks
      WHERE state IN ('not_sent', 'differs') AND secret_label = ${label} AND received_at >= ${since}
    ), shown AS (
      SELECT DISTINCT inbox_id AS id FROM (
        SELECT inbox_id FROM deliveries
        WHERE created_at >= ${since}::timestamptz - interval '7 days' AND inbox_id IS NOT NULL
        ORDER BY created_at DESC NULLS FIRST, id DESC LIMIT ${raw(MOST)}) AS newest
    )
    SELECT (count(*) FILTER (WHERE is_own))::integer AS matched,
           least(count(*) FILTER (WHERE NOT is_own), ${raw(OTHERS_TO_COUNT)})::integer AS others,
           EXISTS (SELECT FROM report_checks WHERE state = 'differs' AND received_at < ${since}
                   AND received_at >= ${since}::timestamptz - interval '7 days') AS differed
    FROM (SELECT secret_label = ${label} AND received_at >= first.at AS is_own
          FROM shown JOIN inbox USING (id) CROSS JOIN first WHERE secret_label IS NOT NULL) AS judged`;
  return { matched, others: differed ? 0 : others };
}

/** A few of those that lack, the newest first. */
export async function someLacking(db: Knex, since: Date, limit: number): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT inbox_id AS id FROM report_checks WHERE state = 'differs' AND received_at >= ${since} ORDER BY inbox_id DESC LIMIT ${limit}`;
}

interface Decision {
  actor: string;
  note: string | null;
  now: Date;
}

const AT_ONCE = 1_000;

/**
 * Resolves the breaks that what was not sent under a secret has opened, in a person's name: about its events, about the secret,
 * about records known only from events that were not sent, and about the history, if that lacks nothing else.
 * Returns how many, by kind.
 */
async function closeForged(trx: Trx, label: string, decision: Decision): Promise<Record<string, number>> {
  const ids = await columnOf<string>(trx)`
    SELECT id FROM breaks WHERE status IN ('open', 'acknowledged') AND (
      (entity_kind = 'event' AND entity_id IN (
        SELECT inbox_id::text FROM report_checks WHERE secret_label = ${label} AND state = 'not_sent'))
      OR (entity_kind = 'secret' AND entity_id = ${label} AND kind IN ('event_not_sent', 'record_not_at_service'))
      OR (kind = 'history_differs' AND NOT EXISTS (SELECT FROM report_checks WHERE ${raw(LACKING)})))`;
  for (const kind of recordKinds) ids.push(...(await ofForgedRecords(trx, kind)));
  return resolve(trx, ids, decision);
}

async function resolve(
  trx: Trx,
  ids: readonly string[],
  { actor, note, now }: Decision,
): Promise<Record<string, number>> {
  if (ids.length === 0) return {};
  const rows = await rowsOf<{ kind: string; n: number }>(trx)`
    WITH closed AS (
      UPDATE breaks SET status = 'resolved', resolved_at = ${now}
      WHERE id = ANY (${[...new Set(ids)]}::bigint[]) AND status IN ('open', 'acknowledged') RETURNING id, kind
    ), steps AS (
      INSERT INTO break_steps (break_id, action, actor, note, at) SELECT id, 'resolved', ${actor}, ${note}, ${now} FROM closed)
    SELECT kind, count(*)::integer AS n FROM closed GROUP BY kind ORDER BY kind`;
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}

/** Open breaks about records of a kind that are known only from events that were not sent. */
async function ofForgedRecords(trx: Trx, kind: RecordKind): Promise<string[]> {
  const found: string[] = [];
  for (let after = '0'; ; ) {
    const rows = await rowsOf<{ break_id: string; id: string; claims: string }>(trx)`
      SELECT breaks.id AS break_id, record.id, claims FROM breaks JOIN ${raw(recordTables[kind])} AS record ON record.id = entity_id
      WHERE entity_kind = ${kind} AND breaks.status IN ('open', 'acknowledged') AND breaks.id > ${after}::bigint AND NOT known
      ORDER BY breaks.id LIMIT ${raw(AT_ONCE)}`;
    const forged = await forgedAmong(trx, kind, rows);
    found.push(...rows.flatMap((row) => (forged.has(row.id) ? [row.break_id] : [])));
    if (rows.length < AT_ONCE) return found;
    after = rows.at(-1)?.break_id ?? after;
  }
}

/** By what the record keeps, and by all that ever changed it: of several that say the same it keeps the newest. */
async function forgedAmong(
  trx: Trx,
  kind: RecordKind,
  records: readonly { id: string; claims: string }[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set();
  const rows = await rowsOf<{ id: string; type: string; ref: string }>(trx)`
    SELECT DISTINCT entity_id AS id, source_type AS type, source_ref AS ref FROM changes
    WHERE entity_kind = ${kind} AND entity_id = ANY (${records.map(({ id }) => id)}::text[]) AND source_type IN ('webhook', 'delivery_history', 'api_response')`;
  const reporters = new Map(records.map(({ id, claims }) => [id, reportersOf(claims)]));
  for (const { id, type, ref } of rows) reporters.get(id)?.push(type === 'webhook' ? ref : '');
  const notSent = await notSentAmong(trx, [...new Set([...reporters.values()].flat())]);
  return new Set([...reporters].filter(([, refs]) => refs.every((ref) => notSent.has(ref))).map(([id]) => id));
}

/** Rows of the inbox; empty: it was no webhook. */
function reportersOf(claims: string): string[] {
  return stateFromText({ poll: null, claims }).claims.map(({ source: { type, ref } }) =>
    type === 'webhook' ? ref : '',
  );
}
