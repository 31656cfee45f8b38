import type { Knex } from 'knex';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import { grouped } from '../../domain/grouped.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { isRowId } from '../database/paging.js';
import { rowsOf, valueOf } from '../database/statements.js';
import { type NewBreak, renewEvidence } from './breaks.js';

/** So many of a day have a break of their own: more say nothing that one which counts does not. */
export const MOST_SINGLE = 100;
const MOST_NAMED = 5;
/** Where each of those that one counts is found. */
const WHERE: Partial<Record<BreakKind, string>> = {
  record_not_at_service: 'the lists of records with verified=false: those with absentSince',
  contract_violation: 'the events with status=unhandled',
};

/**
 * Of breaks that rest on reports alone, so many a day of a kind stand by themselves; one for each secret counts the rest.
 * What they are about is in its list all the same. Where all of the reports were not sent, under secrets of which a person said
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
  const counted = new Set<NewBreak>();
  const counting: NewBreak[] = [];
  for (const [kind, found] of grouped(wanted.filter(isReported), (one) => one.kind)) {
    const room = MOST_SINGLE - (await countSingle(trx, kind));
    // Of a secret that leaked a person may have decided for the day: it does not speak for another one.
    const labelOf = ({ reportedBy = [] }: NewBreak): string =>
      labels.get(reportedBy.find((ref) => labels.get(ref)?.isForged === false) ?? '')?.label ?? '';
    for (const [label, own] of grouped(found.slice(Math.max(0, room)), labelOf)) {
      if (label === '') continue;
      for (const one of own) counted.add(one);
      counting.push(await countBreak(trx, { kind, label, own }));
    }
  }
  return [...wanted.filter((one) => !counted.has(one)), ...counting];
}

const isReported = ({ reportedBy = [] }: NewBreak): boolean => reportedBy.length > 0;

async function countSingle(db: Knex, kind: BreakKind): Promise<number> {
  return valueOf<number>(db)`
    SELECT count(*)::integer AS n FROM breaks WHERE kind = ${kind} AND entity_kind <> 'secret'
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
async function countBreak(
  trx: Knex,
  { kind, label, own }: { kind: BreakKind; label: string; own: readonly NewBreak[] },
): Promise<NewBreak> {
  const before = await openCount(trx, { kind, label });
  const counting: NewBreak = {
    kind,
    ...(own[0]?.severity === undefined ? {} : { severity: own[0].severity }),
    entity: { kind: 'secret', id: label },
    cause: new Date().toISOString().slice(0, 10),
    evidence: {
      reason: 'many',
      ours: {
        secret: label,
        records: String(before + own.length),
        some: own.slice(-MOST_NAMED).map(({ entity }) => `${entity.kind} ${entity.id}`),
        now: WHERE[kind] ?? '',
      },
    },
  };
  if (before > 0) await renewEvidence(trx, counting);
  return counting;
}

async function openCount(trx: Knex, { kind, label }: { kind: BreakKind; label: string }): Promise<number> {
  const rows = await rowsOf<{ evidence: string }>(trx)`
    SELECT evidence FROM breaks WHERE kind = ${kind} AND entity_kind = 'secret' AND entity_id = ${label}
      AND status IN ('open', 'acknowledged') FOR UPDATE`;
  const ours = rows.map(({ evidence }) => objectFromJsonText(evidence)['ours'] as JsonObject)[0];
  return Number(ours?.['records'] ?? 0);
}
