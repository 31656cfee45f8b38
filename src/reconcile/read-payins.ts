import { isJsonObject } from '../domain/json.js';
import type { Observation, ObservationSource } from '../domain/observation.js';
import { textField } from '../domain/records.js';
import { type DueMark, dueMarks, postponeMarks } from '../records/marks.js';
import type { RunTally } from '../records/runs.js';
import { saveObservations } from '../records/save-observations.js';
import { NotFoundError } from '../service-api/service-errors.js';
import type { ReconcileDeps } from './deps.js';
import { type Fence, writeFenced } from './write-fenced.js';

const kind = 'payin';
/** A deposit that an event spoke of may not be there yet when it is asked for at once. */
const AGAIN_MS = 5_000;

export interface PayinReading {
  source: ObservationSource;
  tally: RunTally;
  fence: Fence | null;
  /** So many at most. */
  limit: number;
  /** No further one once this moment has come. */
  until?: Date;
  signal?: AbortSignal;
}

/**
 * Reads the deposits whose reading is due, by their detail (specification 4.15): they have no list. One that the service
 * does not know, twice, is absent. Returns how many were asked for.
 */
export async function readPayins(deps: ReconcileDeps, reading: PayinReading): Promise<number> {
  const due = await dueMarks(deps.db, kind, reading.limit);
  let asked = 0;
  for (const mark of due) {
    reading.signal?.throwIfAborted();
    if (reading.until && deps.now() >= reading.until) break;
    asked += 1;
    reading.tally.calls += 1;
    const observation = await readPayin(deps, mark, reading);
    if (observation === null) await postponeMarks(deps.db, kind, [mark.id], AGAIN_MS);
    else await savePayin(deps, observation, reading);
  }
  return asked;
}

/** Null: nothing that could be kept. */
async function readPayin(
  { client, log }: ReconcileDeps,
  { id, attempts }: DueMark,
  { source, signal }: PayinReading,
): Promise<Observation | null> {
  const askedAt = client.serviceNow();
  try {
    const { data, from, to } = await client.reply('getPayin', { path: { id }, ...(signal ? { signal } : {}) });
    if (isJsonObject(data) && textField(data, 'id') === id) {
      return { type: 'reading', kind, id, from, to, source, fields: data };
    }
    log.warn({ payin: id }, 'the detail of a deposit is that of another one, it is not kept');
    return null;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return attempts === 0 ? null : { type: 'absence', kind, id, from: askedAt, to: client.serviceNow(), source };
  }
}

async function savePayin(deps: ReconcileDeps, observation: Observation, reading: PayinReading): Promise<void> {
  const { db, now, adoptedAt, kytWords } = deps;
  const { tally, fence } = reading;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    const context = { now: now(), adoptedAt, ...(kytWords ? { kytWords } : {}) };
    const saved = await saveObservations(trx, [observation], context);
    return { changed: saved.changed, breaksOpened: saved.breaksOpened };
  });
  tally.seen += observation.type === 'reading' ? 1 : 0;
}
