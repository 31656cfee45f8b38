import { severityOf } from '../domain/break.js';
import type { JsonObject } from '../domain/json.js';
import type { NewBreak } from '../records/breaks.js';
import type { FinishedEvent, WaitingEvent } from '../records/inbox-work.js';
import { type ObservedEvent, observeEvent } from './observe-event.js';
import { parseEnvelope } from './parse-envelope.js';

/** A stored event with all that follows from it. */
export interface ReadEvent extends FinishedEvent, Pick<WaitingEvent, 'key' | 'type'>, ObservedEvent {
  data: JsonObject;
  breaks: NewBreak[];
}

/**
 * What is to be saved of a stored event, and how it ends. `applied`: something was read off it, or asked for.
 * `unhandled`: its type is not kept here, or nothing of it could be read; then `error` says why and a break is open.
 * Throws where the stored body is none that the receiver accepts.
 */
export function readEvent(event: WaitingEvent): ReadEvent {
  const { id, key, type } = event;
  const data = dataOf(event.body);
  const observed = observeEvent({ ...event, data });
  const read = observed.observations.some((observation) => observation.type === 'claim');
  const unread = !observed.handled || (observed.problems.length > 0 && !read);
  const error = observed.problems.map(({ path, detail }) => `data${path}: ${detail}`).join('; ');
  return {
    ...observed,
    id,
    key,
    type,
    data,
    status: unread ? 'unhandled' : 'applied',
    error: error === '' ? null : error.slice(0, 300),
    breaks: violations(event, observed),
  };
}

/** The `data` of an envelope that was checked when it came in. */
export function dataOf(body: Buffer): JsonObject {
  const parsed = parseEnvelope(body);
  if (!parsed.ok) throw new TypeError(`the stored body: ${parsed.detail}`);
  return parsed.envelope.data;
}

function violations({ id, type }: WaitingEvent, { problems }: ObservedEvent): NewBreak[] {
  if (problems.length === 0) return [];
  return [
    {
      kind: 'contract_violation',
      severity: severityOf('contract_violation', true),
      entity: { kind: 'event', id },
      evidence: { eventType: type, unapplied: problems.map(({ path, detail }) => ({ path: `/data${path}`, detail })) },
    },
  ];
}
