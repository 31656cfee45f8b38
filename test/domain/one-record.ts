import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import type { RecordKind } from '../../src/domain/records.js';

export const SECOND = 1000;

/** A poll whose request took from `at` to `at` + 200 ms. */
export function poll(at: number, fields: JsonObject, kind: RecordKind = 'payment_intent'): Observation {
  return { kind, id: 'x', type: 'poll', from: at, to: at + 200, source: { type: 'poll', ref: `run ${at}` }, fields };
}

export function absence(at: number): Observation {
  const source = { type: 'poll', ref: `run ${at}` } as const;
  return { kind: 'payment_intent', id: 'x', type: 'absence', from: at, to: at + 200, source };
}

/** What a webhook of this second says. */
export function report(at: number, fields: JsonObject, kind: RecordKind = 'payment_intent'): Observation {
  return { ...delivered(at, fields, kind), source: { type: 'webhook', ref: `event ${at}` } };
}

/** What the delivery history shows to have been said. */
export function delivered(at: number, fields: JsonObject, kind: RecordKind = 'payment_intent'): Observation {
  return {
    kind,
    id: 'x',
    type: 'statement',
    from: at,
    to: at + 999,
    source: { type: 'delivery_history', ref: `event ${at}` },
    fields,
  };
}

export function mention(at: number): Observation {
  const source = { type: 'delivery_history', ref: `event ${at}` } as const;
  return { kind: 'payment_intent', id: 'x', type: 'mention', from: at, to: at + 999, source };
}
