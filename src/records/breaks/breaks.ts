import type { Knex } from 'knex';
import { type BreakKind, breakDefinitions } from '../../domain/breaks/breaks.js';
import type { Severity } from '../../domain/breaks/findings.js';
import { type JsonObject, toJsonText } from '../../domain/json.js';
import { maskEvidence } from '../../domain/personal.js';
import type { EntityRef } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { type Verbatim, verbatim } from '../database/database-text.js';

/** Who opens and resolves breaks where no person does. */
const AUTOMATIC = 'tallyhook';

export interface NewBreak {
  kind: BreakKind;
  entity: EntityRef;
  /** Field by field: ours, theirs, and where each comes from. */
  evidence: JsonObject;
  /** Left out: what the catalogue says of the kind. */
  severity?: Severity;
  /** Not opened again, even after it was closed. */
  once?: boolean;
  /**
   * A digest of the facts that it rests on. Where a person closed the last break of the kind and entity, it is opened again
   * for another cause only: what was decided stays decided. Left out: every finding counts.
   */
  cause?: string;
  /** Rows of the inbox, of the reports that alone name the record, the newest first: such breaks are bounded (`boundReported`). */
  reportedBy?: readonly string[];
}

export interface BreakRef {
  kind: BreakKind;
  entity: EntityRef;
}

/** What is wrong now, and what no longer is. */
export interface BreakFindings {
  open: NewBreak[];
  resolve: BreakRef[];
}

/**
 * Opens breaks; one that is open (or acknowledged) already stays, with its evidence, unless the new one is more severe:
 * then it has the new evidence, and one that was acknowledged is open again, for it was acknowledged as something less.
 * Returns how many were opened. Call it after `saveObservations` where one transaction does both.
 */
export async function openBreaks(trx: Knex, breaks: NewBreak[]): Promise<number> {
  const wanted = [...new Map(breaks.map((wanted) => [keyOf(wanted), wanted])).values()];
  if (wanted.length === 0) return 0;
  const opened = await trx.raw<{ rows: { id: string; is_new: boolean }[] }>(
    `INSERT INTO breaks AS break (kind, severity, entity_kind, entity_id, evidence, cause)
     SELECT kind, severity, entity_kind, entity_id, evidence, cause
     FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::boolean[], ?::text[])
       AS new (kind, severity, entity_kind, entity_id, evidence, once, cause)
     WHERE NOT (once AND EXISTS (
       SELECT FROM breaks AS known
       WHERE (known.kind, known.entity_kind, known.entity_id) = (new.kind, new.entity_kind, new.entity_id)))
       AND NOT (cause IS NOT NULL AND EXISTS (
       SELECT FROM (
         SELECT status, cause FROM breaks AS known
         WHERE (known.kind, known.entity_kind, known.entity_id) = (new.kind, new.entity_kind, new.entity_id)
         ORDER BY id DESC LIMIT 1) AS last
       WHERE last.status IN ('resolved', 'written_off') AND last.cause = new.cause))
     ORDER BY kind, entity_kind, entity_id
     ON CONFLICT (kind, entity_kind, entity_id) WHERE status IN ('open', 'acknowledged')
     DO UPDATE SET severity = excluded.severity, evidence = excluded.evidence, cause = excluded.cause, status = 'open'
     WHERE array_position(ARRAY['low', 'medium', 'high', 'critical'], excluded.severity)
         > array_position(ARRAY['low', 'medium', 'high', 'critical'], break.severity)
     RETURNING id, xmax = 0 AS is_new`,
    [
      wanted.map((wanted) => wanted.kind),
      wanted.map((wanted) => wanted.severity ?? breakDefinitions[wanted.kind].severity),
      wanted.map((wanted) => wanted.entity.kind),
      wanted.map((wanted) => wanted.entity.id),
      textArray(wanted.map(evidenceText)),
      wanted.map((wanted) => wanted.once ?? false),
      textArray(wanted.map((wanted) => wanted.cause ?? null)),
    ],
  );
  await addSteps(
    trx,
    opened.rows.filter((row) => row.is_new).map((row) => row.id),
    'opened',
  );
  await addSteps(
    trx,
    opened.rows.filter((row) => !row.is_new).map((row) => row.id),
    'escalated',
  );
  return opened.rows.filter((row) => row.is_new).length;
}

/** What an open break rests on now: for one that stays while what it counts comes and goes. */
export async function renewEvidence(trx: Knex, { kind, entity, evidence, cause }: NewBreak): Promise<void> {
  await trx.raw(
    `UPDATE breaks SET evidence = ?, cause = ?
     WHERE kind = ? AND entity_kind = ? AND entity_id = ? AND status IN ('open', 'acknowledged')`,
    [evidenceText({ evidence, entity }), cause ?? null, kind, entity.kind, entity.id],
  );
}

/** Closes open breaks of which a later observation showed that they are gone. Returns how many. */
export async function autoResolveBreaks(trx: Knex, gone: BreakRef[]): Promise<number> {
  if (gone.length === 0) return 0;
  const resolved = await trx.raw<{ rows: { id: string }[] }>(
    `WITH gone AS (
       SELECT break.id FROM breaks AS break
       JOIN (SELECT DISTINCT * FROM unnest(?::text[], ?::text[], ?::text[])) AS gone (kind, entity_kind, entity_id)
         USING (kind, entity_kind, entity_id)
       WHERE break.status IN ('open', 'acknowledged')
       ORDER BY break.kind, break.entity_kind, break.entity_id FOR UPDATE OF break
     )
     UPDATE breaks AS break SET status = 'auto_resolved', resolved_at = now()
     FROM gone WHERE break.id = gone.id RETURNING break.id`,
    [gone.map((ref) => ref.kind), gone.map((ref) => ref.entity.kind), gone.map((ref) => ref.entity.id)],
  );
  await addSteps(
    trx,
    resolved.rows.map((row) => row.id),
    'auto_resolved',
  );
  return resolved.rows.length;
}

/** Those of them that are open. */
export async function stillOpen(trx: Knex, refs: BreakRef[]): Promise<BreakRef[]> {
  if (refs.length === 0) return [];
  const entities = [...new Map(refs.map((ref) => [`${ref.entity.kind} ${ref.entity.id}`, ref.entity])).values()];
  const { rows } = await trx.raw<{ rows: { kind: string; entity_kind: string; entity_id: string }[] }>(
    `SELECT break.kind, break.entity_kind, break.entity_id
     FROM unnest(?::text[], ?::text[]) AS asked (entity_kind, entity_id)
     JOIN breaks AS break USING (entity_kind, entity_id) WHERE break.status IN ('open', 'acknowledged')`,
    [entities.map(({ kind }) => kind), entities.map(({ id }) => id)],
  );
  const open = new Set(rows.map((row) => `${row.kind} ${row.entity_kind} ${row.entity_id}`));
  return refs.filter(({ kind, entity }) => open.has(`${kind} ${entity.kind} ${entity.id}`));
}

async function addSteps(trx: Knex, ids: string[], action: string): Promise<void> {
  if (ids.length === 0) return;
  await trx.raw(`INSERT INTO break_steps (break_id, action, actor) SELECT unnest(?::bigint[]), ?, ?`, [
    ids,
    action,
    AUTOMATIC,
  ]);
}

function evidenceText({ evidence, entity }: Pick<NewBreak, 'evidence' | 'entity'>): Verbatim {
  return verbatim(toJsonText(maskEvidence(evidence, entity.kind)));
}

function keyOf({ kind, entity }: BreakRef): string {
  return `${kind} ${entity.kind} ${entity.id}`;
}
