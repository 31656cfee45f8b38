import { UNAPPLIED } from '../domain/breaks/contract-violation.js';
import type { LinkPointers } from '../domain/events/link-fields.js';
import { atOnce, inTurns } from '../domain/in-turns.js';
import type { JsonObject } from '../domain/json.js';
import type { NewBreak } from '../records/breaks/breaks.js';
import type { UnhandledEvent, WaitingEvent } from '../records/inbox/inbox-work.js';
import { ownTurn, turnFor } from '../records/own-turn.js';
import { type EventProblem, type ObservedEvent, observeEvent } from './observe-event.js';
import { type Envelope, type Parsed, parsingText } from './parse-envelope.js';

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
export function readEvent(event: WaitingEvent, links?: LinkPointers, envelope = envelopeOf(event.body)): ReadEvent {
  const { id, key, type } = event;
  const { data, mark, bulk } = envelope;
  const observed = observeEvent({ ...event, data, mark, bulk }, links);
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

/** Of several events, with turns of the event loop between what is done for large ones. */
export async function readEvents(events: readonly WaitingEvent[], links?: LinkPointers): Promise<ReadEvent[]> {
  const read: ReadEvent[] = [];
  for (const event of events) {
    await turnFor(event.body);
    const envelope = accepted(await inTurns(parsingText(event.body), ownTurn));
    await turnFor(event.body);
    read.push(readEvent(event, links, envelope));
  }
  return read;
}

/** An envelope that was checked when it came in. */
export function envelopeOf(body: string): Envelope {
  return accepted(atOnce(parsingText(body)));
}

function accepted(parsed: Parsed): Envelope {
  if (!parsed.ok) throw new TypeError(`the stored body: ${parsed.detail}`);
  return parsed.envelope;
}

function violation({ id, type, source }: WaitingEvent, { path, detail, entity }: EventProblem): NewBreak[] {
  if (entity === null) return [];
  return [
    {
      kind: 'contract_violation',
      severity: UNAPPLIED,
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
