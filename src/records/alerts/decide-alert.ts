import type { Knex } from 'knex';
import { silenceRefusal } from '../../domain/alerts/condition.js';
import type { AlertView } from '../../domain/views/operation-shapes.js';
import { recordAction } from '../actions/record-action.js';
import { isRowId, viewById } from '../database/paging.js';
import { overNow } from './over-now.js';
import { type AlertRow, alertOf } from './settle-alerts.js';

export async function getAlert(db: Knex, id: string, now = new Date()): Promise<AlertView | null> {
  const isOver = await overNow(db, now);
  return viewById(db('alerts'), id, (row: AlertRow) => alertOf(row, isOver(row)));
}

/** `silence`: until when nothing more of it is sent. */
export type AlertDecision = 'acknowledge' | { silence: Date };

export type DecideAlertResult =
  | { outcome: 'done'; alert: AlertView }
  /** It does not fire: nothing is changed. */
  | { outcome: 'not_firing'; alert: AlertView }
  /** A silence that may not be. */
  | { outcome: 'refused'; why: string }
  | { outcome: 'not_found' };

/** What a person says of an alert that fires; who it was, and why, is kept with it. */
export async function decideAlert(
  db: Knex,
  id: string,
  decision: AlertDecision,
  { actor, note, now = new Date() }: { actor: string; note: string | null; now?: Date },
): Promise<DecideAlertResult> {
  if (!isRowId(id)) return { outcome: 'not_found' };
  const isOver = await overNow(db, now);
  return db.transaction(async (trx) => {
    const row = await trx<AlertRow>('alerts').where({ id }).forUpdate().first();
    if (row === undefined) return { outcome: 'not_found' };
    const { name, subject, severity } = row;
    const silence = decision === 'acknowledge' ? null : decision.silence;
    const until = silence === null ? {} : { until: Number.isNaN(silence.getTime()) ? null : silence.toISOString() };
    const about = {
      actor,
      action: silence === null ? 'acknowledge alert' : 'silence alert',
      target: `alert ${id}`,
      reason: note,
      details: { name, subject, ...until },
    };
    const why = silence === null ? null : silenceRefusal(silence, now);
    const isFiring = row.fired_at !== null && row.resolved_at === null;
    if (why !== null || !isFiring) {
      await recordAction(trx, { ...about, outcome: 'refused' });
      return why === null ? { outcome: 'not_firing', alert: alertOf(row, isOver(row)) } : { outcome: 'refused', why };
    }
    const changed =
      silence === null
        ? { acknowledged_at: now, acknowledged_by: actor }
        : { silenced_at: now, silenced_until: silence, silenced_by: actor, silenced_severity: severity };
    const [after = row] = await trx<AlertRow>('alerts').where({ id }).update(changed).returning('*');
    await recordAction(trx, { ...about, outcome: 'done' });
    return { outcome: 'done', alert: alertOf(after, isOver(after)) };
  });
}
