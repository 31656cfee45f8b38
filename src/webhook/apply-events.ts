import { setTimeout as delay } from 'node:timers/promises';
import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import type { Knex } from 'knex';
import { CANARY_MARK, type LinkPointers } from '../domain/events/event-key.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { boundReported } from '../records/breaks/bound-reported.js';
import { type NewBreak, openBreaks } from '../records/breaks/breaks.js';
import { describeError, isPassing } from '../records/database/database-errors.js';
import { raw, run, SAVING, type Trx, together } from '../records/database/statements.js';
import { saveEventRecords } from '../records/inbox/event-records.js';
import { bodiesByKey, failEvent, markUnhandled, stillWaiting, takeWaiting } from '../records/inbox/inbox-work.js';
import { turnFor } from '../records/own-turn.js';
import { saveObservations } from '../records/saving/save-observations.js';
import type { SaveContext } from '../records/stored-record.js';
import { eventKind, eventLabel, findSubject, transactionId } from './find-records.js';
import { envelopeOf, type ReadEvent, readEvents } from './observe-event.js';

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
/** A row that another transaction holds is tried again after so long; after that the inbox scan finds it. */
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
  const read: ReadEvent[] = [];
  try {
    return await applyTogether(deps, ids, read);
  } catch (error) {
    if (error instanceof ApplyInterruptedError) throw error;
    if (isPassing(error)) throw new ApplyInterruptedError(describeError(error), { cause: error });
    const [first, ...others] = ids;
    if (first === undefined) return NOTHING;
    if (others.length === 0) return fail(deps, { id: first, read }, error);
    const middle = Math.ceil(ids.length / 2);
    return sum(await applyApart(deps, ids.slice(0, middle)), await applyApart(deps, ids.slice(middle)));
  }
}

/** `read`: gets the events, also where they can't be applied. */
async function applyTogether(deps: ApplyDeps, ids: string[], read: ReadEvent[]): Promise<Outcome> {
  const events = await whilePassing.execute(() => deps.db.transaction((trx) => applyIn(trx, deps, { ids, read })));
  for (const { type, status, mark } of events)
    if (status === 'applied' && mark !== CANARY_MARK) deps.metrics.eventsApplied.inc({ event: eventLabel(type) });
  const applied = events.filter((event) => event.status === 'applied').length;
  return { applied, unhandled: events.length - applied, failed: 0, ids: events.map((event) => event.id) };
}

/** The story of one batch: take, observe, save; all or nothing. */
async function applyIn(
  trx: Trx,
  deps: ApplyDeps,
  { ids, read }: { ids: string[]; read: ReadEvent[] },
): Promise<ReadEvent[]> {
  const [, taken] = await together(run(trx)`${raw(SAVING)}`, takeWaiting(trx, ids));
  if (taken.length === 0) return [];
  const events = await readEvents(taken, deps.links);
  read.splice(0, read.length, ...events);
  const secrets = new Map(taken.map(({ id, secretLabel }) => [id, secretLabel ?? '']));
  const saveContext = { ...deps, now: deps.now(), secrets };
  const observed = events.flatMap((event) => event.observations);
  await together(saveEventRecords(trx, events), saveObservations(trx, observed, saveContext));
  const collisions = await findCollisions(trx, events);
  const found = events.flatMap((event) => event.breaks);
  await openBreaks(trx, [...(await boundReported(trx, found)), ...collisions]);
  const unhandled = events.filter(({ status }) => status === 'unhandled');
  await markUnhandled(trx, unhandled);
  return events;
}

/** Which records it names is kept all the same, as far as it could be read. */
async function fail(
  { db, log }: ApplyDeps,
  { id, read }: { id: string; read: ReadEvent[] },
  error: unknown,
): Promise<Outcome> {
  const described = describeError(error);
  const failure = await whilePassing.execute(() => failEvent(db, id, described));
  await whilePassing.execute(() => saveEventRecords(db, read));
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

/** The key of an event whose id had come before with other content: that of the first, and something behind it. */
const SECOND_KEY = /^(id:[0-9a-f]{64})./;

/**
 * Events that carry the id of an earlier event of their type but name another record: both are applied, and somebody
 * has to know that the service gave one id twice (or that EVENT_ID_POINTER points at something else). A body that was deleted
 * by its age says nothing: unknown is no collision.
 */
export async function findCollisions(trx: Trx, events: ReadEvent[]): Promise<NewBreak[]> {
  const seconds = events.flatMap((event) => {
    const first = SECOND_KEY.exec(event.key)?.[1];
    return first === undefined || event.mark !== null ? [] : [{ event, first }];
  });
  const collisions: NewBreak[] = [];
  for await (const other of bodiesByKey(trx, [...new Set(seconds.map(({ first }) => first))])) {
    await turnFor(other.body);
    const { data, mark } = envelopeOf(other.body);
    if (mark !== null) continue;
    for (const { event } of seconds.filter(({ first }) => first === other.key)) {
      const ours = subjectOf(event.type, event.data);
      const theirs = subjectOf(event.type, data);
      if (ours?.id !== theirs?.id) collisions.push(collision(event, ours, { id: other.id, subject: theirs }));
    }
  }
  return collisions;
}

type Subject = { id: string } | null;

function collision(event: ReadEvent, ours: Subject, earlier: { id: string; subject: Subject }): NewBreak {
  return {
    kind: 'id_collision',
    entity: { kind: 'event', id: event.id },
    evidence: {
      eventType: event.type,
      record: ours?.id ?? null,
      earlierEvent: earlier.id,
      earlierRecord: earlier.subject?.id ?? null,
    },
  };
}

function subjectOf(type: string, data: ReadEvent['data']): Subject {
  const about = eventKind(type);
  if (about === null) return null;
  if (!about.isTransaction) return findSubject(about.kind, data);
  const id = transactionId(data);
  return id === null ? null : { id };
}
