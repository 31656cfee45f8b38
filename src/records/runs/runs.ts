import type { Knex } from 'knex';
import { type Run, runShape } from '../../domain/views/proof-shapes.js';
import { AppError } from '../../errors.js';
import { jsonbText } from '../database/database-text.js';
import { type Filters, given, type Page, type PageQuery, pageById, viewById, within } from '../database/paging.js';
import type { Trx } from '../database/statements.js';
import { asColumns, type RowOf, viewOf } from '../database/view-of.js';

export interface RunTally {
  calls: number;
  seen: number;
  changed: number;
  breaksOpened: number;
}

export const newTally = (): RunTally => ({ calls: 0, seen: 0, changed: 0, breaksOpened: 0 });

/** The run's row is no longer `running`: another process took it for dead. Nothing may be written in its name. */
class RunLostError extends AppError {
  readonly code = 'run_lost';
}

type RunRow = RowOf<Omit<Run, 'id' | 'seen' | 'changed'>> & { id: string; seen: string; changed: string };

/** Opens a run. The caller holds the lock of the kind, so whatever still says `running` is dead: it becomes `aborted`. */
export async function startRun(
  db: Knex,
  kind: string,
  full: boolean,
  now: Date,
): Promise<{ id: string; orphaned: string[] }> {
  return db.transaction(async (trx) => {
    const dead = await trx<RunRow>('runs')
      .where({ kind, status: 'running' })
      .update({ status: 'aborted', finished_at: now, error: 'the process that ran it went away' })
      .returning('id');
    const [row] = await trx<RunRow>('runs')
      .insert({ kind, full, started_at: now, heartbeat_at: now } as never)
      .returning('id');
    if (!row) throw new Error('the run row was not inserted');
    return { id: row.id, orphaned: dead.map(({ id }) => id) };
  });
}

/**
 * The fence: every transaction that writes in a run's name begins here. Holds the row until the commit, so nobody can
 * declare the run dead in between, and says how far it is. Throws RunLostError when it no longer runs.
 */
export async function holdRun(trx: Trx, id: string, tally: RunTally, now: Date): Promise<void> {
  const held = await trx('runs')
    .where({ id, status: 'running' })
    .update({ calls: tally.calls, seen: tally.seen, heartbeat_at: now });
  if (held === 0) throw new RunLostError(`run ${id} was taken for dead and may not write any more`);
}

/** Closes a run that still runs; a run that was taken for dead stays as it is. */
export async function finishRun(
  db: Knex,
  id: string,
  end: RunTally & Pick<Run, 'complete' | 'proof' | 'error'> & { status: Exclude<Run['status'], 'running'>; now: Date },
): Promise<Run> {
  const { now, proof, ...fields } = end;
  const [ended]: RunRow[] = await db('runs')
    .where({ id, status: 'running' })
    .update({ ...asColumns(fields), proof: jsonbText(proof), finished_at: now, heartbeat_at: now })
    .returning('*');
  const run = ended === undefined ? await getRun(db, id) : toRun(ended);
  if (!run) throw new Error(`run ${id} has no row`);
  return run;
}

/** `full` and `complete`: `true` or `false`. */
export type RunFilters = Filters<'kind' | 'status' | 'full' | 'complete'>;

/** Runs, newest first. */
export async function listRuns(db: Knex, query: PageQuery & RunFilters): Promise<Page<Run>> {
  const { full, complete } = query;
  const rows = db('runs').where(given(query, 'kind', 'status'));
  if (full !== undefined) void rows.whereRaw(full === 'true' ? '"full"' : 'NOT "full"');
  if (complete !== undefined) void rows.whereRaw(complete === 'true' ? 'complete' : 'NOT complete');
  return pageById(within(rows, query, 'started_at'), query, toRun);
}

export const getRun = async (db: Knex, id: string): Promise<Run | null> => viewById(db('runs'), id, toRun);

const toRun = (row: RunRow): Run => viewOf(runShape, row, { seen: Number(row.seen), changed: Number(row.changed) });
