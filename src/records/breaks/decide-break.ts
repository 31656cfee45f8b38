import type { Knex } from 'knex';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { recordAction } from '../actions/record-action.js';
import { isRowId } from '../database/row-id.js';
import { type BreakRow, breakView } from './list-breaks.js';

export type BreakDecision = 'acknowledge' | 'resolve' | 'write_off';

export type DecideBreakResult =
  | { outcome: 'done'; break: BreakView }
  /** It was closed before: nothing is changed. */
  | { outcome: 'closed'; break: BreakView }
  | { outcome: 'not_found' };

const statusAfter = { acknowledge: 'acknowledged', resolve: 'resolved', write_off: 'written_off' } as const;

const actionOf = { acknowledge: 'acknowledge break', resolve: 'resolve break', write_off: 'write off break' } as const;

/** What a person decides about a break; who it was and why is kept as a step. */
export async function decideBreak(
  db: Knex,
  id: string,
  decision: BreakDecision,
  { actor, note, now = new Date() }: { actor: string; note: string | null; now?: Date },
): Promise<DecideBreakResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  return db.transaction(async (trx) => {
    const row = await trx<BreakRow>('breaks').where({ id }).forUpdate().first();
    if (row === undefined) return { outcome: 'not_found' };
    const about = { actor, action: actionOf[decision], target: `break ${id}`, reason: note };
    if (row.status !== 'open' && row.status !== 'acknowledged') {
      await recordAction(trx, { ...about, outcome: 'refused', details: { status: row.status } });
      return { outcome: 'closed', break: breakView(row, now) };
    }
    const status = statusAfter[decision];
    const after: BreakRow = { ...row, status, resolved_at: status === 'acknowledged' ? null : now };
    await trx<BreakRow>('breaks').where({ id }).update({ status, resolved_at: after.resolved_at });
    await trx('break_steps').insert({ break_id: id, action: status, actor, note, at: now });
    const details = { kind: row.kind, entity: `${row.entity_kind} ${row.entity_id}` };
    await recordAction(trx, { ...about, outcome: 'done', details });
    return { outcome: 'done', break: breakView(after, now) };
  });
}
