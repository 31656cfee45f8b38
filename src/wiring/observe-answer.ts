import type { Knex } from 'knex';
import { isJsonObject } from '../domain/json.js';
import type { KytWords } from '../domain/kyt.js';
import type { Observation } from '../domain/observation.js';
import { type RecordKind, textField } from '../domain/records.js';
import { saveObservations } from '../records/save-observations.js';
import type { WriteOperation } from '../service-api/operations.js';
import type { Answered } from '../service-api/service-writes.js';

/** What kind of record an operation answers with, of the kinds that are kept. */
const kindOf: Partial<Record<WriteOperation, RecordKind>> = { createDirectPayment: 'payment_intent' };

/**
 * Takes in what the service answered to calls of our own that changed something. It is no reading of the service's own
 * list, so it claims, as an event does, and is verified like one.
 */
export function observeAnswers(deps: {
  db: Knex;
  now: () => Date;
  adoptedAt: Date;
  kytWords: KytWords;
}): (answered: Answered) => Promise<void> {
  const { db, now, adoptedAt, kytWords } = deps;
  return async (answered) => {
    const observations = observationsOf(answered);
    if (observations.length === 0) return;
    await db.transaction((trx) => saveObservations(trx, observations, { now: now(), adoptedAt, kytWords }));
  };
}

function observationsOf({ operation, reply: { data, from, to } }: Answered): Observation[] {
  const kind = kindOf[operation];
  const id = isJsonObject(data) ? textField(data, 'id') : null;
  if (kind === undefined || id === null || !isJsonObject(data)) return [];
  return [{ type: 'claim', kind, id, from, to, fields: data, source: { type: 'api_response', ref: operation } }];
}
