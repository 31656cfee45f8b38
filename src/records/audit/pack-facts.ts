import type { Knex } from 'knex';
import { fromJsonText, type Json } from '../../domain/json.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { type BreakStep, breakStepShape } from '../../domain/views/proof-shapes.js';
import { getAction } from '../actions/list-actions.js';
import type { BreakRow } from '../breaks/list-breaks.js';
import { firstOf, rowsOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';
import type { LogName } from './sealed-logs.js';

/** What people did when they closed the month last; null: it is not closed. */
export async function closingAction(db: Knex, month: string): Promise<ActionView | null> {
  const row = await firstOf<{ id: string }>(db)`
    SELECT id FROM actions WHERE action = 'close period' AND target = ${`period ${month}`} AND outcome = 'done'
      AND EXISTS (SELECT FROM periods WHERE month = ${month} AND status = 'closed') ORDER BY id DESC LIMIT 1`;
  return row === undefined ? null : getAction(db, row.id);
}

/** Months that were closed within a day and whose closing is sealed, with the seal of it. */
export async function closedHeads(
  db: Knex,
): Promise<{ month: string; closing: number; actor: string; number: string; hash: string }[]> {
  return rowsOf<{ month: string; closing: number; actor: string; number: string; hash: string }>(db)`
    SELECT month, closings AS closing, closed_by AS actor, seal.number::text AS number, seal.hash FROM periods
    CROSS JOIN LATERAL (
      SELECT id FROM actions WHERE action = 'close period' AND outcome = 'done' AND target = 'period ' || month ORDER BY id DESC LIMIT 1
    ) AS closed
    CROSS JOIN LATERAL (
      SELECT number, hash FROM seals WHERE log = 'actions' AND until >= closed.id ORDER BY seals.number LIMIT 1
    ) AS seal
    WHERE status = 'closed' AND closed_at > now() - interval '1 day' ORDER BY month`;
}

/** The number of the seal of a row; null: it is not sealed. */
export async function sealOf(db: Knex, log: LogName, place: string): Promise<string | null> {
  const row = await db('seals').where({ log }).where('until', '>=', place).orderBy('number').first('number');
  return row === undefined ? null : String(row.number);
}

/** The first seal that was made since; null: there is none. */
export async function firstSealSince(db: Knex, since: Date): Promise<string | null> {
  const row = await db('seals').where('sealed_at', '>=', since).orderBy('number').first('number');
  return row === undefined ? null : String(row.number);
}

/** Up to here the rows of a log are sealed by the seals up to a number. */
export async function sealedUntil(db: Knex, log: LogName, seal: string): Promise<string> {
  const row = await db('seals').where({ log }).where('number', '<=', seal).orderBy('number', 'desc').first('until');
  return String(row?.until ?? '0');
}

export interface PackedBreak {
  id: string;
  kind: string;
  entity: { kind: string; id: string };
  /** By its last step of then. */
  status: string;
  /** Null where it became more severe since: what was known before is not kept. */
  severity: string | null;
  evidence: Json;
  steps: BreakStep[];
}

type StepRow = RowOf<BreakStep> & { id: string; break_id: string };

const CHUNK = 200;
const CLOSED = ['resolved', 'written_off', 'auto_resolved'];

/** Breaks that were open at some time since, with their history up to a step. */
export async function* breaksUntil(
  db: Knex,
  { since, lastStep }: { since: Date; lastStep: string },
): AsyncGenerator<PackedBreak[]> {
  for (let after = '0'; ; ) {
    const rows = await db<BreakRow>('breaks').where('id', '>', after).orderBy('id').limit(CHUNK);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const steps = await rowsOf<StepRow>(db)`
      SELECT * FROM break_steps WHERE break_id = ANY (${rows.map(({ id }) => id)}::bigint[]) ORDER BY id`;
    yield rows.flatMap((row) => packedBreak(row, steps, { since, lastStep: BigInt(lastStep) }));
  }
}

function packedBreak(
  row: BreakRow,
  all: StepRow[],
  { since, lastStep }: { since: Date; lastStep: bigint },
): PackedBreak[] {
  const own = all.filter((step) => step.break_id === row.id);
  const steps = own.filter((step) => BigInt(step.id) <= lastStep);
  const newest = steps.at(-1);
  if (newest === undefined || (CLOSED.includes(newest.action) && newest.at < since)) return [];
  const isOther = own.some((step) => BigInt(step.id) > lastStep && step.action === 'escalated');
  return [
    {
      id: row.id,
      kind: row.kind,
      entity: { kind: row.entity_kind, id: row.entity_id },
      status: CLOSED.includes(newest.action) || newest.action === 'acknowledged' ? newest.action : 'open',
      severity: isOther ? null : row.severity,
      evidence: isOther ? null : fromJsonText(row.evidence),
      steps: steps.map((step) => viewOf(breakStepShape, step)),
    },
  ];
}
