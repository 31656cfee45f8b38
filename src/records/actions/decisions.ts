import type { Knex } from 'knex';
import type { GatedAction } from '../../domain/two-people.js';
import { type DecisionView, decisionDetailShape, decisionShape } from '../../domain/views/operation-shapes.js';
import {
  type Filters,
  given,
  isRowId,
  type Page,
  type PageQuery,
  pageById,
  viewById,
  within,
} from '../database/paging.js';
import { firstOf, rowOf, rowsOf, type Trx } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';

/** `input`: canonical JSON. `seen`: a hash of the facts behind the preview. */
export type DecisionRow = RowOf<DecisionView> & { input: string; seen: string };

export interface DecisionFilters extends Filters<'state' | 'action' | 'askedBy' | 'decidedBy'> {
  /** Only those that wait no more. */
  isOver?: boolean;
}

/** Newest first, paged by key. Throws `CursorError`. */
export async function listDecisions(db: Knex, query: PageQuery & DecisionFilters): Promise<Page<DecisionView>> {
  const rows = db('decisions').where(given(query, 'state', 'action', 'askedBy', 'decidedBy'));
  if (query.isOver === true) void rows.whereNot({ state: 'waiting' });
  return pageById(within(rows, query, 'asked_at'), query, decisionOf);
}

/** Of these ids, as far as there are such. */
export async function statesOf(db: Knex, ids: readonly string[]): Promise<Map<string, DecisionView['state']>> {
  const rows = await db<DecisionRow>('decisions').whereIn('id', ids.filter(isRowId)).select('id', 'state');
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** With what was asked for, in full. */
export async function getDecision(db: Knex, id: string) {
  return viewById(db('decisions'), id, (row: DecisionRow) =>
    viewOf(decisionDetailShape, row, { input: JSON.parse(row.input) }),
  );
}

export const decisionOf = (row: DecisionRow): DecisionView => viewOf(decisionShape, row);

export type NewDecision = Pick<DecisionRow, 'subject' | 'input' | 'seen' | 'preview' | 'reason' | 'asked_by'> & {
  action: GatedAction;
};

/** `sha256`: what the action of asking has to say. */
export async function insertDecision(trx: Trx, asked: NewDecision): Promise<{ row: DecisionRow; sha256: string }> {
  const [row] = await trx<DecisionRow>('decisions').insert(asked).returning('*');
  if (row === undefined) throw new Error('a decision was not kept');
  const { sha256 } = await rowOf<{ sha256: string }>(trx)`
    SELECT decision_hash(decisions) AS sha256 FROM decisions WHERE id = ${row.id}`;
  return { row, sha256 };
}

/** The one that waits for the same, locked. */
export async function waitingFor(
  trx: Trx,
  { action, input }: Pick<NewDecision, 'action' | 'input'>,
): Promise<DecisionRow | undefined> {
  return trx<DecisionRow>('decisions')
    .where({ action, state: 'waiting' })
    .whereRaw('md5(input) = md5(?)', [input])
    .forUpdate()
    .first();
}

export async function lockDecision(trx: Trx, id: string): Promise<DecisionRow | undefined> {
  return isRowId(id) ? trx<DecisionRow>('decisions').where({ id }).forUpdate().first() : undefined;
}

type Decided = Pick<DecisionRow, 'state' | 'note' | 'outcome'> & { decided_by: string };

export async function saveDecided(trx: Trx, id: string, decided: Decided): Promise<DecisionRow> {
  const [row] = await trx<DecisionRow>('decisions')
    .where({ id })
    .update({ ...decided, decided_at: trx.fn.now() as never })
    .returning('*');
  if (row === undefined) throw new Error(`the decision ${id} is gone`);
  return row;
}

/**
 * Some of what waits about a subject, as `break 7`, the oldest first: a break also among others that are written off together, a month also
 * where a day of it is named: of an attribution, of a rate, of what the bank shows.
 */
export async function decisionsWaitingFor(db: Knex, subject: string): Promise<DecisionView[]> {
  const one = /^break (\d+)$/.exec(subject)?.[1] ?? null;
  const month = /^period (.+)$/.exec(subject)?.[1] ?? null;
  const rows = await rowsOf<DecisionRow>(db)`
    SELECT * FROM decisions WHERE state = 'waiting'
      AND (subject = ${subject} OR position(${month}::text || '-' IN input) > 0 OR action = 'write off break' AND position('"' || ${one}::text || '"' IN input) > 0)
    ORDER BY id LIMIT 20`;
  return rows.map(decisionOf);
}

/** How many wait, and for how long the oldest does. */
export async function waitingDecisions(db: Knex, now: Date): Promise<{ waiting: number; oldestSeconds: number }> {
  const row = await firstOf<{ waiting: number; at: Date | null }>(db)`
    SELECT count(*)::integer AS waiting, min(asked_at) AS at FROM decisions WHERE state = 'waiting'`;
  const at = row?.at ?? null;
  const oldestSeconds = at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
  return { waiting: row?.waiting ?? 0, oldestSeconds };
}
