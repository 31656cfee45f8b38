import { setTimeout as delay } from 'node:timers/promises';
import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import type { Knex } from 'knex';
import type { LinkPointers } from '../domain/link-fields.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { openBreaks } from '../records/breaks/breaks.js';
import { describeError, isPassing } from '../records/database/database-errors.js';
import { failEvent, markUnhandled, stillWaiting, takeWaiting } from '../records/inbox/inbox-work.js';
import { type SaveContext, saveObservations } from '../records/save-observations.js';
import { eventLabel } from './event-kinds.js';
import { findCollisions } from './find-collisions.js';
import { type ReadEvent, readEvents } from './read-event.js';

export interface ApplyDeps extends Omit<SaveContext, 'now' | 'secrets'> {
  db: Knex;
  log: Logger;
  now: () => Date;
  metrics: Pick<Metrics, 'eventsApplied'>;
  /** Where the contract finds links in a record. */
  links?: LinkPointers;
}

/** The database could not be used; nothing is lost, and nothing counted against an event. */
class ApplyInterruptedError extends AppError {
  readonly code = 'apply_interrupted';
  override readonly retryable = true;
}

export interface Applied {
  applied: number;
  unhandled: number;
  failed: number;
}

interface Outcome extends Applied {
  /** The rows that this call decided on; the others were done already or in other hands. */
  ids: string[];
}

const NOTHING: Outcome = { applied: 0, unhandled: 0, failed: 0, ids: [] };
/** A row that another transaction holds is looked at again after so long; after that the sweep finds it. */
const HELD_RETRY_MS = [20, 200];
const whilePassing = retry(handleWhen(isPassing), {
  maxAttempts: 5,
  backoff: new ExponentialBackoff({ initialDelay: 20, maxDelay: 500 }),
});

/**
 * Applies stored events to the records, each once in effect; ids that are applied already are passed over. All of them
 * in one transaction, or in as many as it takes to read no more than half a megabyte at once; where that fails, in smaller
 * ones, so that an event that can't be applied fails alone: it is retried later and `dead` in the end. Throws
 * ApplyInterruptedError while the database can't be used.
 */
export async function applyEvents(deps: ApplyDeps, ids: string[]): Promise<Applied> {
  const pauses = [...HELD_RETRY_MS];
  let outcome = NOTHING;
  let left = [...new Set(ids)];
  while (left.length > 0) {
    const round = await applyApart(deps, left);
    outcome = sum(outcome, round);
    const decided = new Set(round.ids);
    const others = left.filter((id) => !decided.has(id));
    left = others.length === 0 ? [] : await stillWaiting(deps.db, others);
    if (left.length === 0 || decided.size > 0) continue;
    const pause = pauses.shift();
    if (pause === undefined) break;
    await delay(pause);
  }
  const { applied, unhandled, failed } = outcome;
  return { applied, unhandled, failed };
}

async function applyApart(deps: ApplyDeps, ids: string[]): Promise<Outcome> {
  try {
    return await applyTogether(deps, ids);
  } catch (error) {
    if (error instanceof ApplyInterruptedError) throw error;
    if (isPassing(error)) throw new ApplyInterruptedError(describeError(error), { cause: error });
    const [first, ...others] = ids;
    if (first === undefined) return NOTHING;
    if (others.length === 0) return fail(deps, first, error);
    const middle = Math.ceil(ids.length / 2);
    return sum(await applyApart(deps, ids.slice(0, middle)), await applyApart(deps, ids.slice(middle)));
  }
}

async function applyTogether(deps: ApplyDeps, ids: string[]): Promise<Outcome> {
  const events = await whilePassing.execute(() => deps.db.transaction((trx) => applyIn(trx, deps, ids)));
  for (const { type, status } of events)
    if (status === 'applied') deps.metrics.eventsApplied.inc({ event: eventLabel(type) });
  const applied = events.filter((event) => event.status === 'applied').length;
  return { applied, unhandled: events.length - applied, failed: 0, ids: events.map((event) => event.id) };
}

/** The story of one batch: take, observe, save; all or nothing. */
async function applyIn(trx: Knex.Transaction, deps: ApplyDeps, ids: string[]): Promise<ReadEvent[]> {
  const taken = await takeWaiting(trx, ids);
  if (taken.length === 0) return [];
  const events = await readEvents(taken, deps.links);
  const secrets = new Map(taken.map(({ id, secretLabel }) => [id, secretLabel ?? '']));
  const saveContext = { ...deps, now: deps.now(), secrets };
  await saveObservations(
    trx,
    events.flatMap((event) => event.observations),
    saveContext,
  );
  const collisions = await findCollisions(trx, events);
  await openBreaks(trx, [...events.flatMap((event) => event.breaks), ...collisions]);
  await markUnhandled(
    trx,
    events.filter(({ status }) => status === 'unhandled'),
  );
  return events;
}

async function fail({ db, log }: ApplyDeps, id: string, error: unknown): Promise<Outcome> {
  const described = describeError(error);
  const failure = await whilePassing.execute(() => failEvent(db, id, described));
  if (failure) log.error({ eventId: id, ...failure, error: described }, 'event not applied');
  return { ...NOTHING, failed: failure ? 1 : 0, ids: [id] };
}

function sum(a: Outcome, b: Outcome): Outcome {
  return {
    applied: a.applied + b.applied,
    unhandled: a.unhandled + b.unhandled,
    failed: a.failed + b.failed,
    ids: [...a.ids, ...b.ids],
  };
}
