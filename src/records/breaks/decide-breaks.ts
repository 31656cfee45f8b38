import type { Knex } from 'knex';
import type { MoneyOfBreaks } from '../../domain/breaks/money-once.js';
import { grouped } from '../../domain/grouped.js';
import { compareText } from '../../domain/record-state.js';
import type { BreakView, LeftOut } from '../../domain/views/proof-shapes.js';
import { type Approval, recordAction } from '../actions/record-action.js';
import { isRowId } from '../database/paging.js';
import { columnOf, rowsOf, type Trx } from '../database/statements.js';
import { moneyOfBreaks } from './break-money.js';
import {
  type BreakRow,
  breakView,
  type CauseRange,
  chosen,
  isClosed,
  listBreaks,
  ofCause,
  UNCLOSED,
} from './list-breaks.js';
import { EVIDENCE_HASH } from './said-state.js';

/** What one decision is about: these breaks, a cause, or of a cause those of these that it still has. */
export type Asked = { ids: readonly string[]; cause?: CauseRange } | { ids?: undefined; cause: CauseRange };

interface Choice {
  /** What can be decided; as many as one decision may be about, and one more. */
  ids: string[];
  left: LeftOut[];
}

export interface DecisionPreview extends Choice {
  isTooMuch: boolean;
  /** The newest of them. */
  items: BreakView[];
  /** Empty where it is too much. */
  money: MoneyOfBreaks[];
}

/** So many at once. */
export const MOST_DECIDED = 1_000;
/** So many are listed. */
export const MOST_SHOWN = 100;

/** What a decision would be about, before anything is done. */
export async function previewDecision(db: Knex, asked: Asked, now = new Date()): Promise<DecisionPreview> {
  const { ids, left } = await choose(db, asked, now);
  const isTooMuch = ids.length > MOST_DECIDED;
  const { items } = await listBreaks(db, { ids, take: MOST_SHOWN }, now);
  return { ids, left, isTooMuch, items, money: isTooMuch ? [] : await moneyOfBreaks(db, ids) };
}

export interface DecisionResult {
  /** Those that were decided. */
  ids: string[];
  left: LeftOut[];
  /** Of more than `MOST_DECIDED` nothing is decided. */
  isTooMuch: boolean;
}

/** Decides what can be decided, all of it or nothing, in one transaction. */
export async function decideAsked(
  db: Knex,
  asked: Asked,
  decision: BreakDecision,
  about: Decided,
): Promise<DecisionResult> {
  return db.transaction(async (trx) => {
    const { ids, left } = await choose(trx, asked, about.now ?? new Date());
    if (ids.length > MOST_DECIDED) return { ids: [], left, isTooMuch: true };
    const done: string[] = [];
    // In one order, so that two who decide at once wait for each other.
    for (const id of ids.toSorted((a, b) => a.length - b.length || compareText(a, b))) {
      const { outcome } = await decideIn(trx, id, decision, about);
      if (outcome === 'done') done.push(id);
    }
    // What another person closed meanwhile.
    const late = done.length === ids.length ? [] : (await choose(trx, { ids }, new Date())).left;
    return { ids: done, left: [...left, ...late], isTooMuch: false };
  });
}

const whyLeft: Readonly<Record<LeftOut['why'], string>> = {
  resolved: 'resolved',
  written_off: 'written off',
  auto_resolved: 'resolved by itself',
  other_cause: 'of another cause by now',
  not_found: 'not there',
};

/** What is left as it is, and why; empty where nothing is. */
export function leftWords(left: readonly LeftOut[]): string {
  if (left.length === 0) return '';
  return `Left out: ${left.map(({ why, count }) => `${count} ${whyLeft[why]}`).join(', ')}.`;
}

async function choose(db: Knex, { ids: given, cause }: Asked, now: Date): Promise<Choice> {
  const own = cause === undefined ? null : await idsOf(db, cause, now);
  if (given === undefined) return { ids: own ?? [], left: await closedOf(db, cause, now) };
  const asked = [...new Set(given)];
  const rows = await rowsOf<{ id: string; status: BreakView['status'] }>(db)`
    SELECT id, status FROM breaks WHERE id = ANY (${asked.filter(isRowId)}::bigint[])`;
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  const ofIt = new Set(own);
  const whyNot = (id: string): LeftOut['why'] | null => {
    const status = statuses.get(id);
    if (status === undefined) return 'not_found';
    if (status !== 'open' && status !== 'acknowledged') return status;
    return own === null || ofIt.has(id) ? null : 'other_cause';
  };
  const without = asked.flatMap((id) => ({ id, why: whyNot(id) })).filter(isLeft);
  return {
    ids: asked.filter((id) => whyNot(id) === null),
    left: [...grouped(without, ({ why }) => why)].map(([why, some]) => ({
      why,
      count: some.length,
      first: some[0]?.id ?? null,
    })),
  };
}

