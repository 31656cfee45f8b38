import type { Knex } from 'knex';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { isRowId } from '../database/paging.js';
import { raw, rowsOf, valueOf } from '../database/statements.js';
import { type NewBreak, renewEvidence } from './breaks.js';

/** So many of a day have a break of their own: more say nothing that one which counts does not. */
export const MOST_SINGLE = 100;
const MOST_NAMED = 5;
const KIND = 'record_not_at_service';

/**
 * Of breaks about records known only from reports, so many a day stand by themselves; one for each secret counts the rest.
 * The records are in their lists all the same. Where all of the reports were not sent, under secrets of which a person said
 * that they leaked, nobody needs another break.
 */
export async function boundReported(trx: Knex, breaks: NewBreak[]): Promise<NewBreak[]> {
  if (!breaks.some(isReported)) return breaks;
  const labels = await labelsOf(
    trx,
    breaks.flatMap(({ reportedBy = [] }) => reportedBy),
  );
  const wanted = breaks.filter(
    ({ reportedBy = [] }) => reportedBy.length === 0 || reportedBy.some((ref) => labels.get(ref)?.isForged !== true),
  );
  const room = MOST_SINGLE - (await countSingle(trx));
  const rest = new Map<string, NewBreak[]>();
  for (const one of wanted.filter(isReported).slice(Math.max(0, room))) {
    // Of a secret that leaked a person may have decided for the day: it does not speak for another one.
    const by = one.reportedBy?.find((ref) => labels.get(ref)?.isForged === false);
    const label = labels.get(by ?? '')?.label;
    if (label !== undefined) rest.set(label, [...(rest.get(label) ?? []), one]);
  }
  const counted = new Set([...rest.values()].flat());
  const counting: NewBreak[] = [];
  for (const [label, own] of rest) counting.push(await countBreak(trx, label, own));
  return [...wanted.filter((one) => !counted.has(one)), ...counting];
}

function isReported({ reportedBy = [] }: NewBreak): boolean {
  return reportedBy.length > 0;
}

async function countSingle(db: Knex): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM breaks WHERE kind = '${raw(KIND)}' AND entity_kind <> 'secret'
      AND status IN ('open', 'acknowledged') AND opened_at > now() - interval '1 day'`;
}

/** By row of the inbox: under which secret it came, and whether it is forged. */
async function labelsOf(db: Knex, refs: readonly string[]): Promise<Map<string, { label: string; isForged: boolean }>> {
  const rows = await rowsOf<{ id: string; label: string; forged: boolean }>(db)`
    SELECT inbox.id, inbox.secret_label AS label, coalesce(state = 'not_sent' AND leaked_at IS NOT NULL, false) AS forged
    FROM inbox LEFT JOIN report_checks ON inbox_id = inbox.id LEFT JOIN secrets ON secrets.label = inbox.secret_label
    WHERE inbox.id = ANY (${refs.filter(isRowId)}::bigint[]) AND inbox.secret_label IS NOT NULL`;
  return new Map(rows.map(({ id, label, forged }) => [id, { label, isForged: forged }]));
}

/** One that is open counts on. A person's decision holds for the day. */
async function countBreak(trx: Knex, label: string, own: readonly NewBreak[]): Promise<NewBreak> {
  const before = await openCount(trx, label);
  const counting: NewBreak = {
    kind: KIND,
    entity: { kind: 'secret', id: label },
    cause: new Date().toISOString().slice(0, 10),
    evidence: {
      reason: 'many',
      ours: {
        records: String(before + own.length),
        some: own.slice(-MOST_NAMED).map(({ entity }) => `${entity.kind} ${entity.id}`),
        now: 'the lists of records with verified=false: those with absentSince',
      },
    },
  };
  if (before > 0) await renewEvidence(trx, counting);
  return counting;
}

async function openCount(trx: Knex, label: string): Promise<number> {
  const rows = await rowsOf<{ evidence: string }>(trx)`
    SELECT evidence FROM breaks WHERE kind = '${raw(KIND)}' AND entity_kind = 'secret' AND entity_id = ${label}
      AND status IN ('open', 'acknowledged') FOR UPDATE`;
  const ours = rows.map(({ evidence }) => objectFromJsonText(evidence)['ours'] as JsonObject)[0];
  return Number(ours?.['records'] ?? 0);
}
