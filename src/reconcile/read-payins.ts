import { isJsonObject } from '../domain/json.js';
import type { Observation, ObservationSource } from '../domain/observation.js';
import { textField } from '../domain/records.js';
import { describeError } from '../records/database/database-errors.js';
import { isOfReports, postponeRefreshRequests } from '../records/runs/refresh-requests.js';
import type { RunTally } from '../records/runs/runs.js';
import { type DueRequest, dueRequests } from '../records/runs/settle-requests.js';
import {
  CircuitOpenError,
  ContractViolationError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RefusedError,
  UnavailableError,
} from '../service-api/service-errors.js';
import type { ReconcileDeps } from './deps.js';
import { ask } from './service-reader.js';
import { freeShare, type Rotation, takeTurns } from './take-turns.js';
import { type Fence, saveFenced } from './write-fenced.js';

const kind = 'payin';
/** A payin that an event spoke of may not be there yet when it is asked for at once. */
const AGAIN_MS = 5_000;
/** What was read is shown after so many calls at the latest; then what came to be due meanwhile has its turn. */
const SAVED_AT_ONCE = 10;
/** More than the likeliest time of the service's clock will be off: an absence never hides what an event said meanwhile. */
const CLOCK_UNCERTAINTY_MS = 2_000;

export interface PayinPoll {
  source: ObservationSource;
  tally: RunTally;
  fence: Fence | null;
  limit: number;
  rotation: Rotation;
  /** No further one once this moment has come. */
  until?: Date;
  signal?: AbortSignal | undefined;
}

/** Due payins by their detail (4.15): they have no list. Unknown to the service twice: absent. Returns how many. */
export async function readPayins(deps: ReconcileDeps, poll: PayinPoll): Promise<number> {
  let asked = 0;
  for (let read = SAVED_AT_ONCE; read === SAVED_AT_ONCE && asked < poll.limit; asked += read)
    read = await readFew(deps, poll, Math.min(SAVED_AT_ONCE, poll.limit - asked));
  return asked;
}

/** Those whose turn it is; how many. */
async function readFew(deps: ReconcileDeps, poll: PayinPoll, limit: number): Promise<number> {
  const { share = freeShare(deps.client) } = deps;
  const turns = takeTurns(await dueRequests(deps.db, kind, limit), share, poll.rotation);
  const unsaved: Observation[] = [];
  let asked = 0;
  try {
    while (asked < limit && !(poll.until && deps.now() >= poll.until)) {
      poll.signal?.throwIfAborted();
      const request = turns.next();
      if (request === null) break;
      asked += 1;
      const client = isOfReports(request) ? share.reports : deps.client;
      const observation = await readPayin({ ...deps, client }, request, poll);
      if (observation === null) await postponeRefreshRequests(deps.db, kind, [request.id], AGAIN_MS);
      else unsaved.push(observation);
    }
  } finally {
    await savePayins(deps, unsaved, poll);
  }
  return asked;
}

/** Null: nothing that could be kept. What is wrong with one payin alone holds up none of the others. */
async function readPayin(
  deps: ReconcileDeps,
  { id, attempts }: DueRequest,
  { source, tally, signal }: PayinPoll,
): Promise<Observation | null> {
  const { db, client, log } = deps;
  const askedAt = client.serviceNow();
  try {
    const { data, from, to } = await ask({ deps, tally, signal }, 'getPayin', { path: { id } });
    if (isJsonObject(data) && textField(data, 'id') === id)
      return { type: 'poll', kind, id, from, to, source, fields: data };
    log.warn({ payin: id }, 'payin detail mismatched');
    return null;
  } catch (error) {
    if (error instanceof NotFoundError) {
      const from = askedAt - CLOCK_UNCERTAINTY_MS;
      return attempts === 0 ? null : { type: 'absence', kind, id, from, to: client.serviceNow(), source };
    }
    if (isAboutOne(error)) {
      log.warn({ payin: id, error: describeError(error) }, 'payin not polled');
      return null;
    }
    // A failure that only this payin meets must not meet the next round first.
    const mayBeIts = error instanceof UnavailableError && !(error instanceof CircuitOpenError);
    if (mayBeIts && !signal?.aborted) await postponeRefreshRequests(db, kind, [id], AGAIN_MS);
    throw error;
  }
}

/** The service answered, and what it says concerns this payin, not the key, the rate or its own health. */
function isAboutOne(error: unknown): boolean {
  return [RefusedError, ForbiddenError, ContractViolationError, InvalidRequestError].some(
    (one) => error instanceof one,
  );
}

/** What can't be saved is asked for again later; the others are saved without it. */
async function savePayins(deps: ReconcileDeps, observations: Observation[], poll: PayinPoll): Promise<void> {
  if (observations.length === 0) return;
  try {
    await saveTogether(deps, observations, poll);
  } catch {
    const failures: unknown[] = [];
    for (const one of observations) {
      await saveTogether(deps, [one], poll).catch(async (error: unknown) => {
        failures.push(error);
        await postponeRefreshRequests(deps.db, kind, [one.id], AGAIN_MS);
      });
    }
    if (failures.length > 0) throw failures[0];
  }
}

async function saveTogether(deps: ReconcileDeps, observations: Observation[], poll: PayinPoll): Promise<void> {
  await saveFenced({ deps, ...poll }, observations);
  poll.tally.seen += observations.filter(({ type }) => type === 'poll').length;
}
