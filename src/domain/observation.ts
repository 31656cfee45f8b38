import type { JsonObject } from './json.js';
import type { RecordKind } from './records.js';

export type SourceType = 'webhook' | 'poll' | 'delivery_history' | 'api_response';

/** Where an observation comes from; `ref` is the inbox id, the run id, or the operation. */
export interface ObservationSource {
  type: SourceType;
  ref: string;
}

/**
 * "At this moment of the service's clock, this record had this state."
 *
 * - `poll`: a complete record out of the service's own list or detail call. Polls decide.
 * - `absence`: a read that proves that the service does not list the record.
 * - `statement`: what an event, a delivery or the answer to our own call said of the record; fields that the payload
 *   lacked are absent here, never null. Of a webhook it is a report.
 * - `mention`: an event named the record but nothing could be read off it: it asks for a poll.
 *
 * `from` and `to` are milliseconds since the epoch on the *service's* clock: of a poll or an absence the
 * start and end of the request, of a statement or mention the second that the envelope's timestamp names
 * (`from` = timestamp × 1000, `to` = from + 999 where it is a whole second).
 */
export type Observation = {
  kind: RecordKind;
  id: string;
  from: number;
  to: number;
  source: ObservationSource;
} & (
  | { type: 'poll'; fields: JsonObject }
  | { type: 'absence' }
  | { type: 'statement'; fields: JsonObject }
  | { type: 'mention' }
);
