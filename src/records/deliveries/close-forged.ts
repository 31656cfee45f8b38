import type { Knex } from 'knex';
import { stateFromText } from '../../domain/record-state.js';
import { type RecordKind, recordKinds } from '../../domain/records.js';
import { columnOf, raw, rowsOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { LACKING, notSentAmong } from './not-sent.js';

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
export async function closeForged(
  trx: Knex.Transaction,
  label: string,
  decision: Decision,
): Promise<Record<string, number>> {
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
  trx: Knex.Transaction,
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
async function ofForgedRecords(trx: Knex.Transaction, kind: RecordKind): Promise<string[]> {
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
  trx: Knex.Transaction,
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
