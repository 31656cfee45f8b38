import { type EndpointFault, findEndpointFaults } from '../domain/deliveries/endpoint-rules.js';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import type { Observation } from '../domain/observation.js';
import { textField } from '../domain/records.js';
import { autoResolveBreaks, openBreaks } from '../records/breaks/breaks.js';
import { listedEndpointIds, readEndpoint, resolvableEndpointBreaks } from '../records/deliveries/listed-endpoints.js';
import { saveObservations } from '../records/saving/save-observations.js';
import { ForbiddenError, NotFoundError } from '../service-api/service-errors.js';
import type { Outcome, RunContext } from './deps.js';
import type { Answer } from './service-reader.js';
import { writeFenced } from './write-fenced.js';

/**
 * Webhook endpoints (specification 4.21): one answer is the whole list. It is reserved for business accounts: refused, the
 * run says that it is degraded. Opens and resolves what is wrong with those of ours.
 */
export async function reconcileEndpoints(run: RunContext): Promise<Outcome> {
  const answer = await readEndpoints(run);
  if (answer === null) return unproven('degraded: the service does not show this account its webhook endpoints');
  const rows = rowsOf(answer.data);
  if (rows === null) return unproven('the answer is no list of endpoints with ids');
  run.tally.seen += rows.length;
  run.progress({ seen: rows.length, calls: run.tally.calls, oldest: null, total: rows.length });
  const { settings, contract } = run.deps;
  const faults = findEndpointFaults(
    rows.map(({ id, fields }) => readEndpoint(id, fields)),
    { own: settings, needed: contract.events.needed },
  );
  await save(run, answer, rows, faults);
  const proof = { endpoints: rows.length, readAt: new Date(answer.from).toISOString(), findings: faults.length };
  return { complete: true, proof, watermarks: new Map() };
}

interface EndpointRow {
  id: string;
  fields: JsonObject;
}

async function readEndpoints({ deps, tally, signal }: RunContext): Promise<Answer<Json> | null> {
  tally.calls += 1;
  try {
    return await deps.client.reply('listWebhookEndpoints', signal ? { signal } : {});
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return null;
    throw error;
  }
}

/** A row without an id would look like an endpoint that is gone. */
function rowsOf(data: Json): EndpointRow[] | null {
  if (!Array.isArray(data)) return null;
  const rows = data.flatMap((fields) => {
    const id = isJsonObject(fields) ? textField(fields, 'id') : null;
    return isJsonObject(fields) && id !== null && id !== '' ? [{ id, fields }] : [];
  });
  return rows.length === data.length ? rows : null;
}

async function save(
  run: RunContext,
  { from, to }: Answer<Json>,
  rows: readonly EndpointRow[],
  faults: readonly EndpointFault[],
): Promise<void> {
  const { deps, source } = run;
  const seen = { from, to, source };
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const listed = new Set(rows.map(({ id }) => id));
    const gone = (await listedEndpointIds(trx)).filter((id) => !listed.has(id));
    const observations: Observation[] = [
      ...rows.map(({ id, fields }) => ({ kind: 'endpoint' as const, id, type: 'poll' as const, fields, ...seen })),
      ...gone.map((id) => ({ kind: 'endpoint' as const, id, type: 'absence' as const, ...seen })),
    ];
    const { changed, breaksOpened } = await saveObservations(trx, observations, { ...deps, now: deps.now() });
    const wanted = faults.map(({ kind, id, evidence }) => ({
      kind,
      entity: { kind: 'endpoint' as const, id },
      evidence: { ...evidence, source: { ...source } },
    }));
    await autoResolveBreaks(trx, await resolvableEndpointBreaks(trx, wanted));
    return { changed, breaksOpened: breaksOpened + (await openBreaks(trx, wanted)) };
  });
}

function unproven(reason: string): Outcome {
  return { complete: false, proof: { reason }, watermarks: new Map() };
}
