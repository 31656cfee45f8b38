import { severityOf } from '../domain/break.js';
import type { JsonObject } from '../domain/json.js';
import type { LinkPointers } from '../domain/link-fields.js';
import type { NewBreak } from '../records/breaks/breaks.js';
import type { UnhandledEvent, WaitingEvent } from '../records/inbox/inbox-work.js';
import { type EventProblem, type ObservedEvent, observeEvent } from './observe-event.js';
import { type Envelope, parseEnvelope } from './parse-envelope.js';

const MAX_ERROR_LENGTH = 300;

/** A stored event with all that follows from it. */
export interface ReadEvent extends UnhandledEvent, Pick<WaitingEvent, 'key' | 'type'>, ObservedEvent {
  status: 'applied' | 'unhandled';
  data: JsonObject;
  mark: Envelope['mark'];
  breaks: NewBreak[];
}

/**
 * What is to be saved of a stored event, and how it ends. `applied`: all of it was read off, or asked for.
 * `unhandled`: its type is not kept here, or something in it breaks the specification; then `error` says what.
 * Throws where the stored body is none that the receiver accepts.
 */
export function readEvent(event: WaitingEvent, links?: LinkPointers): ReadEvent {
  const { id, key, type } = event;
  const { data, mark } = envelopeOf(event.body);
  const observed = observeEvent({ ...event, data, mark }, links);
  const error = observed.problems.map(({ path, detail }) => `data${path}: ${detail}`).join('; ');
  return {
    ...observed,
    id,
    key,
    type,
    data,
    mark,
    status: observed.handled && error === '' ? 'applied' : 'unhandled',
    error: error === '' ? null : error.slice(0, MAX_ERROR_LENGTH),
    breaks: observed.problems.flatMap((problem) => violation(event, problem)),
  };
}

/** An envelope that was checked when it came in. */
export function envelopeOf(body: Buffer): Envelope {
  const parsed = parseEnvelope(body);
  if (!parsed.ok) throw new TypeError(`the stored body: ${parsed.detail}`);
  return parsed.envelope;
}

function violation({ id, type, source }: WaitingEvent, { path, detail, entity }: EventProblem): NewBreak[] {
  if (entity === null) return [];
  return [
    {
      kind: 'contract_violation',
      severity: severityOf('contract_violation', true),
      entity,
      evidence: {
        eventType: type,
        path: `/data${path}`,
        given: detail,
        applied: false,
        source: { type: source, ref: id },
      },
    },
  ];
}
