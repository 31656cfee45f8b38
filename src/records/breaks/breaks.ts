import type { Knex } from 'knex';
import { type BreakKind, breakDefinitions, sharedOf } from '../../domain/breaks/breaks.js';
import type { Severity } from '../../domain/breaks/findings.js';
import { type JsonObject, toJsonText } from '../../domain/json.js';
import { maskEvidence } from '../../domain/personal.js';
import type { EntityRef } from '../../domain/records.js';
import { type Verbatim, verbatim } from '../database/database-text.js';
import { columnOf, rowsOf, run, tableOf } from '../database/statements.js';

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
  const given = tableOf('new', wanted, {
    ...refColumns,
    severity: ['text', (one) => one.severity ?? breakDefinitions[one.kind].severity],
    evidence: ['text', evidenceText],
    once: ['boolean', ({ once = false }) => once],
    cause: ['text', ({ cause = null }) => cause],
    shared: ['text', ({ kind, evidence }) => verbatim(sharedOf(kind, evidence))],
  });
  const rows = await rowsOf<{ id: string; is_new: boolean }>(trx)`
    INSERT INTO breaks AS break (kind, severity, entity_kind, entity_id, evidence, cause, shared)
    SELECT kind, severity, entity_kind, entity_id, evidence, cause, shared FROM ${given}
    WHERE NOT (once AND EXISTS (
      SELECT FROM breaks AS known
      WHERE (known.kind, known.entity_kind, known.entity_id) = (new.kind, new.entity_kind, new.entity_id) OFFSET 0))
      AND NOT (cause IS NOT NULL AND EXISTS (
      SELECT FROM (
        SELECT status, cause FROM breaks AS known
        WHERE (known.kind, known.entity_kind, known.entity_id) = (new.kind, new.entity_kind, new.entity_id)
        ORDER BY id DESC LIMIT 1) AS last
      WHERE last.status IN ('resolved', 'written_off') AND last.cause = new.cause))
    ORDER BY kind, entity_kind, entity_id
    ON CONFLICT (kind, entity_kind, entity_id) WHERE status IN ('open', 'acknowledged')
    DO UPDATE SET severity = excluded.severity, evidence = excluded.evidence, cause = excluded.cause, shared = excluded.shared, status = 'open'
    WHERE array_position(ARRAY['low', 'medium', 'high', 'critical'], excluded.severity)
        > array_position(ARRAY['low', 'medium', 'high', 'critical'], break.severity)
    RETURNING id, xmax = 0 AS is_new`;
  const ids = (isNew: boolean) => rows.flatMap((row) => (row.is_new === isNew ? [row.id] : []));
  await addSteps(trx, ids(true), 'opened');
  await addSteps(trx, ids(false), 'escalated');
  return ids(true).length;
}

/** What an open break rests on now: for one that stays while what it counts comes and goes. */
export async function renewEvidence(trx: Knex, { kind, entity, evidence, cause }: NewBreak): Promise<void> {
  await run(trx)`
    UPDATE breaks SET evidence = ${evidenceText({ evidence, entity })}, cause = ${cause ?? null},
      shared = ${verbatim(sharedOf(kind, evidence))}
    WHERE kind = ${kind} AND entity_kind = ${entity.kind} AND entity_id = ${entity.id} AND status IN ('open', 'acknowledged')`;
}

/** Closes open breaks of which a later observation showed that they are gone. Returns how many. */
export async function autoResolveBreaks(trx: Knex, gone: BreakRef[], note: string | null = null): Promise<number> {
  if (gone.length === 0) return 0;
  const ids = await columnOf<string>(trx)`
    WITH gone AS (
      SELECT break.id FROM (SELECT DISTINCT * FROM ${tableOf('gone', gone, refColumns)} ORDER BY kind, entity_kind, entity_id) AS gone
      CROSS JOIN LATERAL (
        SELECT id FROM breaks WHERE (kind, entity_kind, entity_id) = (gone.kind, gone.entity_kind, gone.entity_id)
          AND status IN ('open', 'acknowledged') FOR UPDATE) AS break
    )
    UPDATE breaks AS break SET status = 'auto_resolved', resolved_at = now()
    FROM gone WHERE break.id = gone.id RETURNING break.id`;
  await addSteps(trx, ids, 'auto_resolved', note);
  return ids.length;
}

/** Those of them that are open. */
export async function stillOpen(trx: Knex, refs: BreakRef[]): Promise<BreakRef[]> {
  if (refs.length === 0) return [];
  const entities = [...new Map(refs.map((ref) => [`${ref.entity.kind} ${ref.entity.id}`, ref])).values()];
  const { entity_kind, entity_id } = refColumns;
  const rows = await rowsOf<RefRow>(trx)`
    SELECT break.kind, break.entity_kind, break.entity_id
    FROM ${tableOf('asked', entities, { entity_kind, entity_id })}
    JOIN breaks AS break USING (entity_kind, entity_id) WHERE break.status IN ('open', 'acknowledged')`;
  const open = new Set(rows.map(rowKey));
  return refs.filter((ref) => open.has(keyOf(ref)));
}

/** Without those that a person resolved or wrote off: what was decided stays decided, though its cause lasts. */
export async function withoutDecided(db: Knex, breaks: NewBreak[]): Promise<NewBreak[]> {
  if (breaks.length === 0) return [];
  const rows = await rowsOf<RefRow>(db)`
    SELECT DISTINCT kind, entity_kind, entity_id FROM breaks
    WHERE status IN ('resolved', 'written_off')
      AND (kind, entity_kind, entity_id) IN (SELECT * FROM ${tableOf('given', breaks, refColumns)})`;
  const decided = new Set(rows.map(rowKey));
  return breaks.filter((wanted) => !decided.has(keyOf(wanted)));
}

interface RefRow {
  kind: string;
  entity_kind: string;
  entity_id: string;
}

const refColumns = {
  kind: 'text',
  entity_kind: ['text', ({ entity }: BreakRef) => entity.kind],
  entity_id: ['text', ({ entity }: BreakRef) => entity.id],
} as const;

const rowKey = ({ kind, entity_kind, entity_id }: RefRow): string => `${kind} ${entity_kind} ${entity_id}`;

async function addSteps(trx: Knex, ids: string[], action: string, note: string | null = null): Promise<void> {
  if (ids.length === 0) return;
  await run(trx)`
    INSERT INTO break_steps (break_id, action, actor, note) SELECT unnest(${ids}::bigint[]), ${action}, ${AUTOMATIC}, ${note}`;
}

function evidenceText({ evidence, entity }: Pick<NewBreak, 'evidence' | 'entity'>): Verbatim {
  return verbatim(toJsonText(maskEvidence(evidence, entity.kind)));
}

const keyOf = ({ kind, entity }: BreakRef): string => `${kind} ${entity.kind} ${entity.id}`;
