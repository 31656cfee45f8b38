import type { Knex } from 'knex';
import type { Trx } from '../database/statements.js';
import { deleteKeys } from './delete-rows.js';

/** After so long a pass reads everything again: an event that was dead may have been applied since. */
const WHOLE_PASS_MS = 7 * 86_400_000;

interface Row {
  task: string;
  place: string | null;
  cutoff: Date;
  done: string;
  whole_at: Date;
  started_at: Date;
  finished_at: Date | null;
}

export interface Pass {
  place: string | null;
  /** No earlier than that of the pass before, unless the days were lengthened: then what is younger is kept from now on. */
  cutoff: Date;
}

/** Begins a pass, or goes on with one that was cut short. */
export async function beginPass(db: Knex, task: string, { cutoff, now }: { cutoff: Date; now: Date }): Promise<Pass> {
  const known = await db<Row>('retention').where({ task }).first();
  const isWhole =
    known === undefined || known.place === null || now.getTime() - known.whole_at.getTime() > WHOLE_PASS_MS;
  const place = isWhole ? null : known.place;
  const reached = known === undefined || known.cutoff < cutoff ? cutoff : known.cutoff;
  const row = { place, cutoff: reached, started_at: now, finished_at: null, whole_at: isWhole ? now : known.whole_at };
  await db('retention')
    .insert({ task, ...row })
    .onConflict('task')
    .merge({ ...row, finished_at: known?.finished_at ?? null });
  return { place, cutoff };
}

/** In the transaction of the step. */
export async function notePlace(trx: Trx, task: string, place: string | null, done: number): Promise<void> {
  await trx('retention')
    .where({ task })
    .update({ place, done: trx.raw('done + ?', [done]) });
}

export async function endPass(db: Knex, task: string, end: { place: string | null; now: Date }): Promise<void> {
  await db('retention').where({ task }).update({ place: end.place, finished_at: end.now });
}

/** Before this moment keys of events may be gone; null: none was ever deleted by its age. */
export async function keysGoneBefore(db: Knex): Promise<Date | null> {
  const row = await db<Row>('retention').where({ task: deleteKeys.name }).where('done', '>', '0').first('cutoff');
  return row?.cutoff ?? null;
}

/** The row that stands for all tasks together. */
export const EVERYTHING = 'everything';

export interface RetentionState {
  /** When a pass last came to the end of every task; null: none has yet. */
  finishedAt: Date | null;
  /** Tasks whose newest pass has not come to its end. */
  unfinished: string[];
}

export async function retentionState(db: Knex): Promise<RetentionState> {
  const rows = await db<Row>('retention').orderBy('task');
  const isUnfinished = ({ started_at, finished_at }: Row) => finished_at === null || finished_at < started_at;
  const unfinished = rows.filter(isUnfinished).map(({ task }) => task);
  return {
    finishedAt: rows.find(({ task }) => task === EVERYTHING)?.finished_at ?? null,
    unfinished: unfinished.filter((task) => task !== EVERYTHING),
  };
}
