import type { Knex } from 'knex';
import type { NewBreak } from '../records/breaks/breaks.js';
import { bodiesByKey } from '../records/inbox/inbox-work.js';
import { turnFor } from '../records/own-turn.js';
import { eventKind } from './event-kinds.js';
import { movementId } from './find-movement.js';
import { findSubject } from './find-records.js';
import { envelopeOf, type ReadEvent } from './read-event.js';

/** The key of an event whose id had come before with other content: that of the first, and something behind it. */
const SECOND_KEY = /^(id:[0-9a-f]{64})./;

/**
 * Events that carry the id of an earlier event of their type but name another record: both are applied, and somebody
 * has to know that the service gave one id twice (or that EVENT_ID_POINTER points at something else). A body that was deleted
 * by its age tells nothing: unknown is no collision.
 */
export async function findCollisions(trx: Knex.Transaction, events: ReadEvent[]): Promise<NewBreak[]> {
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
  if (!about.isMovement) return findSubject(about.kind, data);
  const id = movementId(data);
  return id === null ? null : { id };
}
