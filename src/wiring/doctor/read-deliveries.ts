import { canonicalJson } from '../../domain/canonical-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { JsonTextError, MAX_DEPTH, parseJson } from '../../domain/json-table/parse-json.js';
import { textField } from '../../domain/records.js';

/** A delivery of the history, as far as it shows how the service makes events. */
export interface SeenDelivery {
  envelope: JsonObject;
  /** Event type and data: equal for every delivery of one event. */
  content: string;
  attempts: number;
  createdAt: number;
  lastAttemptAt: number;
}

export function readDeliveries(rows: readonly JsonObject[]): SeenDelivery[] {
  return rows.flatMap((row) => {
    const envelope = envelopeOf(row['payload']);
    if (envelope === null) return [];
    const { event = null, data = null } = envelope;
    return [
      {
        envelope,
        content: canonicalJson([event, data]),
        attempts: Number(row['attempts'] ?? 0),
        createdAt: Date.parse(textField(row, 'createdAt') ?? ''),
        lastAttemptAt: Date.parse(textField(row, 'lastAttemptAt') ?? ''),
      },
    ];
  });
}

function envelopeOf(payload: Json | undefined): JsonObject | null {
  const value = typeof payload === 'string' ? parsed(payload) : payload;
  return isJsonObject(value) && 'event' in value ? value : null;
}

function parsed(text: string): Json {
  try {
    return parseJson(text, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonTextError) return null;
    throw error;
  }
}
