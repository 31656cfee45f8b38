import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { paidIntent, payin } from './records.js';

/** A second of the service's clock, in milliseconds. */
export const at = (second: number): number => Date.parse('2026-03-01T00:00:00Z') + second * 1000;

export function poll(kind: RecordKind, fields: JsonObject, second: number, ref = 'run-1'): Observation {
  const id = textField(fields, 'id') ?? '';
  return { type: 'poll', kind, id, from: at(second), to: at(second) + 200, source: { type: 'poll', ref }, fields };
}

/** The list shows a payment that is paid in full, and its payin, `in_` and its id; its order is `order-` and its id. */
export function readPaid(id: string, fields: JsonObject = {}, second = 10): Observation[] {
  return [
    poll('payment_intent', paidIntent(id, `in_${id}`, fields), second),
    poll('payin', payin(`in_${id}`, id), second),
  ];
}

/** What a webhook says. */
export function report(kind: RecordKind, id: string, fields: JsonObject, second: number, ref = '1'): Observation {
  return {
    type: 'statement',
    kind,
    id,
    from: at(second),
    to: at(second) + 999,
    source: { type: 'webhook', ref },
    fields,
  };
}

/** What our own request was answered: `operation` is its name in the contract. */
export function ownCall(
  kind: RecordKind,
  id: string,
  fields: JsonObject,
  second: number,
  operation: string,
): Observation {
  const source = { type: 'api_response', ref: operation } as const;
  return { type: 'statement', kind, id, from: at(second), to: at(second) + 200, source, fields };
}

/** What the service's delivery history shows that it sent. */
export function delivered(kind: RecordKind, id: string, fields: JsonObject, second: number): Observation {
  const source = { type: 'delivery_history', ref: 'dl-1' } as const;
  return { type: 'statement', kind, id, from: at(second), to: at(second) + 999, source, fields };
}

export function mention(kind: RecordKind, id: string, second: number): Observation {
  return { type: 'mention', kind, id, from: at(second), to: at(second) + 999, source: { type: 'webhook', ref: '1' } };
}

export function absence(kind: RecordKind, id: string, second: number): Observation {
  return { type: 'absence', kind, id, from: at(second), to: at(second) + 200, source: { type: 'poll', ref: 'run-1' } };
}