const isLeft = (one: { id: string; why: LeftOut['why'] | null }): one is { id: string; why: LeftOut['why'] } =>
  one.why !== null;

async function idsOf(db: Knex, cause: CauseRange, now: Date): Promise<string[]> {
  return chosen(db, ofCause(cause), now)
    .orderBy('id')
    .limit(MOST_DECIDED + 1)
    .pluck('id');
}

/** Of what came together, what was closed before, by how. */
async function closedOf(db: Knex, cause: CauseRange, now: Date): Promise<LeftOut[]> {
  const rows: { why: Exclude<LeftOut['why'], 'other_cause' | 'not_found'>; count: number }[] = await chosen(
    db,
    { ...ofCause(cause), unclosed: false },
    now,
  )
    .whereNotIn('status', UNCLOSED)
    .groupBy('status')
    .orderBy('status')
    .select('status AS why', db.raw('count(*)::integer AS count'));
  return rows.map((row) => ({ ...row, first: null }));
}

/** What a decision about these rests on, by id. */
export async function breakFacts(db: Knex, ids: readonly string[]): Promise<BreakRow[]> {
  return db<BreakRow>('breaks').whereIn('id', ids).orderBy('id');
}

export type BreakDecision = 'acknowledge' | 'resolve' | 'write_off' | { owner: string | null };

export type DecideBreakResult =
  | { outcome: 'done'; break: BreakView }
  /** It was closed before: nothing is changed. */
  | { outcome: 'closed'; break: BreakView }
  | { outcome: 'not_found' };

interface Decided {
  actor: string;
  note: string | null;
  approval?: Approval | undefined;
  now?: Date;
}

/** What a person decides about a break; who it was and why is kept as a step. */
export async function decideBreak(
  db: Knex,
  id: string,
  decision: BreakDecision,
  about: Decided,
): Promise<DecideBreakResult> {
  return db.transaction((trx) => decideIn(trx, id, decision, about));
}

const statusAfter = { acknowledge: 'acknowledged', resolve: 'resolved', write_off: 'written_off' } as const;

const actionOf = { acknowledge: 'acknowledge break', resolve: 'resolve break', write_off: 'write off break' } as const;

async function decideIn(
  trx: Trx,
  id: string,
  decision: BreakDecision,
  { actor, note, approval, now = new Date() }: Decided,
): Promise<DecideBreakResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  const row = await trx<BreakRow>('breaks').where({ id }).forUpdate().first();
  if (row === undefined) return { outcome: 'not_found' };
  const action = typeof decision === 'string' ? actionOf[decision] : 'assign break';
  const about = { actor, action, target: `break ${id}`, reason: note, approval };
  if (isClosed(row)) {
    await recordAction(trx, { ...about, outcome: 'refused', details: { status: row.status } });
    return { outcome: 'closed', break: breakView(row, now) };
  }
  const after = changed(row, decision, { actor, now });
  const { status, resolved_at, owner } = after;
  await trx<BreakRow>('breaks').where({ id }).update({ status, resolved_at, owner });
  const step = typeof decision === 'string' ? status : owner === null ? 'unassigned' : `assigned to ${owner}`;
  await trx('break_steps').insert({ break_id: id, action: step, actor, note, at: now });
  const named = { kind: row.kind, entity: `${row.entity_kind} ${row.entity_id}`, owner };
  const details = decision === 'write_off' ? { ...named, evidence: await evidenceHash(trx, id) } : named;
  await recordAction(trx, { ...about, outcome: 'done', details });
  return { outcome: 'done', break: breakView(after, now) };
}

/** What was written off is held to it from then on. */
async function evidenceHash(trx: Trx, id: string): Promise<string | undefined> {
  const [hash] = await columnOf<string>(trx)`SELECT ${EVIDENCE_HASH} FROM breaks WHERE id = ${id}`;
  return hash;
}

/** Who acknowledges a break that nobody has is at it. */
function changed(row: BreakRow, decision: BreakDecision, { actor, now }: { actor: string; now: Date }): BreakRow {
  if (typeof decision !== 'string') return { ...row, owner: decision.owner };
  const status = statusAfter[decision];
  if (status === 'acknowledged') return { ...row, status, resolved_at: null, owner: row.owner ?? actor };
  return { ...row, status, resolved_at: now };
}
